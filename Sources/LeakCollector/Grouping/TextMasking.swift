/// Leaves out of a text what never decides its group: addresses, and the seconds of an elapsed time.
enum TextMasking {
    /// Appends `text` to `key` without them.
    static func append(_ text: ArraySlice<UInt8>, to key: inout [UInt8]) {
        unsafe text.withUnsafeBufferPointer { text in
            var index = 0
            var plain = 0
            while index + 2 < text.count {
                let masked: Range<Int>
                switch unsafe text[index] {
                case UInt8(ascii: "0"): unsafe masked = address(at: index, in: text)
                case UInt8(ascii: "a"): unsafe masked = seconds(at: index, in: text)
                default:
                    index += 1
                    continue
                }
                if !masked.isEmpty {
                    unsafe key.append(contentsOf: text[plain..<masked.lowerBound])
                    // Which no JSON holds: a text without digits here is another text.
                    key.append(0)
                    plain = masked.upperBound
                }
                index = max(index + 1, masked.upperBound)
            }
            unsafe key.append(contentsOf: text[plain...])
        }
    }

    /// The digits of `0x7f88acc69260`, which is no part of a name.
    private static func address(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        guard unsafe text[index + 1] == UInt8(ascii: "x"), unsafe index == 0 || !isWord(text[index - 1])
        else {
            return index..<index
        }
        var end = index + 2
        while end < text.count, unsafe isHexadecimal(text[end]) { end += 1 }
        return index + 2..<end
    }

    /// The number of `after 8.912s`.
    private static func seconds(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let mark: StaticString = "after "
        let start = index + mark.utf8CodeUnitCount
        guard start < text.count else { return index..<index }
        for step in 0..<mark.utf8CodeUnitCount where unsafe text[index + step] != mark.utf8Start[step] {
            return index..<index
        }
        var end = start
        while end < text.count, unsafe isDigit(text[end]) || end > start && text[end] == UInt8(ascii: ".") {
            end += 1
        }
        return start..<end
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}

/// Leaves out of a text what never decides its group: the digits of addresses, and those of an elapsed time.
///
/// How many digits there are stays, so that two texts are taken for one only when nothing else tells them apart.
enum TextMasking {
    /// More digits than an address has, or seconds, decide who knows what.
    private static let digitLimit = 0x1F

    /// Appends `text`, as it stands between the quotes of JSON, to `key` without them.
    static func append(_ text: ArraySlice<UInt8>, to key: inout [UInt8]) {
        unsafe text.withUnsafeBufferPointer { text in
            var index = 0
            var plain = 0
            func mask(_ digits: Range<Int>, _ key: inout [UInt8]) {
                unsafe key.append(contentsOf: text[plain..<digits.lowerBound])
                // Which no JSON holds: a text without digits here is another text.
                key.append(0)
                key.append(UInt8(truncatingIfNeeded: digits.count))
                plain = digits.upperBound
            }
            while index + 2 < text.count {
                switch unsafe text[index] {
                case UInt8(ascii: "0"):
                    if let digits = unsafe address(at: index, in: text) {
                        mask(digits, &key)
                        index = digits.upperBound
                    }
                case UInt8(ascii: "a"):
                    for digits in unsafe seconds(at: index, in: text) {
                        mask(digits, &key)
                        index = digits.upperBound
                    }
                default: break
                }
                index += 1
            }
            unsafe key.append(contentsOf: text[plain...])
        }
    }

    /// The digits of `0x7f88acc69260`, which is no part of a name.
    private static func address(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard unsafe text[index + 1] == UInt8(ascii: "x"), unsafe index == 0 || !isWord(text[index - 1])
        else {
            return nil
        }
        var end = index + 2
        while end < text.count, unsafe isHexadecimal(text[end]) { end += 1 }
        guard (1...digitLimit).contains(end - index - 2), unsafe endsWord(end, in: text) else { return nil }
        return index + 2..<end
    }

    /// The digits of `after 8.912s`, before and behind the point.
    private static func seconds(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        let mark: StaticString = "after "
        let start = index + mark.utf8CodeUnitCount
        guard start < text.count else { return [] }
        for step in 0..<mark.utf8CodeUnitCount where unsafe text[index + step] != mark.utf8Start[step] {
            return []
        }
        func digits(from start: Int) -> Range<Int> {
            var end = start
            while end < text.count, unsafe isDigit(text[end]) { end += 1 }
            return start..<end
        }
        var runs = [digits(from: start)]
        if runs[0].upperBound < text.count, unsafe text[runs[0].upperBound] == UInt8(ascii: ".") {
            runs.append(digits(from: runs[0].upperBound + 1))
        }
        let end = runs[runs.count - 1].upperBound
        guard runs.allSatisfy({ (1...digitLimit).contains($0.count) }), end < text.count,
            unsafe text[end] == UInt8(ascii: "s"), unsafe endsWord(end + 1, in: text)
        else { return [] }
        return runs
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    /// An escape sequence may stand for part of the word, unless it is a line end or a quote.
    private static func endsWord(_ end: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard end < text.count else { return true }
        guard unsafe text[end] == UInt8(ascii: "\\"), end + 1 < text.count else {
            return unsafe !isWord(text[end])
        }
        return unsafe text[end + 1] == UInt8(ascii: "n") || text[end + 1] == UInt8(ascii: "\"")
    }
}

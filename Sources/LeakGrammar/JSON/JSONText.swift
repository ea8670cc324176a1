internal import LeakMessage

/// A converter of JSON strings to text, which resolves escape sequences.
enum JSONText {
    /// Returns the text of a string. `bytes` must have been scanned, so that every escape sequence is complete.
    static func string(_ bytes: UnsafeBufferPointer<UInt8>, isEscaped: Bool) -> String {
        guard isEscaped else { return unsafe String(decoding: bytes, as: UTF8.self) }
        return unsafe String(decoding: unescaped(bytes), as: UTF8.self)
    }

    /// Returns the UTF-8 of the text, which is never longer than `bytes`.
    static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = unsafe bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                text.append(byte)
                continue
            }
            let escape = unsafe bytes[index]
            index += 1
            switch escape {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): unsafe appendScalar(of: bytes, &index, to: &text)
            default: text.append(escape)
            }
        }
        return text
    }

    /// Appends the scalar whose four hexadecimal digits are at `index`, combined with the low surrogate if one follows.
    private static func appendScalar(
        of bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, to text: inout [UInt8]
    ) {
        var code = unsafe utf16Unit(of: bytes, at: index)
        index += 4
        if code & 0xFC00 == 0xD800, index + 6 <= bytes.count, unsafe bytes[index] == UInt8(ascii: "\\"),
            unsafe bytes[index + 1] == UInt8(ascii: "u")
        {
            let low = unsafe utf16Unit(of: bytes, at: index + 2)
            if low & 0xFC00 == 0xDC00 {
                code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
                index += 6
            }
        }
        text.append(contentsOf: Unicode.UTF8.bytes(of: Unicode.Scalar(code) ?? "\u{FFFD}"))
    }

    /// Returns the number that four hexadecimal digits state.
    private static func utf16Unit(of bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in start..<min(start + 4, bytes.count) {
            unit = unit << 4 | UInt32(unsafe bytes[index].hexadecimalValue ?? 0)
        }
        return unit
    }
}

extension Unicode.UTF8 {
    /// Returns the one to four bytes of a scalar.
    static func bytes(of scalar: Unicode.Scalar) -> [UInt8] {
        Array(String(scalar).utf8)
    }
}

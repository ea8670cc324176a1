/// Classes of bytes in the grammar of HTTP, each as a set of 128 bits.
enum ASCII {
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09

    /// `tchar`: letters, digits and ``!#$%&'*+-.^_`|~``. RFC 9110 §5.6.2.
    @inline(__always) static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Visible ASCII except `"`, `#`, `<`, `>` and `\`. The grammar of RFC 3986 also forbids ``[]^`{|}``, but browsers send them
    /// unescaped in queries. https://url.spec.whatwg.org/#query-percent-encode-set
    @inline(__always) static func isTarget(_ byte: UInt8) -> Bool {
        contains(byte, low: 0xAFFF_FFF2_0000_0000, high: 0x7FFF_FFFF_EFFF_FFFF)
    }

    /// `pchar`, `/` and the percent sign of an escape: the bytes of a path. RFC 3986 §3.3.
    @inline(__always) static func isPath(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2FFF_FFF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
    }

    /// `reg-name` without the comma, because a comma would make a list of hosts. RFC 3986 §3.2.2.
    @inline(__always) static func isHost(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2BFF_6FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// `field-vchar`, space and tab. RFC 9110 §5.5.
    @inline(__always) static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == tab
    }

    /// Returns the index of the first byte from `start` on that a field value may not contain, or `bytes.count`. Checks eight
    /// bytes at a time.
    @inline(__always)
    static func endOfFieldValue(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index &+ 8 <= raw.count {
            let word = unsafe UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let mask = controlMask(of: word)
            if mask == 0 {
                index &+= 8
                continue
            }
            index &+= mask.trailingZeroBitCount &>> 3
            guard unsafe raw[index] == tab else { return index }
            index &+= 1
        }
        while index < raw.count, unsafe isFieldValue(raw[index]) { index &+= 1 }
        return index
    }

    /// Finds the lowest byte of `word` that is a control character: in the result, the highest bit of this byte is set. Higher bytes may
    /// have wrong bits; lower bytes are 0.
    /// https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
    @inline(__always) private static func controlMask(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let deletes = word ^ (ones &* 0x7F)
        return ((word &- ones &* 0x20) & ~word | (deletes &- ones) & ~deletes) & (ones &* 0x80)
    }

    @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

    /// Returns the value of a hexadecimal digit; `nil` for any other byte.
    @inline(__always) static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }

    @inline(__always) static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 <= 25 ? byte | 0x20 : byte
    }

    /// Returns `true` if `text` is `lower`, without regard to case.
    ///
    /// - Parameter lower: the expected text, in lower case.
    static func equalsLowercased(_ text: String, _ lower: StaticString) -> Bool {
        guard text.utf8.count == lower.utf8CodeUnitCount else { return false }
        return unsafe zip(
            text.utf8, UnsafeBufferPointer(start: lower.utf8Start, count: lower.utf8CodeUnitCount)
        )
        .allSatisfy { lowercased($0) == $1 }
    }

    /// Returns `true` if the bytes in `range` are the text `lower`, without regard to case.
    ///
    /// - Parameter lower: the expected text, in lower case.
    static func equal(_ bytes: borrowing Span<UInt8>, in range: Range<Int>, to lower: StaticString) -> Bool {
        guard range.count == lower.utf8CodeUnitCount else { return false }
        let expected = unsafe lower.utf8Start
        for index in range {
            guard unsafe expected[index &- range.lowerBound] == lowercased(bytes[index]) else {
                return false
            }
        }
        return true
    }

    /// Calls `read` with the bytes of `text`, without a copy for nearly all strings.
    @inline(__always)
    @unsafe
    static func bytes<Result>(of text: String, _ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = unsafe text.utf8.withContiguousStorageIfAvailable(read) { return result }
        return unsafe Array(text.utf8).withUnsafeBufferPointer(read)
    }

    /// Returns `true` if `text`, in lower case, begins with `prefix`, compared byte by byte.
    static func hasPrefix(_ text: String, _ prefix: StaticString) -> Bool {
        guard text.utf8.count >= prefix.utf8CodeUnitCount else { return false }
        return unsafe bytes(of: text) { bytes in
            var index = 0
            while index < prefix.utf8CodeUnitCount, unsafe lowercased(bytes[index]) == prefix.utf8Start[index]
            {
                index &+= 1
            }
            return index == prefix.utf8CodeUnitCount
        }
    }

    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }
}

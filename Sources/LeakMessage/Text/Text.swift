/// UTF-8 bytes for parsers. Texts of detectors are parsed as bytes, because `String` treats `\r\n` as one character and compares by
/// canonical equivalence.
@usableFromInline package typealias Text = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
    @inlinable package init(_ text: String) { self = Array(text.utf8)[...] }

    @inlinable package var string: String { String(decoding: self, as: UTF8.self) }

    @inlinable package func starts(with prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount {
            if unsafe self[startIndex + index] != prefix.utf8Start[index] { return false }
        }
        return true
    }

    @inlinable package func ends(with suffix: StaticString) -> Bool {
        self.suffix(suffix.utf8CodeUnitCount).equals(suffix)
    }

    @inlinable package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && starts(with: text)
    }

    /// Returns the text after `prefix`, or `nil` if the text does not start with it.
    @inlinable package func dropping(_ prefix: StaticString) -> Text? {
        starts(with: prefix) ? self[(startIndex + prefix.utf8CodeUnitCount)...] : nil
    }

    /// Returns the text before `suffix`, or `nil` if the text does not end with it.
    @inlinable package func droppingLast(_ suffix: StaticString) -> Text? {
        ends(with: suffix) ? self[..<(endIndex - suffix.utf8CodeUnitCount)] : nil
    }

    /// Returns the range of the first occurrence of `text`.
    @inlinable package func firstRange(of text: StaticString) -> Range<Int>? {
        let length = text.utf8CodeUnitCount
        guard length > 0, count >= length else { return nil }
        let first = unsafe text.utf8Start[0]
        var index = startIndex
        while index <= endIndex - length {
            if self[index] == first, self[index...].starts(with: text) { return index..<index + length }
            index += 1
        }
        return nil
    }

    @inlinable package func firstRange(of text: Text) -> Range<Int>? {
        guard let first = text.first, count >= text.count else { return nil }
        var index = startIndex
        while index <= endIndex - text.count {
            if self[index] == first, self[index...].starts(with: text) { return index..<index + text.count }
            index += 1
        }
        return nil
    }

    /// Returns the range of the last occurrence of `text`.
    @inlinable package func lastRange(of text: StaticString) -> Range<Int>? {
        let length = text.utf8CodeUnitCount
        guard length > 0, count >= length else { return nil }
        var index = endIndex - length
        while index >= startIndex {
            if self[index...].starts(with: text) { return index..<index + length }
            index -= 1
        }
        return nil
    }

    @inlinable package func contains(_ text: StaticString) -> Bool { firstRange(of: text) != nil }

    /// The text without white space and control characters at both ends.
    @inlinable package var trimmed: Text {
        var text = self
        while let first = text.first, first <= 0x20 { text = text.dropFirst() }
        while let last = text.last, last <= 0x20 { text = text.dropLast() }
        return text
    }

    /// The text without a byte order mark at its start.
    @inlinable package var withoutByteOrderMark: Text { dropping("\u{FEFF}") ?? self }

    /// The first line, and the text after its line end; that text is empty if no line end follows.
    @inlinable package var firstLine: (line: Text, remainder: Text) {
        guard let end = firstIndex(of: UInt8(ascii: "\n")) else { return (self, self[endIndex...]) }
        return (self[..<end], self[(end + 1)...])
    }

    /// The lines of the text, empty ones included.
    @inlinable package var lines: [Text] {
        split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// Returns at most the first `limit` bytes, cut between two Unicode scalars.
    @inlinable package func cut(to limit: Int) -> Text {
        guard count > limit else { return self }
        var end = startIndex + limit
        while end > startIndex, self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}

extension UInt8 {
    /// `true` for an ASCII letter or digit, an underscore, a dollar sign, and bytes of scalars beyond ASCII.
    @inlinable package var isIdentifier: Bool {
        isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 0x80
    }

    @inlinable package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    @inlinable package var isUppercase: Bool { self &- UInt8(ascii: "A") < 26 }
}

extension UInt8 {
    /// The value 0 to 15 of the digits `0`…`9`, `a`…`f` and `A`…`F`; `nil` for other bytes.
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    @inlinable package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    @inlinable package var isHexadecimal: Bool { hexadecimalValue != nil }
}

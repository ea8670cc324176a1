/// `Accept-Encoding`, RFC 9110 §12.5.3.
enum AcceptEncoding {
    /// Whether gzip may be sent: `gzip`, `x-gzip` or `*` with a weight above zero. A member that names gzip
    /// counts more than `*`, wherever it stands.
    static func allowsGzip(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) -> Bool {
        var anything = false
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound && bytes[end] != UInt8(ascii: ",") { end += 1 }
            var name = start
            while name < end && (bytes[name] == ASCII.space || bytes[name] == ASCII.tab) { name += 1 }
            var nameEnd = name
            while nameEnd < end && (ASCII.isToken(bytes[nameEnd])) { nameEnd += 1 }
            let isPositive = hasPositiveWeight(bytes, nameEnd..<end)
            if FieldRules.equal(bytes, name..<nameEnd, "gzip")
                || FieldRules.equal(bytes, name..<nameEnd, "x-gzip")
            {
                return isPositive
            }
            if nameEnd == name + 1 && bytes[name] == UInt8(ascii: "*") { anything = isPositive }
            start = end + 1
        }
        return anything
    }

    /// `;q=0.8`: positive without a weight and with any digit but zero in it. RFC 9110 §12.4.2.
    private static func hasPositiveWeight(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            var end = at
            while end < range.upperBound && bytes[end] != UInt8(ascii: ";") { end += 1 }
            while at < end && (bytes[at] == ASCII.space || bytes[at] == ASCII.tab) { at += 1 }
            if end - at > 1, ASCII.lowercased(bytes[at]) == UInt8(ascii: "q"),
                bytes[at + 1] == UInt8(ascii: "=")
            {
                return (at..<end).contains { bytes[$0] &- 0x31 <= 8 }
            }
            at = end + 1
        }
        return true
    }
}

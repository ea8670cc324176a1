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

    /// `;q=0.8`: positive without a weight and with any digit but zero in it.
    private static func hasPositiveWeight(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound && ASCII.lowercased(bytes[at]) != UInt8(ascii: "q") { at += 1 }
        guard at < range.upperBound else { return true }
        while at < range.upperBound {
            if bytes[at] &- 0x31 <= 8 { return true }
            at += 1
        }
        return false
    }
}

/// Parser of `Accept-Encoding`, RFC 9110 §12.5.3.
enum AcceptEncoding {
    /// Returns `true` if gzip may be sent: the field names `gzip`, `x-gzip` or `*` with a weight above zero. A member that names
    /// gzip takes precedence over `*`, at any position.
    static func allowsGzip(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) -> Bool {
        var anything = false
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound && bytes[end] != UInt8(ascii: ",") { end += 1 }
            var name = start
            while name < end && isSpace(bytes[name]) { name += 1 }
            var nameEnd = name
            while nameEnd < end && ASCII.isToken(bytes[nameEnd]) { nameEnd += 1 }
            let isPositive = hasPositiveWeight(bytes, nameEnd..<end)
            if FieldValidator.equal(bytes, in: name..<nameEnd, to: "gzip")
                || FieldValidator.equal(bytes, in: name..<nameEnd, to: "x-gzip")
            {
                return isPositive
            }
            if nameEnd == name + 1 && bytes[name] == UInt8(ascii: "*") { anything = isPositive }
            start = end + 1
        }
        return anything
    }

    /// Returns `true` if the rest of a list member is empty or a weight above zero, such as `;q=0.8`. A member with anything else
    /// is ignored. RFC 9110 §12.4.2.
    private static func hasPositiveWeight(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound && isSpace(bytes[end - 1]) { end -= 1 }
        var at = range.lowerBound
        while at < end && isSpace(bytes[at]) { at += 1 }
        guard at < end else { return true }
        guard bytes[at] == UInt8(ascii: ";") else { return false }
        at += 1
        while at < end && isSpace(bytes[at]) { at += 1 }
        guard (3...7).contains(end - at), ASCII.lowercased(bytes[at]) == UInt8(ascii: "q"),
            bytes[at + 1] == UInt8(ascii: "="), bytes[at + 2] &- 0x30 <= 1,
            end - at == 3 || bytes[at + 3] == UInt8(ascii: ".")
        else { return false }
        let isOne = bytes[at + 2] == UInt8(ascii: "1")
        var hasFraction = false
        for index in min(at + 4, end)..<end {
            guard ASCII.isDigit(bytes[index]) else { return false }
            if bytes[index] != UInt8(ascii: "0") { hasFraction = true }
        }
        return isOne != hasFraction
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}

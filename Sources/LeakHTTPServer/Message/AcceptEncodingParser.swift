/// Parser of `Accept-Encoding`, RFC 9110 §12.5.3.
enum AcceptEncodingParser {
    /// Returns `true` if gzip may be sent: the field names `gzip`, `x-gzip` or `*` with a weight above zero. A member that names
    /// gzip takes precedence over `*`, at any position.
    static func allowsGzip(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) -> Bool {
        var allowsAnyCoding = false
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound && bytes[end] != UInt8(ascii: ",") { end += 1 }
            var nameStart = start
            while nameStart < end && isSpace(bytes[nameStart]) { nameStart += 1 }
            var nameEnd = nameStart
            while nameEnd < end && ASCII.isToken(bytes[nameEnd]) { nameEnd += 1 }
            let isPositive = hasPositiveWeight(bytes, nameEnd..<end)
            if ASCII.equal(bytes, in: nameStart..<nameEnd, to: "gzip")
                || ASCII.equal(bytes, in: nameStart..<nameEnd, to: "x-gzip")
            {
                return isPositive
            }
            if nameEnd == nameStart + 1 && bytes[nameStart] == UInt8(ascii: "*") {
                allowsAnyCoding = isPositive
            }
            start = end + 1
        }
        return allowsAnyCoding
    }

    /// Returns `true` if the rest of a list member is empty or a weight above zero, such as `;q=0.8`. A member with anything else
    /// is ignored. RFC 9110 §12.4.2.
    private static func hasPositiveWeight(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound && isSpace(bytes[end - 1]) { end -= 1 }
        var position = range.lowerBound
        while position < end && isSpace(bytes[position]) { position += 1 }
        guard position < end else { return true }
        guard bytes[position] == UInt8(ascii: ";") else { return false }
        position += 1
        while position < end && isSpace(bytes[position]) { position += 1 }
        guard (3...7).contains(end - position), ASCII.lowercased(bytes[position]) == UInt8(ascii: "q"),
            bytes[position + 1] == UInt8(ascii: "="), bytes[position + 2] &- 0x30 <= 1,
            end - position == 3 || bytes[position + 3] == UInt8(ascii: ".")
        else { return false }
        let isOne = bytes[position + 2] == UInt8(ascii: "1")
        var hasFraction = false
        for index in min(position + 4, end)..<end {
            guard ASCII.isDigit(bytes[index]) else { return false }
            if bytes[index] != UInt8(ascii: "0") { hasFraction = true }
        }
        return isOne != hasFraction
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}

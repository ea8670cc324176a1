import LeakMessage

/// Parser of the field `Retry-After`, RFC 9110 §10.2.3: seconds, or a date.
enum RetryAfterParser {
    /// The longest accepted delay. A longer value is cut to it: a mistyped value must not silence an app forever.
    static let longestMilliseconds = 3_600_000

    /// Parses the field.
    ///
    /// - Parameter now: the wall clock, to compute the delay until a date.
    /// - Returns: milliseconds from 0 to ``longestMilliseconds``, or `nil` if the field has neither form.
    static func milliseconds(_ field: String, now: WireTime) -> Int? {
        if !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // A number that does not fit into an Int is longer than the limit.
            return min(Int(field) ?? longestMilliseconds, longestMilliseconds / 1000) * 1000
        }
        guard let date = time(ofDate: field) else { return nil }
        let (delay, isOutOfRange) = date.milliseconds.subtractingReportingOverflow(now.milliseconds)
        return isOutOfRange ? longestMilliseconds : Int(min(max(delay, 0), Int64(longestMilliseconds)))
    }

    /// Parses an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, whose parts are those of RFC 3339 in another order. RFC 9110 §5.6.7.
    ///
    /// The two obsolete forms are not supported: servers must not send them.
    private static func time(ofDate field: String) -> WireTime? {
        let parts = field.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let index = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let month = index < 9 ? "0\(index + 1)" : "\(index + 1)"
        return WireTime(rfc3339: "\(parts[3])-\(month)-\(parts[1])T\(parts[4])Z")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

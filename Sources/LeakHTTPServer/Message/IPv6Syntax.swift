/// Syntax of an IPv6 address between the brackets of a host. RFC 3986 §3.2.2, without zones and future versions.
enum IPv6Syntax {
    static func isValid(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var at = start
        var groups = 0
        // `::` replaces all missing groups and may appear once.
        var hasGap = end - start >= 2 && bytes[start] == colon && bytes[start + 1] == colon
        if hasGap { at += 2 }
        while at < end {
            if isIPv4(bytes, from: at, to: end) {
                groups += 2
                break
            }
            let group = at
            while at < end && ASCII.hexDigit(bytes[at]) != nil { at += 1 }
            guard (1...4).contains(at - group) else { return false }
            groups += 1
            guard at < end else { break }
            guard bytes[at] == colon, at + 1 < end else { return false }
            at += 1
            guard bytes[at] == colon else { continue }
            guard !hasGap else { return false }
            hasGap = true
            at += 1
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// Returns `true` if the bytes from `start` to `end` are four numbers up to 255 without leading zeros.
    private static func isIPv4(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var at = start
        for part in 0..<4 {
            if part > 0 {
                guard at < end, bytes[at] == UInt8(ascii: ".") else { return false }
                at += 1
            }
            let first = at
            var number = 0
            while at < end && at - first < 3 && ASCII.isDigit(bytes[at]) {
                number = number * 10 + Int(bytes[at] - 0x30)
                at += 1
            }
            guard at > first, number <= 255, at - first == 1 || bytes[first] != 0x30 else { return false }
        }
        return at == end
    }

    private static let colon = UInt8(ascii: ":")
}

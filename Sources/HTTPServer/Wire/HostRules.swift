/// Hosts and ports, as `Host` and a whole URL name them. RFC 3986 §3.2.
enum HostRules {
    /// Whether the bytes are a host, and a port if there is one.
    static func isAuthority(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard start < end else { return false }
        var at = start
        if bytes[at] == UInt8(ascii: "[") {
            while at < end && bytes[at] != UInt8(ascii: "]") { at += 1 }
            guard at < end, isIPv6(bytes, start + 1, at) else { return false }
            at += 1
        } else {
            while at < end && ASCII.isHost(bytes[at]) {
                if bytes[at] == UInt8(ascii: "%") {
                    guard at + 2 < end, ASCII.hexDigit(bytes[at + 1]) != nil,
                        ASCII.hexDigit(bytes[at + 2]) != nil
                    else { return false }
                }
                at += 1
            }
            guard at > start else { return false }
        }
        guard at < end else { return true }
        return bytes[at] == UInt8(ascii: ":") && isPort(bytes, at + 1, end)
    }

    /// Whether the bytes are a port of TCP, or none.
    private static func isPort(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard end - start <= 5 else { return false }
        var port = 0
        for index in start..<end {
            guard ASCII.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65_535
    }

    /// Eight groups of up to four hexadecimal digits, fewer with one `::`; the last two may be an IPv4
    /// address.
    private static func isIPv6(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        let colon = UInt8(ascii: ":")
        var groups = 0
        var isShortened = false
        var at = start
        if end - at >= 2 && bytes[at] == colon && bytes[at + 1] == colon {
            isShortened = true
            at += 2
            if at == end { return true }
        }
        while true {
            let group = at
            while at < end && ASCII.hexDigit(bytes[at]) != nil { at += 1 }
            if at < end && bytes[at] == UInt8(ascii: ".") {
                guard isIPv4(bytes, group, end) else { return false }
                groups += 2
                break
            }
            guard (1...4).contains(at - group) else { return false }
            groups += 1
            if at == end { break }
            guard bytes[at] == colon else { return false }
            at += 1
            if at < end && bytes[at] == colon {
                guard !isShortened else { return false }
                isShortened = true
                at += 1
                if at == end { break }
            }
        }
        return isShortened ? groups <= 7 : groups == 8
    }

    /// Four numbers up to 255, without zeros before them.
    private static func isIPv4(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var at = start
        for part in 0..<4 {
            if part > 0 {
                guard at < end, bytes[at] == UInt8(ascii: ".") else { return false }
                at += 1
            }
            let first = at
            var number = 0
            while at < end && at < first + 3 && ASCII.isDigit(bytes[at]) {
                number = number * 10 + Int(bytes[at] - 0x30)
                at += 1
            }
            guard at > first, number <= 255, at == first + 1 || bytes[first] != UInt8(ascii: "0") else {
                return false
            }
        }
        return at == end
    }
}

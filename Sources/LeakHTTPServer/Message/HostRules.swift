/// Hosts and ports, as `Host` and a whole URL name them. RFC 3986 §3.2.
enum HostRules {
    /// Whether the bytes are a host, and a port if there is one.
    static func isAuthority(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard start < end else { return false }
        var at = start
        if bytes[at] == UInt8(ascii: "[") {
            while at < end && bytes[at] != UInt8(ascii: "]") { at += 1 }
            guard at < end, IPv6Address.isValid(bytes, start + 1, at) else { return false }
            at += 1
        } else {
            while at < end && ASCII.isHost(bytes[at]) {
                if bytes[at] == UInt8(ascii: "%") {
                    guard TargetRules.isEscape(bytes, at, end) else { return false }
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
}

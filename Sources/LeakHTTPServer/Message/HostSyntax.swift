/// Syntax of hosts and ports in `Host` and in an absolute URL. RFC 3986 §3.2.
enum HostSyntax {
    /// Returns `true` if the bytes are a host, with or without a port.
    static func isAuthority(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return false }
        var at = start
        if bytes[at] == UInt8(ascii: "[") {
            while at < end && bytes[at] != UInt8(ascii: "]") { at += 1 }
            guard at < end, IPv6Syntax.isValid(bytes, from: start + 1, to: at) else { return false }
            at += 1
        } else {
            while at < end && ASCII.isHost(bytes[at]) {
                if bytes[at] == UInt8(ascii: "%") {
                    guard TargetParser.isEscape(bytes, at: at, before: end) else { return false }
                }
                at += 1
            }
            guard at > start else { return false }
        }
        guard at < end else { return true }
        return bytes[at] == UInt8(ascii: ":") && isPort(bytes, from: at + 1, to: end)
    }

    /// Returns `true` if the bytes are empty or a TCP port.
    private static func isPort(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard end - start <= 5 else { return false }
        var port = 0
        for index in start..<end {
            guard ASCII.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65_535
    }
}

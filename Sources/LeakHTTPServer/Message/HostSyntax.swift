/// Syntax of hosts and ports in `Host` and in an absolute URL. RFC 3986 §3.2.
enum HostSyntax {
    /// Returns `true` if the bytes are a host, with or without a port.
    static func isAuthority(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return false }
        var position = start
        if bytes[position] == UInt8(ascii: "[") {
            while position < end && bytes[position] != UInt8(ascii: "]") { position += 1 }
            guard position < end, IPv6Syntax.isValid(bytes, from: start + 1, to: position) else {
                return false
            }
            position += 1
        } else {
            while position < end && ASCII.isHost(bytes[position]) {
                if bytes[position] == UInt8(ascii: "%") {
                    guard TargetParser.isEscape(bytes, at: position, before: end) else { return false }
                }
                position += 1
            }
            guard position > start else { return false }
        }
        guard position < end else { return true }
        return bytes[position] == UInt8(ascii: ":") && isPort(bytes, from: position + 1, to: end)
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

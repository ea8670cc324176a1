/// The origin of a page, as a browser names it in `Origin`: scheme, host and port. RFC 6454 §4
///
/// Two spellings of one origin are equal: case does not matter, and the default port may be left out.
struct WebOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: String
    private let port: UInt16

    /// Parses `http://host`, `https://host:port` or `http://[address]:port`; one slash may follow.
    ///
    /// - Returns: `nil` for any other text, such as `null`, which browsers send for pages whose origin is hidden.
    init?(_ text: String) {
        let text = text.lowercased()
        let (scheme, defaultPort): (String, UInt16) =
            text.hasPrefix("https://") ? ("https", 443) : ("http", 80)
        guard text.hasPrefix(scheme + "://") else { return nil }
        var authority = text.dropFirst(scheme.count + 3)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard let (host, port) = Self.splitAuthority(authority) else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port ?? defaultPort)
    }

    /// Splits `host`, `host:port` or `[address]:port`. A colon without a port after it is ignored.
    private static func splitAuthority(_ text: Substring) -> (host: String, port: UInt16?)? {
        let host: Substring
        let portSuffix: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            portSuffix = text[text.index(after: end)...]
            guard
                host.utf8.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            portSuffix = text[host.endIndex...]
            guard
                host.utf8.allSatisfy({
                    isHexDigit($0) || (0x67...0x7A).contains($0) || "-._".utf8.contains($0)
                })
            else { return nil }
        }
        guard !host.isEmpty else { return nil }
        guard portSuffix.utf8.count > 1 else {
            return portSuffix.isEmpty || portSuffix == ":" ? (String(host), nil) : nil
        }
        let digits = portSuffix.dropFirst()
        guard portSuffix.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (String(host), port)
    }

    /// Returns `true` for digits and lower-case letters from `a` to `f`.
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Returns `true` if a request for `host`, with or without a port, is for this origin. The scheme is not
    /// compared, because a proxy may have terminated TLS.
    func isOrigin(ofHost host: String) -> Bool { WebOrigin("\(scheme)://\(host)") == self }
}

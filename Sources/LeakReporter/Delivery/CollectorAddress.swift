/// The destination of reports: the configured address, validated, with the path of the wire format.
struct CollectorAddress: Hashable, Sendable {
    /// The address, such as `https://leaks.example.com/api/v1/reports`. Scheme and host are in lower case, and the default port of
    /// the scheme is removed, so that one collector has one address, however it was written. RFC 3986 §6.2.2.1 and §6.2.3.
    let address: String

    /// The reason why an address is rejected. The description says how to correct it.
    enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case empty
        case invalid(text: String)
        case insecure(host: String)

        /// Returns the address without user name and password, which must not appear in messages.
        private static func masked(_ text: String) -> String {
            text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
        }

        var description: String {
            switch self {
            case .empty:
                "the endpoint is empty: give the collector's address, such as https://leaks.example.com"
            case .invalid(let text):
                "the endpoint \(Self.masked(text).prefix(200).debugDescription) is not the address of a collector: "
                    + "give one such as https://leaks.example.com, without a user, a query or a fragment"
            case .insecure(let host):
                "the key would be sent unencrypted to \(host): use https://, or set allowsInsecure"
            }
        }
    }

    /// Validates an address.
    ///
    /// - Parameters:
    ///   - text: `https://host[:port][/path]`; a path is for collectors behind a proxy.
    ///   - allowsInsecure: `true` allows `http://` to other hosts than this machine.
    init(_ text: String, allowsInsecure: Bool) throws(Problem) {
        guard !text.isEmpty else { throw .empty }
        let forbiddenBytes: Set<UInt8> = Set("?#@\\\"<>^`{|}".utf8)
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || forbiddenBytes.contains($0) }),
            let colon = text.firstIndex(of: ":")
        else { throw .invalid(text: text) }
        let scheme = text[..<colon].lowercased()
        let afterScheme = text[colon...]
        guard scheme == "http" || scheme == "https", afterScheme.hasPrefix("://") else {
            throw .invalid(text: text)
        }
        let authority = afterScheme.dropFirst(3).prefix { $0 != "/" }
        guard let (host, port) = Self.hostAndPort(authority) else { throw .invalid(text: text) }
        guard scheme == "https" || allowsInsecure || Self.isLoopback(host) else {
            throw .insecure(host: host)
        }
        let isStandardPort = port == (scheme == "https" ? 443 : 80)
        let origin = "\(scheme)://\(host)\(isStandardPort ? "" : port.map { ":\($0)" } ?? "")"
        let path = String(afterScheme.dropFirst(3 + authority.count)).trimmingTrailing("/")
        address = origin + path + (path.hasSuffix("/api/v1/reports") ? "" : "/api/v1/reports")
    }

    /// - Returns: the host in lower case and the port, or `nil` if the authority is malformed. RFC 3986 §3.2.
    private static func hostAndPort(_ authority: Substring) -> (host: String, port: Int?)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
            let portPart = authority[authority.index(after: end)...]
            guard portPart.isEmpty || portPart.hasPrefix(":") else { return nil }
            port = portPart.isEmpty ? nil : portPart.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty, host != "[]" else { return nil }
        // The zone of an address is the name of an interface, in which upper and lower case differ.
        let zone = host.firstIndex(of: "%") ?? host.endIndex
        let name = host[..<zone].lowercased() + host[zone...]
        guard let port else { return (name, nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
            (1...65_535).contains(number)
        else { return nil }
        return (name, number)
    }

    /// Returns `true` for this machine itself: `localhost`, 127.0.0.0/8 and `[::1]`, but not for a name that only starts with 127.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension String {
    /// Returns the string without trailing characters equal to `unwanted`.
    fileprivate func trimmingTrailing(_ unwanted: Character) -> String {
        var text = self
        while text.last == unwanted { text.removeLast() }
        return text
    }
}

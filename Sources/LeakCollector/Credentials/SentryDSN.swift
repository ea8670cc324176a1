/// The address and the key that a Sentry SDK sends with: `http(s)://KEY@host[:port]/PROJECT`. The SDK sends to
/// `/api/PROJECT/envelope/`, with the key in a header field. https://develop.sentry.dev/sdk/overview/#parsing-the-dsn
struct SentryDSN: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// Creates the DSN of an ingest key.
    ///
    /// - Parameters:
    ///   - address: the address of this collector, without a slash at the end.
    ///   - key: an ingest key, as its sender presents it.
    ///   - project: any number, because SDKs require one. Counts do not depend on it.
    /// - Returns: `nil` for an address without a scheme, for an empty key, and for a key with characters other than those that
    ///   RFC 3986 §2.3 calls unreserved, because SDKs read them in different ways. Only a key that an operator chose can have
    ///   such characters.
    init?(address: String, key: String, project: Int64) {
        guard !key.isEmpty, key.utf8.allSatisfy(Self.isUnreserved),
            let scheme = address.firstRange(of: "://")
        else { return nil }
        description = "\(address[..<scheme.upperBound])\(key)@\(address[scheme.upperBound...])/\(project)"
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// Returns the key in a DSN that was sent, without the secret that follows it in old DSNs.
    ///
    /// - Returns: `nil` if the DSN has no key.
    static func key(of dsn: String) -> String? {
        guard let scheme = dsn.firstRange(of: "://") else { return nil }
        let authority = dsn[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard let atSign = authority.lastIndex(of: "@") else { return nil }
        let key = authority[..<atSign].prefix { $0 != ":" }
        return key.isEmpty ? nil : String(key)
    }
}

/// Where a Sentry SDK sends and who it is: `http(s)://KEY@host[:port]/PROJECT`, which the SDK makes into
/// `/api/PROJECT/envelope/` and a field with the key. https://develop.sentry.dev/sdk/overview/#parsing-the-dsn
struct SentryDSN: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// - Parameters:
    ///   - address: of this collector, without a slash at the end.
    ///   - key: an ingest key, as its sender presents it.
    ///   - project: stands there because SDKs want a number; what is counted does not depend on it.
    /// - Returns: `nil` for a key that an operator chose with characters that SDKs read in different ways: all but those that
    ///   RFC 3986 §2.3 calls unreserved.
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

    /// The key in a DSN that was sent, without the secret that old ones have behind it.
    ///
    /// - Returns: `nil` where it has none.
    static func key(of dsn: String) -> String? {
        guard let scheme = dsn.firstRange(of: "://") else { return nil }
        let rest = dsn[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard let at = rest.lastIndex(of: "@") else { return nil }
        let key = rest[..<at].prefix { $0 != ":" }
        return key.isEmpty ? nil : String(key)
    }
}

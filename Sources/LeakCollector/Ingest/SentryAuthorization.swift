internal import LeakHTTPServer

/// The credential of a request from a Sentry SDK: the public key of its DSN, which is an ingest key here.
/// https://develop.sentry.dev/sdk/foundations/transport/authentication/
enum SentryAuthorization {
    /// Returns the key of a request.
    ///
    /// - Throws: ``Problem`` 403 if the request has no key, or two different keys.
    static func key(of request: borrowing Request) throws(Problem) -> String {
        try key(
            fields: [request.field("x-sentry-auth"), request.field("authorization")],
            parameter: request.query("sentry_key"))
    }

    /// Returns the key of a request, which may give it in several header fields and in the address.
    ///
    /// - Parameters:
    ///   - fields: values of `X-Sentry-Auth` and `Authorization`; a value of another scheme is ignored.
    ///   - parameter: the value of `sentry_key` in the address.
    static func key(fields: [String?], parameter: String?) throws(Problem) -> String {
        let presentedKeys = fields.flatMap { $0.map(keys(in:)) ?? [] } + [parameter].compactMap(\.self)
        let distinctKeys = Set(presentedKeys.filter { !$0.isEmpty })
        guard let key = distinctKeys.first else {
            throw Problem(
                .forbidden,
                "sending needs the public key of the DSN: X-Sentry-Auth: Sentry sentry_key=KEY, or ?sentry_key=KEY; "
                    + "a dsn in the body, as a tunnel sends it, is not enough",
                kind: .invalidSentryKey)
        }
        guard distinctKeys.count == 1 else {
            throw Problem(
                .forbidden,
                "the request gives two different values of sentry_key; send the public key of one DSN",
                kind: .invalidSentryKey)
        }
        return key
    }

    /// Returns the values of `sentry_key` in a text such as `Sentry sentry_version=7, sentry_key=…`.
    private static func keys(in value: String) -> [String] {
        let scheme = "sentry"
        guard value.utf8.count > scheme.utf8.count,
            value.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }),
            let space = value.utf8.dropFirst(scheme.utf8.count).first, isBlank(space)
        else { return [] }
        return value.dropFirst(scheme.utf8.count).split(separator: ",").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, trimmed(parts[0]).lowercased() == "sentry_key" else { return nil }
            return String(trimmed(parts[1]))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.utf8.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

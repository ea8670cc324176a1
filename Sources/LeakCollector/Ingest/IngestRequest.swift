internal import LeakGrammar
internal import LeakMessage

/// Content of an ingest request, independent of its connection.
struct IngestRequest {
    /// The decoded body.
    var body: [UInt8]
    var format: WireFormat
    /// The app from the address, for a body that names none.
    var app: String?
    /// The version from the address, for a body that names none.
    var version: String?
    /// The app's module from the address, for a body that does not name it.
    var module: String? = nil
    /// The environment from the address, for a body that does not name it.
    var environment: String? = nil
    /// True for senders that do not know the app's module: if neither body nor address names it, classes keep the module that
    /// is in their name.
    var keepsModules = false
    /// True for a batch that the collector made from a request of a Sentry SDK. Its reasons for dropped reports may begin
    /// with `sentry_`, which other batches may not use: ``SubmissionBuilder/sentryReasonPrefix``.
    var isTranslated = false
    /// The key by which a repeated request counts once; `nil` if the request has none.
    var idempotencyKey: String?
    /// Milliseconds since 1970.
    var receivedAt: Int64

    /// A hash, 8 bytes long, of all content that decides what is counted: the body, and the parameters of the address.
    var contentHash: [UInt8] {
        var names = [app, version]
        if module != nil || environment != nil { names.append(module) }
        if environment != nil { names.append(environment) }
        let hash = ByteHash(seed: 0).hash(
            names.contains { $0 != nil } ? body + names.flatMap { [0] + Array(($0 ?? "").utf8) } : body)
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
    }
}

/// Hashing of the ids of installs. The store distinguishes installs by the hash.
enum Install {
    /// Returns the first 64 bits of SHA-256 of an install's id. Even among ten million installs, the chance that any two have
    /// the same hash is 1 in 370,000.
    static func hash(_ install: String) -> UInt64 {
        SHA256Hash.hash(Array(install.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

internal import LeakGrammar
internal import LeakMessage

/// What an ingest request says, free of the connection it came on.
struct Letter {
    /// Decoded.
    var body: [UInt8]
    var format: WireFormat
    /// From the address; they name the app where the body does not.
    var app: String?
    var version: String?
    /// The app's module, where the body does not name it.
    var module: String? = nil
    /// Classes keep their module in their name where neither body nor address names the app's.
    var keepsModules = false
    /// True for a batch that the collector made of a request of a Sentry SDK: it names reasons of the collector's own.
    var isTranslated = false
    var idempotencyKey: String?
    /// Milliseconds since 1970.
    var receivedAt: Int64

    /// All that decides what is counted: the body, and what the address adds to it.
    var content: [UInt8] {
        let names = module == nil ? [app, version] : [app, version, module]
        guard names.contains(where: { $0 != nil }) else { return body }
        return body + names.flatMap { [0] + Array(($0 ?? "").utf8) }
    }
}

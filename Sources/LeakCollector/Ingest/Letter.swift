internal import LeakMessage

/// What an ingest request says, free of the connection it came on.
struct Letter {
    /// Decoded.
    var body: [UInt8]
    var format: WireFormat
    /// From the address; they name the app where the body does not.
    var app: String?
    var version: String?
    var idempotencyKey: String?
    /// Milliseconds since 1970.
    var receivedAt: Int64

    /// All that decides what is counted: the body, and what the address adds to it.
    var content: [UInt8] {
        [app, version].compactMap(\.self).isEmpty
            ? body : body + [0] + Array((app ?? "").utf8) + [0] + Array((version ?? "").utf8)
    }
}

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
}

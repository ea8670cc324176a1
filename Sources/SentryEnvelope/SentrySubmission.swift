internal import LeakMessage

/// What one request of a Sentry SDK says, in the wire format of version 1.
///
/// Only the events that can be leaks become reports, and what the SDK itself threw away becomes `dropped`; sessions,
/// transactions, attachments and items of kinds that nobody here knows are passed over.
public struct SentrySubmission: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits: of the envelope's header or its event; `nil` when neither has them.
    public let eventID: String?
    /// The JSON of one batch, at most a few times as long as the request; `nil` when there is nothing to count.
    ///
    /// Made of the items alone: an envelope that is sent again with another `sent_at` has the same batch.
    public let batch: [UInt8]?
    /// `dsn` of the envelope's header.
    public let dsn: String?

    /// Reads an envelope. https://develop.sentry.dev/sdk/foundations/transport/envelopes/
    ///
    /// - Parameter envelope: decompressed; at most 200 MiB and 1,000 items.
    /// - Throws: ``SentryError`` when the lines of the envelope cannot be told apart, or an event is no JSON.
    public init(envelope: [UInt8]) throws(SentryError) {
        var items = try EnvelopeItems(envelope)
        var batch = BatchTranslation()
        while let item = try items.next() {
            switch item.type {
            case "event":
                batch.add(try SentryEvent.read(envelope, in: item.payload))
            case "client_report":
                batch.add(try ClientReport.read(envelope, in: item.payload))
            default: break
            }
        }
        eventID = items.header.eventID ?? batch.eventID
        dsn = items.header.dsn
        self.batch = batch.json()
    }

    /// Reads the one event of the deprecated `/store/`.
    ///
    /// - Throws: ``SentryError`` when it is no JSON object in UTF-8.
    public init(event: [UInt8]) throws(SentryError) {
        var batch = BatchTranslation()
        batch.add(try SentryEvent.read(event, in: 0..<event.count))
        eventID = batch.eventID
        dsn = nil
        self.batch = batch.json()
    }
}

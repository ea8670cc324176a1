internal import LeakMessage

/// The content of one request of a Sentry SDK, in the wire format of version 1.
///
/// Events that can be leaks become reports. Other errors, such as crashes, and events that the SDK itself dropped are counted
/// in `dropped`. Sessions, transactions, attachments and items of unknown kinds are skipped.
public struct SentrySubmission: Hashable, Sendable {
    /// The id for the response: 32 lower-case hexadecimal digits, from the envelope's header, or else from the first event that
    /// has an id; `nil` without any id.
    ///
    /// It does not identify the request, because the header may name an event of another envelope.
    public let eventID: String?
    /// The ids of the events in the request, each once, by which a repeated request is recognized. An event without an id
    /// counts with the id of the header. Empty if there is no event, or if an event has no id at all.
    public let idempotencyIDs: [String]
    /// The JSON of one batch, at most a few times as long as the request; `nil` when there is nothing to count.
    ///
    /// Only the items of the envelope determine the batch. An envelope that is sent again with another `sent_at` therefore has
    /// the same batch.
    public let batch: [UInt8]?
    /// The number of reports in the batch.
    public let reportCount: Int
    /// `true` if the batch names its app and device, which come from the first error event. A client report does not name them.
    public let hasOrigin: Bool
    /// `dsn` of the envelope's header.
    public let dsn: String?

    /// Reads an envelope. https://develop.sentry.dev/sdk/foundations/transport/envelopes/
    ///
    /// An event that cannot be read, or is larger than 1 MiB, counts as dropped; a client report that cannot be read is
    /// skipped.
    ///
    /// - Parameter envelope: decompressed; at most 200 MiB and 1,000 items.
    /// - Throws: ``SentryError`` when the items cannot be separated, when the envelope exceeds one of these limits, or when it
    ///   has events or client reports and none of them can be read.
    public init(envelope: [UInt8]) throws(SentryError) {
        var items = try EnvelopeReader(envelope)
        var batch = BatchBuilder()
        var isAnyRead = false
        var failure: SentryJSONError?
        while let item = try items.next() {
            do throws(SentryJSONError) {
                switch item.type {
                case "event":
                    if item.payload.count > SentryEvent.byteLimit {
                        batch.addTooLarge()
                    } else {
                        batch.add(try SentryEvent.read(envelope, in: item.payload))
                    }
                    isAnyRead = true
                case "client_report":
                    batch.add(try ClientReport.read(envelope, in: item.payload))
                    isAnyRead = true
                default: break
                }
            } catch {
                failure = failure ?? error
                if item.type == "event" { batch.addUnreadable() }
            }
        }
        if let failure, !isAnyRead { throw SentryError(failure, in: envelope) }
        self.init(batch, header: items.header)
    }

    /// Reads the event of a request to the deprecated address `/store/`.
    ///
    /// - Throws: ``SentryError`` when the event is not a JSON object in UTF-8, or is larger than 1 MiB.
    public init(event: [UInt8]) throws(SentryError) {
        guard event.count <= SentryEvent.byteLimit else {
            throw SentryError(
                "the event has \(event.count) bytes, the limit is \(SentryEvent.byteLimit); send less data with it",
                at: 0, in: event, isTooLarge: true)
        }
        var batch = BatchBuilder()
        do throws(SentryJSONError) {
            batch.add(try SentryEvent.read(event, in: 0..<event.count))
        } catch {
            throw SentryError(error, in: event)
        }
        self.init(batch, header: EnvelopeReader.Header())
    }

    private init(_ batch: BatchBuilder, header: EnvelopeReader.Header) {
        eventID = header.eventID ?? batch.firstEventID
        idempotencyIDs = batch.idempotencyIDs(header: header.eventID)
        dsn = header.dsn
        reportCount = batch.reports.count
        hasOrigin = batch.origin != nil
        self.batch = batch.json()
    }
}

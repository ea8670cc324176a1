internal import LeakMessage

/// A builder that collects the items of one request into a batch.
struct BatchBuilder {
    private(set) var reports: [LeakReport] = []
    /// The origin of the first event.
    private(set) var origin: EventOrigin?
    private var dropped: [DroppedReports] = []
    /// The id of each event; `nil` for an event that gives no id, is too large or could not be read.
    private var eventIDs: [String?] = []

    /// The reason under which an event counts as dropped if it is not a leak, but for example a crash, a hang or an uncaught
    /// error.
    private static let notALeakReason = "sentry_not_a_leak"
    /// The reason under which an event counts as dropped if nothing in it distinguishes one leak from another.
    private static let emptyReason = "sentry_empty"
    /// The reason under which an event counts as dropped if it has more than ``SentryEvent/byteLimit`` bytes.
    private static let tooLargeReason = "sentry_too_large"
    /// The reason under which an event counts as dropped if it is not a JSON object in UTF-8.
    private static let unreadableReason = "sentry_unreadable"
    /// The reasons that the builder sets itself. A client report with such a reason counts as ``ClientReport/otherReason``.
    static let ownReasons: Set<String> = [notALeakReason, emptyReason, tooLargeReason, unreadableReason]

    var firstEventID: String? { eventIDs.lazy.compactMap(\.self).first }

    /// Returns the ids of the events, each once, in their order; empty if any event has no id.
    ///
    /// - Parameter header: the id for an event that gives none.
    func idempotencyIDs(header: String?) -> [String] {
        var ids: [String] = []
        var known: Set<String> = []
        for id in eventIDs {
            guard let id = id ?? header else { return [] }
            if known.insert(id).inserted { ids.append(id) }
        }
        return ids
    }

    /// Adds an event as a report, or counts it as dropped. Skips events that are not errors, such as transactions.
    mutating func add(_ event: SentryEvent) {
        eventIDs.append(event.id)
        guard event.isError else { return }
        let origin = EventOrigin(event)
        if self.origin == nil { self.origin = origin }
        guard event.mayBeLeak else { return drop(Self.notALeakReason, 1) }
        guard var report = ReportBuilder(event).report else { return drop(Self.emptyReason, 1) }
        if origin != self.origin {
            (report.app, report.device, report.install) = (origin.app, origin.device, origin.install)
        }
        reports.append(report)
    }

    /// Adds the counts of events that the SDK dropped.
    mutating func add(_ report: ClientReport) {
        for part in report.dropped { drop(part.reason, part.count) }
    }

    /// Adds an event that is too large to be read.
    mutating func addTooLarge() {
        eventIDs.append(nil)
        drop(Self.tooLargeReason, 1)
    }

    /// Adds an event that is not a JSON object in UTF-8.
    mutating func addUnreadable() {
        eventIDs.append(nil)
        drop(Self.unreadableReason, 1)
    }

    /// Adds dropped events to the count of their reason. Reasons beyond the limit of the wire format count as
    /// ``ClientReport/otherReason``.
    private mutating func drop(_ reason: String, _ count: Int) {
        let isNew = !dropped.contains { $0.reason == reason }
        let isFull = dropped.count >= WireLimits.droppedCount - 1
        let reason = isNew && isFull ? ClientReport.otherReason : reason
        let most = WireLimits.droppedReports
        if let index = dropped.firstIndex(where: { $0.reason == reason }) {
            dropped[index].count = min(dropped[index].count + min(count, most), most)
        } else {
            dropped.append(DroppedReports(reason: reason, count: min(count, most)))
        }
    }

    /// Returns the batch as JSON; `nil` if it has neither reports nor dropped events.
    func json() -> [UInt8]? {
        guard !reports.isEmpty || !dropped.isEmpty else { return nil }
        var batch = LeakBatch()
        if let origin {
            (batch.app, batch.device, batch.install) = (origin.app, origin.device, origin.install)
        }
        batch.dropped = dropped
        batch.reports = reports
        return batch.json()
    }
}

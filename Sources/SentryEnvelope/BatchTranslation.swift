internal import LeakMessage

/// Gathers what the items of one request say.
struct BatchTranslation {
    /// Of the first event that has one.
    private(set) var eventID: String?
    private var reports: [LeakReport] = []
    private var origin: EventOrigin?
    private var dropped: [DroppedReports] = []

    /// A crash, a hang or an error that nobody caught is an event too.
    private static let notALeak = "sentry_not_a_leak"
    /// An event without anything that would tell one leak from another.
    private static let empty = "sentry_empty"

    mutating func add(_ event: SentryEvent) {
        eventID = eventID ?? event.id
        guard event.isError else { return }
        let origin = EventOrigin(event)
        if self.origin == nil { self.origin = origin }
        guard event.mayBeLeak else { return drop(Self.notALeak, 1) }
        guard var report = EventTranslation(event).report else { return drop(Self.empty, 1) }
        if origin != self.origin {
            (report.app, report.device, report.install) = (origin.app, origin.device, origin.install)
        }
        reports.append(report)
    }

    mutating func add(_ report: ClientReport) {
        for part in report.dropped { drop(part.reason, part.count) }
    }

    /// Adds to what has the same reason. What the wire format has no place for goes under one name.
    private mutating func drop(_ reason: String, _ count: Int) {
        let isNew = !dropped.contains { $0.reason == reason }
        let isFull = dropped.count >= WireLimits.droppedCount - 1
        let reason = isNew && isFull ? ClientReport.otherReason : reason
        if let index = dropped.firstIndex(where: { $0.reason == reason }) {
            dropped[index].count = min(dropped[index].count, WireLimits.droppedReports)
            dropped[index].count += min(count, WireLimits.droppedReports)
        } else {
            dropped.append(DroppedReports(reason: reason, count: count))
        }
    }

    /// The batch; `nil` when there is nothing to count.
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

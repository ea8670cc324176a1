/// Batches that the server failed on or declined, and when each of them is tried again.
///
/// If one batch alone has failed since the server took another, the batch is taken for the reason: it has a back-off of its own, and
/// the others go on. If several have failed, the server is taken for the reason, and one back-off holds for all.
struct BatchRetries {
    enum Cause: Hashable {
        case batch
        /// `triesOthers` is false if so many have failed that others would fail too.
        case server(triesOthers: Bool)
    }

    private struct Entry {
        var failures = 0
        var retryAt = Moment.distantPast
        /// Whether it was tried again because the server took another batch.
        var wasReleased = false
    }

    private var entries: [String: Entry] = [:]
    /// The batches that have failed since the server took one.
    private var failing: Set<String> = []

    /// Each batch that was sent may be retried for six days and no longer, so that only some are tried while a server is down.
    static let failingLimit = 8

    var isEmpty: Bool { entries.isEmpty }

    func retryAt(_ key: String) -> Moment { entries[key]?.retryAt ?? .distantPast }

    /// - Parameter wait: gives milliseconds to wait after so many failures.
    mutating func fail(_ key: String, at now: Moment, wait: (_ failures: Int) -> Int) -> Cause {
        if failing.count < Self.failingLimit { failing.insert(key) }
        guard failing == [key] else { return .server(triesOthers: failing.contains(key)) }
        entries[key, default: Entry()].failures += 1
        let failures = entries[key]?.failures ?? 1
        entries[key]?.retryAt = now.advanced(byMilliseconds: wait(failures))
        return .batch
    }

    /// The server took a batch. Those that failed before are tried again once: the server may have been down.
    mutating func succeed() {
        for key in failing where entries[key]?.wasReleased == false {
            entries[key] = Entry(wasReleased: true)
        }
        failing = []
    }

    mutating func remove(_ key: String) { entries[key] = nil }

    /// Has all of them tried again now.
    mutating func hurry() {
        for key in entries.keys { entries[key]?.retryAt = .distantPast }
    }
}

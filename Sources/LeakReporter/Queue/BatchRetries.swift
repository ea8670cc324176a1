/// Batches that the server failed on or declined, and when each of them is tried again.
///
/// If one batch alone has failed since the server took another, the batch is assumed to be the cause: it has a back-off of its own,
/// and the others go on. If several have failed, the server is assumed to be the cause, and one back-off holds for all.
///
/// While many fail, batches that were not tried yet wait for an hour each. A batch expires six days after its first attempt, so only
/// some are tried while a server is down. None waits for good: the batches that fail may be the cause themselves.
struct BatchRetries {
    enum Cause: Hashable {
        case batch, server
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
    /// When the last of them was added.
    private var addedAt = Moment.distantPast

    /// Batches that may fail before others wait.
    static let failingLimit = 9
    /// 144 in the six days.
    static let untriedMilliseconds = 3_600_000

    /// True if no batch waits for a time of its own.
    var isEmpty: Bool { entries.isEmpty && !holdsBack }

    private var holdsBack: Bool { failing.count >= Self.failingLimit }

    /// - Parameter wasSent: whether the batch was sent before, by another run too.
    func retryAt(_ key: String, wasSent: Bool) -> Moment {
        let own = entries[key]?.retryAt ?? .distantPast
        guard holdsBack, !wasSent, !failing.contains(key) else { return own }
        return max(own, addedAt.advanced(byMilliseconds: Self.untriedMilliseconds))
    }

    /// Takes over batches that another run sent and got no answer for.
    ///
    /// - Parameter lastSentAt: when the last of them was sent first.
    mutating func adopt(_ keys: some Sequence<String>, lastSentAt: Moment) {
        failing.formUnion(keys)
        addedAt = max(addedAt, lastSentAt)
    }

    /// - Parameter wait: gives milliseconds to wait after so many failures.
    mutating func fail(_ key: String, at now: Moment, wait: (_ failures: Int) -> Int) -> Cause {
        if failing.insert(key).inserted { addedAt = now }
        guard failing == [key] else { return .server }
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

    mutating func remove(_ key: String) {
        entries[key] = nil
        failing.remove(key)
    }

    /// Has all of them tried again now.
    mutating func retryAllNow() {
        for key in entries.keys { entries[key]?.retryAt = .distantPast }
    }
}

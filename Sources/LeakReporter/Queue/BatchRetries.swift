/// Batches on which the server failed or which it did not count, and the times of their next attempts.
///
/// If only one batch has failed since the last ``recordSuccess()``, that batch is assumed to be the cause: it has a back-off of
/// its own, and the other batches are still sent. If several batches have failed, the server is assumed to be the cause, and
/// all batches wait for one back-off.
///
/// While ``failingLimit`` or more batches fail, batches that were never sent wait: a batch expires six days after its first
/// attempt, so a batch that is not tried while the server is down does not begin to expire. An hour after the last batch began
/// to fail, the waiting batches are tried all the same, because the failing batches may be the cause themselves.
struct BatchRetries {
    enum Cause: Hashable {
        case batch, server
    }

    private struct Entry {
        var failureCount = 0
        var retryAt = MonotonicTime.distantPast
        /// `true` if the back-off of the batch was ended early once, because the server had answered another batch.
        var wasReleased = false
    }

    private var entries: [String: Entry] = [:]
    /// The batches that have failed since the last ``recordSuccess()``.
    private var failingKeys: Set<String> = []
    /// The time when the last batch was added to ``failingKeys``.
    private var newestFailureAt = MonotonicTime.distantPast

    /// If at least this number of batches fail, batches that were never sent wait.
    static let failingLimit = 9
    /// One hour, in milliseconds: the time that batches that were never sent wait after the last batch began to fail. So if
    /// each of them fails too, at most 144 are tried within the six days after which a batch expires.
    static let untriedMilliseconds = 3_600_000

    /// `true` if no batch has a retry time of its own, and none has to wait for failing batches.
    var isEmpty: Bool { entries.isEmpty && !delaysUntriedBatches }

    private var delaysUntriedBatches: Bool { failingKeys.count >= Self.failingLimit }

    /// Returns the earliest time of the next attempt to send a batch.
    ///
    /// - Parameter wasSent: `true` if the batch was sent before, by this or another run.
    func retryTime(of key: String, wasSent: Bool) -> MonotonicTime {
        let ownRetryTime = entries[key]?.retryAt ?? .distantPast
        guard delaysUntriedBatches, !wasSent, !failingKeys.contains(key) else { return ownRetryTime }
        return max(ownRetryTime, newestFailureAt.advanced(byMilliseconds: Self.untriedMilliseconds))
    }

    /// Adds batches that another run sent without getting a response.
    ///
    /// - Parameter newestFirstSentAt: the time of the first attempt to send the newest of these batches.
    mutating func adopt(_ keys: some Sequence<String>, newestFirstSentAt: MonotonicTime) {
        failingKeys.formUnion(keys)
        newestFailureAt = max(newestFailureAt, newestFirstSentAt)
    }

    /// Records that the server failed on a batch or did not count it.
    ///
    /// - Parameter wait: returns the milliseconds to wait after the given number of failures.
    /// - Returns: the presumed cause.
    mutating func recordFailure(of key: String, at now: MonotonicTime, wait: (_ failures: Int) -> Int)
        -> Cause
    {
        if failingKeys.insert(key).inserted { newestFailureAt = now }
        guard failingKeys == [key] else { return .server }
        entries[key, default: Entry()].failureCount += 1
        let failures = entries[key]?.failureCount ?? 1
        entries[key]?.retryAt = now.advanced(byMilliseconds: wait(failures))
        return .batch
    }

    /// Records that the server works: it accepted a batch, or gave a definite reason to reject it. Ends the back-off of each
    /// batch that failed before, but only the first time, because the server may have been down.
    mutating func recordSuccess() {
        for key in failingKeys where entries[key]?.wasReleased == false {
            entries[key] = Entry(wasReleased: true)
        }
        failingKeys = []
    }

    mutating func remove(_ key: String) {
        entries[key] = nil
        failingKeys.remove(key)
    }

    /// Makes all batches due now.
    mutating func retryAllNow() {
        for key in entries.keys { entries[key]?.retryAt = .distantPast }
    }
}

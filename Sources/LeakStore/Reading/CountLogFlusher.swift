internal import LeakPlatform

/// Flushes ``CountLog`` for readers: the writer moves the counts to their tables before a reader reads them.
final class CountLogFlusher: Sendable {
    private let writer: Guarded<Writer>
    private let pendingCalls: PendingCalls
    private let readTime: LastReadTime
    /// The number of readers that wait for a flush.
    private let waitingReaders = PendingCalls()
    /// The time (``SystemTime/monotonic``) and the error of the last flush, if it failed and nothing has been written since.
    /// Readers do not try again for ``pauseMilliseconds``, because each attempt may wait for another process, or write
    /// thousands of rows, while commits wait.
    private let lastFailure = Guarded<(at: Int64, error: StoreError)?>(nil)
    /// Time after a failed flush during which readers do not try again.
    private static let pauseMilliseconds: Int64 = 5_000

    init(writer: Guarded<Writer>, pendingCalls: PendingCalls, readTime: LastReadTime) {
        self.writer = writer
        self.pendingCalls = pendingCalls
        self.readTime = readTime
    }

    /// Records the time of a read. Called before each read.
    func recordRead() { readTime.record() }

    /// Flushes the log, and calls `body` before any other submission is counted.
    ///
    /// - Parameter body: begins a snapshot; not called if the flush fails.
    func flush(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let recentError = lastFailure.with { failure in
            failure.flatMap { SystemTime.monotonic - $0.at < Self.pauseMilliseconds ? $0.error : nil }
        }
        if let recentError { throw recentError }
        for calls in [pendingCalls, waitingReaders] { calls.enter() }
        defer { for calls in [pendingCalls, waitingReaders] { calls.leave() } }
        try writer.with { writer throws(StoreError) in
            do throws(StoreError) {
                try writer.requireSoundFile()
                try writer.withReservedSpace { () throws(StoreError) in try writer.flushCounts() }
            } catch {
                lastFailure.with { $0 = (SystemTime.monotonic, error) }
                throw error
            }
            recordWrite()
            try body()
        }
    }

    /// Lets the next reader try a flush again.
    func recordWrite() { lastFailure.with { $0 = nil } }

    /// Waits a short time until no reader waits for a flush: ``PendingCalls/yield()``. Without this call, a thread that counts
    /// without a pause would lock the writer again before a waiting reader wakes up.
    func yield() { waitingReaders.yield() }
}

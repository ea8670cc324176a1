internal import LeakPlatform

/// Flushes ``CountLog`` before readers read: the writer moves the counts to their tables.
final class CountLogFlusher: Sendable {
    private let writer: Guarded<Writer>
    private let pendingCalls: PendingCalls
    private let readTime: LastReadTime
    /// Readers that wait for a flush.
    private let waiting = PendingCalls()
    /// The last flush that failed; `nil` once anything has been written since. Readers do not try again for ``pauseMilliseconds``: each
    /// try may wait for another process, or write thousands of rows, and keeps commits waiting meanwhile.
    private let failure = Guarded<(at: Int64, error: StoreError)?>(nil)
    private static let pauseMilliseconds: Int64 = 5_000

    init(writer: Guarded<Writer>, pendingCalls: PendingCalls, readTime: LastReadTime) {
        self.writer = writer
        self.pendingCalls = pendingCalls
        self.readTime = readTime
    }

    /// Records the time of a read. Called before each read.
    func recordRead() { readTime.record() }

    /// Flushes the log, and calls `body` before anything else is counted.
    ///
    /// - Parameter body: begins a snapshot; not called if the flush fails.
    func flush(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let recent = failure.with { failure in
            failure.flatMap { SystemTime.monotonic - $0.at < Self.pauseMilliseconds ? $0.error : nil }
        }
        if let recent { throw recent }
        for calls in [pendingCalls, waiting] { calls.enter() }
        defer { for calls in [pendingCalls, waiting] { calls.leave() } }
        try writer.with { writer throws(StoreError) in
            do throws(StoreError) {
                try writer.checkFile()
                try writer.withReservedSpace { () throws(StoreError) in try writer.flushCounts() }
            } catch {
                failure.with { $0 = (SystemTime.monotonic, error) }
                throw error
            }
            recordWrite()
            try body()
        }
    }

    /// Lets the next reader try a flush again.
    func recordWrite() { failure.with { $0 = nil } }

    /// Lets waiting readers use the writer first: a thread that counts without a pause would take it again before they wake up.
    func yield() { waiting.yield() }
}

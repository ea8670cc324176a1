internal import LeakPlatform

/// Has the writer write the counts in ``CountLog`` to their tables for readers.
final class CountFolder: Sendable {
    private let writer: Guarded<Writer>
    private let callers: Callers
    private let readTime: ReadTime
    /// Readers that wait for a fold.
    private let waiting = Callers()
    /// The last fold that failed; `nil` once anything has been written since. Readers do not try again for ``pauseMilliseconds``: each
    /// try may wait for another process, or write thousands of rows, and keeps commits waiting meanwhile.
    private let failure = Guarded<(at: Int64, error: StoreError)?>(nil)
    private static let pauseMilliseconds: Int64 = 5_000

    init(writer: Guarded<Writer>, callers: Callers, readTime: ReadTime) {
        self.writer = writer
        self.callers = callers
        self.readTime = readTime
    }

    /// Called before each read.
    func noteRead() { readTime.note() }

    /// Folds the log, and calls `body` before anything else is counted.
    ///
    /// - Parameter body: begins a snapshot; not called if the fold fails.
    func fold(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let recent = failure.with { failure in
            failure.flatMap { SystemTime.monotonic - $0.at < Self.pauseMilliseconds ? $0.error : nil }
        }
        if let recent { throw recent }
        for calls in [callers, waiting] { calls.enter() }
        defer { for calls in [callers, waiting] { calls.leave() } }
        try writer.with { writer throws(StoreError) in
            do throws(StoreError) {
                try writer.checkFile()
                try writer.withSpareRoom { () throws(StoreError) in try writer.foldCounts() }
            } catch {
                failure.with { $0 = (SystemTime.monotonic, error) }
                throw error
            }
            noteWrite()
            try body()
        }
    }

    /// Has the next reader try a fold again.
    func noteWrite() { failure.with { $0 = nil } }

    /// Lets waiting readers have the writer first: a thread that counts without a pause would take it again before they wake up.
    func letIn() { waiting.letIn() }
}

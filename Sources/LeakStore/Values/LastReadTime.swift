internal import LeakPlatform

/// The time at which counts were last read. Soon after a read, commits write counts directly to their tables, so that the next
/// reader does not wait for a flush.
final class LastReadTime: Sendable {
    /// ``SystemTime/monotonic`` at the last read; `nil` before the first read.
    private let last = Guarded<Int64?>(nil)

    func record() { last.with { $0 = SystemTime.monotonic } }

    func isRecent(within milliseconds: Int64) -> Bool {
        last.with { last in last.map { SystemTime.monotonic - $0 < milliseconds } ?? false }
    }
}

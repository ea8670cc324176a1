internal import LeakPlatform

/// The number of calls that wait for a writer or use it. Long tasks wait between two steps until there are no such calls: a
/// lock alone would not let waiting calls run first.
package final class PendingCalls: Sendable {
    /// Maximum time that a long task waits between two steps.
    private static let stepWait = Duration.milliseconds(100)

    private let count = Guarded(0)

    package init() {}

    package func enter() { count.with { $0 += 1 } }

    package func leave() {
        count.with { $0 -= 1 }
        count.wakeAll()
    }

    /// Waits until there are no calls, at most for ``stepWait``. Called between two steps of a long task, while the task does
    /// not use the writer.
    package func yield() {
        _ = count.wait(timeout: Self.stepWait) { $0 == 0 ? true : nil }
    }
}

internal import LeakPlatform

/// How many calls want a writer or have it. A lock alone does not let them in between two steps of a long task.
package final class PendingCalls: Sendable {
    /// A step of a long task waits no longer than this for a moment without calls.
    private static let stepWait = Duration.milliseconds(100)

    private let count = Guarded(0)

    package init() {}

    package func enter() { count.with { $0 += 1 } }

    package func leave() {
        count.with { $0 -= 1 }
        count.wakeAll()
    }

    /// Between two steps of a long task, which does not have the writer then.
    package func yield() {
        _ = count.wait(timeout: Self.stepWait) { $0 == 0 ? true : nil }
    }
}

import Dispatch
import Foundation

/// Stand-in for the system, which gives a process in the background some time, or none, and takes it back.
public final class ExpiringActivities: @unchecked Sendable {
    // Unchecked: everything is touched inside `lock` alone.
    private let lock = NSLock()
    private var running: [Int: @Sendable (Bool) -> Void] = [:]
    private var begun = 0
    private var refuses = false

    public static let ofThisProcess = ExpiringActivities()

    /// How many have begun so far, those that were refused included.
    public var count: Int { lock.withLock { begun } }
    /// How many have not returned.
    public var runningCount: Int { lock.withLock { running.count } }

    /// - Parameter body: while it runs, no activity is given time.
    public func refusing(_ body: () -> Void) {
        lock.withLock { refuses = true }
        body()
        lock.withLock { refuses = false }
    }

    /// Tells all that run that their time is up.
    public func expire() {
        for block in lock.withLock({ Array(running.values) }) { block(true) }
    }

    fileprivate func begin(_ block: @escaping @Sendable (Bool) -> Void) {
        let (number, isRefused) = lock.withLock {
            begun += 1
            if !refuses { running[begun] = block }
            return (begun, refuses)
        }
        Thread.detachNewThread { [self] in
            block(isRefused)
            lock.withLock { running[number] = nil }
        }
    }
}

extension ProcessInfo {
    /// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (_ isExpired: Bool) -> Void
    ) {
        ExpiringActivities.ofThisProcess.begin(block)
    }
}

import Dispatch
import Foundation

/// Stand-in for the system, which gives a process time in the background or refuses it, and ends that time.
public final class ExpiringActivities: @unchecked Sendable {
    // `Sendable` is unchecked: all state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var running: [Int: @Sendable (Bool) -> Void] = [:]
    private var begunCount = 0
    private var refuses = false

    public static let ofThisProcess = ExpiringActivities()

    /// The number of activities that have begun so far, including refused activities.
    public var count: Int { lock.withLock { begunCount } }
    /// The number of activities that have not returned.
    public var runningCount: Int { lock.withLock { running.count } }

    /// - Parameter body: code during which no activity gets time.
    public func refusing(_ body: () -> Void) {
        lock.withLock { refuses = true }
        body()
        lock.withLock { refuses = false }
    }

    /// Notifies all running activities that their time is up.
    public func expire() {
        for block in lock.withLock({ Array(running.values) }) { block(true) }
    }

    fileprivate func begin(_ block: @escaping @Sendable (Bool) -> Void) {
        let (number, isRefused) = lock.withLock {
            begunCount += 1
            if !refuses { running[begunCount] = block }
            return (begunCount, refuses)
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

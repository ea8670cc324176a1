internal import Threads

/// Stops the grace periods of one detector as long as there is a reason for it.
final class Pauses: Sendable {
    enum Reason: Sendable {
        /// ``LeakDetector/pause()``.
        case asked
        /// The app is not in front.
        case background
    }

    private let reasons = Guarded(Set<Reason>())
    private let sweepers: Sweepers

    init(of sweepers: Sweepers) { self.sweepers = sweepers }

    func begin(_ reason: Reason) {
        reasons.with {
            $0.insert(reason)
            sweepers.pause()
        }
    }

    /// Goes on, unless there is another reason to stop.
    func end(_ reason: Reason) {
        reasons.with {
            $0.remove(reason)
            if $0.isEmpty { sweepers.resume() }
        }
    }
}

internal import LeakPlatform

/// Stops the grace periods of one detector as long as there is a reason for it.
final class PauseController: Sendable {
    enum Reason: Sendable {
        /// ``LeakDetector/pause()``.
        case asked
        /// The app is not in front.
        case background
    }

    private struct Reasons {
        /// Calls of ``LeakDetector/pause()`` without a ``LeakDetector/resume()``.
        var asked = 0
        /// Not counted: the system may say it twice.
        var isInBackground = false
    }

    private let reasons = Guarded(Reasons())
    private let checkers: ExpirationCheckers

    init(of checkers: ExpirationCheckers) { self.checkers = checkers }

    func begin(_ reason: Reason) {
        reasons.with {
            switch reason {
            case .asked: $0.asked += 1
            case .background: $0.isInBackground = true
            }
            checkers.pause()
        }
    }

    /// Goes on, unless there is another reason to stop, or the same one was given more often.
    func end(_ reason: Reason) {
        reasons.with {
            switch reason {
            case .asked: $0.asked = max($0.asked - 1, 0)
            case .background: $0.isInBackground = false
            }
            if $0.asked == 0, !$0.isInBackground { checkers.resume() }
        }
    }
}

internal import LeakPlatform

/// The pause of one detector: its grace periods do not advance while there is a reason to pause.
final class PauseController: Sendable {
    enum Reason: Sendable {
        /// The app called ``LeakDetector/pause()``.
        case asked
        /// The app is not active: it is in the background, or about to enter or leave it.
        case background
    }

    private struct Reasons {
        /// The number of calls of ``LeakDetector/pause()`` without a ``LeakDetector/resume()``.
        var requestCount = 0
        /// `true` while the app is not active. This is no count, because the system may report the change twice.
        var isInBackground = false
    }

    private let reasons = Guarded(Reasons())
    private let checkers: ExpirationCheckers

    init(of checkers: ExpirationCheckers) { self.checkers = checkers }

    func begin(_ reason: Reason) {
        reasons.with {
            switch reason {
            case .asked: $0.requestCount += 1
            case .background: $0.isInBackground = true
            }
            checkers.pause()
        }
    }

    /// Removes a reason. The grace periods continue if no other reason is left, and each ``LeakDetector/pause()`` was ended by
    /// a ``LeakDetector/resume()``.
    func end(_ reason: Reason) {
        reasons.with {
            switch reason {
            case .asked: $0.requestCount = max($0.requestCount - 1, 0)
            case .background: $0.isInBackground = false
            }
            if $0.requestCount == 0, !$0.isInBackground { checkers.resume() }
        }
    }
}

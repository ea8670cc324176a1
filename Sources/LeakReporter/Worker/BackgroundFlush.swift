internal import LeakPlatform

/// One transition of the app to the background: hands over the recorded reports, and delays the suspension of the process until
/// they are sent, for a limited time.
///
/// Its three methods are called from different threads, in any order, and not always all of them: the system may refuse background
/// time, or end it while ``waitUntilSent()`` still waits.
final class BackgroundFlush: Sendable {
    private struct State {
        var isHandedOver = false
        var isOver = false
    }

    private let thread: ReporterThread
    private let milliseconds: Int
    private let state = Guarded(State())

    /// - Parameter milliseconds: the longest wait of ``waitUntilSent()``.
    init(_ thread: ReporterThread, milliseconds: Int) {
        self.thread = thread
        self.milliseconds = milliseconds
    }

    /// Ends the session, after the app has made its last records. Does not block.
    func handOver() {
        thread.post(.background)
        state.with { $0.isHandedOver = true }
        state.wakeAll()
    }

    /// Blocks until the reports that were handed over are on the disk and either sent or failed to be sent once, or until the
    /// time is up.
    func waitUntilSent() {
        let start = MonotonicTime.now
        let isHandedOver = state.wait(milliseconds: Int64(milliseconds)) { state -> Bool? in
            state.isOver ? false : (state.isHandedOver ? true : nil)
        }
        guard isHandedOver == true else { return }
        let remainingMilliseconds = milliseconds - (MonotonicTime.now.milliseconds - start.milliseconds)
        thread.drain(milliseconds: remainingMilliseconds) { [state] in state.with { $0.isOver } }
    }

    /// Makes ``waitUntilSent()`` return, because the system gives no background time, or no more. Reports on the disk are sent the
    /// next time.
    func end() {
        state.with { $0.isOver = true }
        state.wakeAll()
        // Taking the lock makes sure that the waiting thread is not between its check and its sleep.
        thread.publishedState.with { _ in }
        thread.publishedState.wakeAll()
    }
}

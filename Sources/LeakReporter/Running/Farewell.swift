internal import LeakPlatform

/// One way of the app to the background: what was recorded is handed over, and the process is kept from being suspended
/// until that is sent, for a bounded time.
///
/// Its three calls come from different threads, in any order, and not all of them come: the system may refuse time, or
/// take it back while ``stay()`` still waits.
final class Farewell: Sendable {
    private struct State {
        var isHandedOver = false
        var isOver = false
    }

    private let keeper: Keeper
    private let milliseconds: Int
    private let state = Guarded(State())

    /// - Parameter milliseconds: how long ``stay()`` waits at most.
    init(_ keeper: Keeper, milliseconds: Int) {
        self.keeper = keeper
        self.milliseconds = milliseconds
    }

    /// Ends the session, once the app has recorded the last of it. Waits for nothing.
    func handOver() {
        keeper.post(.background)
        state.with { $0.isHandedOver = true }
        state.wakeAll()
    }

    /// Blocks until what was handed over is on the disk and sent, as far as that goes at once, or the time is up.
    func stay() {
        let start = Moment.now
        let isHandedOver = state.wait(milliseconds: Int64(milliseconds)) { state -> Bool? in
            state.isOver ? false : (state.isHandedOver ? true : nil)
        }
        guard isHandedOver == true else { return }
        let left = milliseconds - (Moment.now.milliseconds - start.milliseconds)
        keeper.settle(milliseconds: left) { [state] in state.with { $0.isOver } }
    }

    /// The system gives no time, or no more: ``stay()`` returns. What is on the disk is sent the next time.
    func end() {
        state.with { $0.isOver = true }
        state.wakeAll()
        // Not between its look and its sleep.
        keeper.board.with { _ in }
        keeper.board.wakeAll()
    }
}

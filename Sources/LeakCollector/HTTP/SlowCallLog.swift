internal import LeakHTTPServer
internal import LeakPlatform

/// Logs calls that held a loop for long, once a second at most: when one is slow, many are.
final class SlowCallLog: Sendable {
    private static let pause: Int64 = 1000

    private struct State {
        var quietUntil = Int64.min
        /// Calls that were not told of.
        var silent = 0
    }

    private let state = Guarded(State())
    private let log: Log
    private let now: @Sendable () -> Int64

    init(log: Log, now: @escaping @Sendable () -> Int64) {
        self.log = log
        self.now = now
    }

    func note(_ call: SlowCall) {
        guard let words = words(for: call) else { return }
        log.warning(words)
    }

    /// - Returns: what to log, or `nil` while it is too soon.
    func words(for call: SlowCall) -> String? {
        let now = now()
        return state.with { state in
            // A clock that was put back does not silence it.
            guard now >= state.quietUntil || now < state.quietUntil - Self.pause else {
                state.silent += 1
                return nil
            }
            defer { state = State(quietUntil: now + Self.pause) }
            let others = state.silent > 0 ? "; \(state.silent) more since the last line like this" : ""
            let milliseconds = Int(call.duration / .milliseconds(1))
            let path = String(decoding: LoggedPath.masked(Array(call.path.utf8)), as: UTF8.self)
            return "slow request: \(call.method.name) \(path) took \(milliseconds) ms\(others)"
        }
    }
}

internal import LeakHTTPServer
internal import LeakPlatform

/// Log of calls that blocked an event loop for long. It has at most one line a second, because many calls are slow at
/// the same time.
final class SlowCallLog: Sendable {
    /// Minimum milliseconds between two lines.
    private static let minLogIntervalMilliseconds: Int64 = 1000

    private struct State {
        /// Time before which no line is logged, in milliseconds since 1970.
        var quietUntil = Int64.min
        /// Slow calls since the last line, which were not logged.
        var unloggedCalls = 0
    }

    private let state = Guarded(State())
    private let log: Log
    private let now: @Sendable () -> Int64

    init(log: Log, now: @escaping @Sendable () -> Int64) {
        self.log = log
        self.now = now
    }

    func record(_ call: SlowCall) {
        guard let line = line(for: call) else { return }
        log.warning(line)
    }

    /// Counts a slow call, and returns the line for it.
    ///
    /// - Returns: the line for the log; `nil` if the last line is less than a second old.
    func line(for call: SlowCall) -> String? {
        let now = now()
        return state.with { state in
            // A clock that was set back does not suppress the line.
            guard now >= state.quietUntil || now < state.quietUntil - Self.minLogIntervalMilliseconds else {
                state.unloggedCalls += 1
                return nil
            }
            defer { state = State(quietUntil: now + Self.minLogIntervalMilliseconds) }
            let others =
                state.unloggedCalls > 0 ? "; \(state.unloggedCalls) more since the last line like this" : ""
            let milliseconds = Int(call.duration / .milliseconds(1))
            let path = String(decoding: LoggedPath.masked(Array(call.path.utf8)), as: UTF8.self)
            let request = call.requestID.map { " (request \($0))" } ?? ""
            return "slow request: \(call.method.name) \(path) took \(milliseconds) ms\(request)\(others)"
        }
    }
}

import Threads

@testable import LeakDetector

/// A clock that the tests move. Who is woken is woken on the thread that moves it.
final class VirtualClock: WakeClock {
    private struct State {
        var uptime = 0
        var wakes: [(at: Int, body: @Sendable () -> Void)] = []
    }

    private let state = Guarded(State())

    var uptime: Int { state.with { $0.uptime } }
    var roughUptime: Int { uptime }
    /// How often anybody was woken.
    let woken = Guarded(0)
    var isIdle: Bool { state.with { $0.wakes.isEmpty } }

    func wake(at uptime: Int, _ body: @escaping @Sendable () -> Void) {
        state.with { $0.wakes.append((uptime, body)) }
    }

    /// Lets time pass.
    ///
    /// - Parameter stall: the next wake-up comes that much too late, as when the main thread is blocked.
    func advance(by milliseconds: Int, stall: Int = 0) {
        let end = uptime + milliseconds
        var stall = stall
        while let next = takeNext(until: end, stall: stall) {
            stall = 0
            woken.with { $0 += 1 }
            next()
        }
        state.with { $0.uptime = max($0.uptime, end) }
    }

    private func takeNext(until end: Int, stall: Int) -> (@Sendable () -> Void)? {
        state.with { state in
            let next = state.wakes.indices.filter { state.wakes[$0].at <= end }.min {
                state.wakes[$0].at < state.wakes[$1].at
            }
            guard let next else { return nil }
            let wake = state.wakes.remove(at: next)
            state.uptime = max(state.uptime, wake.at) + stall
            return wake.body
        }
    }
}

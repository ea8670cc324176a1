import LeakPlatform

@testable import LeakDetector

/// A clock that the tests advance. Its timers fire on the thread that advances it.
final class VirtualClock: WakeClock {
    fileprivate struct State {
        var uptime = 0
        var timers: [Int: (dueAt: Int?, fire: @Sendable () -> Void)] = [:]
        var calls: [(dueAt: Int, body: @Sendable () -> Void)] = []
    }

    fileprivate let state = Guarded(State())
    let isMainQueue: Bool

    /// - Parameter isMainQueue: true in tests on the main actor.
    init(isMainQueue: Bool = false) { self.isMainQueue = isMainQueue }

    var uptime: Int { state.with { $0.uptime } }
    var roughUptime: Int { uptime }
    /// The number of times that a timer fired.
    let wakeUpCount = Guarded(0)
    /// The number of timers that are set, and of all timers.
    var timers: (set: Int, made: Int) {
        state.with { state in (state.timers.values.filter { $0.dueAt != nil }.count, state.timers.count) }
    }

    func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any WakeTimer {
        let number = state.with { state in
            state.timers[state.timers.count] = (nil, fire)
            return state.timers.count - 1
        }
        return Timer(clock: self, number: number)
    }

    private struct Timer: WakeTimer {
        let clock: VirtualClock
        let number: Int

        func set(at uptime: Int) { clock.state.with { $0.timers[number]?.dueAt = uptime } }
    }

    func call(afterMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        state.with { $0.calls.append(($0.uptime + milliseconds, body)) }
    }

    /// Advances the clock, and fires the timers that become due.
    ///
    /// - Parameter stall: the delay of the next wake-up, as when the main thread is blocked.
    func advance(by milliseconds: Int, stall: Int = 0) {
        let end = uptime + milliseconds
        var stall = stall
        while let next = takeNext(until: end, stall: stall) {
            stall = 0
            next()
        }
        state.with { $0.uptime = max($0.uptime, end) }
    }

    /// Advances the clock as if the queue was blocked: no timer fires.
    func block(for milliseconds: Int) { state.with { $0.uptime += milliseconds } }

    private func takeNext(until end: Int, stall: Int) -> (@Sendable () -> Void)? {
        let wakeUpCount = wakeUpCount
        return state.with { state in
            let call = state.calls.indices.min { state.calls[$0].dueAt < state.calls[$1].dueAt }
            let timer = state.timers.filter { $0.value.dueAt != nil }
                .min { $0.value.dueAt! < $1.value.dueAt! }
            let callAt = call.map { state.calls[$0].dueAt } ?? .max
            let timerAt = timer.flatMap(\.value.dueAt) ?? .max
            guard min(callAt, timerAt) <= end else { return nil }
            state.uptime = max(state.uptime, min(callAt, timerAt)) + stall
            if let call, callAt <= timerAt { return state.calls.remove(at: call).body }
            guard let timer else { return nil }
            state.timers[timer.key]?.dueAt = nil
            wakeUpCount.with { $0 += 1 }
            return timer.value.fire
        }
    }
}

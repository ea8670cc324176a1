internal import LeakMessage
internal import Threads

/// Looks at what was expected to go, with one timer that is set only while something waits.
///
/// Any thread may expect; looks and verdicts come on the clock's queue.
final class Sweeper: Sendable {
    typealias Entry = Expectation<any Subject>

    private struct State {
        var clock = ActiveClock()
        var expectations: Expectations<any Subject>
        var grace = GraceRing()
        /// The uptime at which the timer fires next.
        var wakesAt: Int?
    }

    private let state: Guarded<State>
    private let clock: any WakeClock
    private let limits: LeakDetector.Limits
    private let tell: @Sendable (Sweeper, Verdict, Entry) -> Void

    /// - Parameter tell: takes verdicts, on the clock's queue, with no lock held.
    init(
        limits: LeakDetector.Limits, clock: any WakeClock,
        tell: @escaping @Sendable (Sweeper, Verdict, Entry) -> Void
    ) {
        self.limits = limits.sound
        self.clock = clock
        self.tell = tell
        state = Guarded(State(expectations: Expectations(limits: limits)))
    }

    /// Starts the grace period of a plain object. The weak reference is made here: it slows every later retain and
    /// release of the object.
    ///
    /// - Parameter seconds: `nil` for the usual grace period.
    func expect(_ object: AnyObject, _ circumstances: Circumstances, after seconds: Double?) {
        let call = CallTable.Call(circumstances: circumstances, graceMilliseconds: grace(seconds))
        state.with { state in
            guard state.expectations.admit(ObjectIdentifier(object)) else { return }
            let uptime = clock.roughUptime
            let now = state.clock.advance(to: uptime, expectingWakeAt: state.wakesAt)
            arm(&state, dueAt: state.grace.insert(object, call, at: now), now: now, uptime)
        }
    }

    /// Starts a grace period of what says itself whether it is there.
    ///
    /// - Returns: whether it is waited for; else too many others are.
    @discardableResult
    func expect(_ subject: any Subject, _ circumstances: Circumstances, after seconds: Double?) -> Bool {
        let grace = grace(seconds)
        return state.with { state in
            let uptime = clock.uptime
            let now = state.clock.advance(to: uptime, expectingWakeAt: state.wakesAt)
            let due = state.expectations.expect(subject, circumstances, graceMilliseconds: grace, at: now)
            guard let due else { return false }
            arm(&state, dueAt: due, now: now, uptime)
            return true
        }
    }

    /// Counts an object that was gone before anybody had to wait for it.
    func settle(_ circumstances: Circumstances) { state.with { $0.expectations.check(circumstances) } }

    /// Counts an object that had gone before anybody waited for it.
    func countCheck(of type: AnyClass) { state.with { $0.expectations.check(type, 1) } }

    /// Calls `body` on the queue where objects are looked at, whether paused or not.
    func call(afterMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        clock.wake(at: clock.uptime + milliseconds, body)
    }

    /// Takes news of a reported object that did not wait for a look. Call it on the clock's queue.
    ///
    /// - Parameters:
    ///   - subject: told on with the verdict.
    ///   - sight: `gone` or `inUse`.
    func end(
        of identity: ObjectIdentifier, as sight: Sight, _ subject: any Subject, _ circumstances: Circumstances
    ) {
        let verdict = state.with { state in
            state.expectations.end(of: identity, as: sight, at: now(&state))
        }
        guard let verdict else { return }
        tell(self, verdict, Entry(subject: subject, circumstances: circumstances, startedAt: 0))
    }

    /// Takes news of an object that is in use again. Any thread may call it; what follows is told on the clock's queue.
    func use(_ object: AnyObject) {
        let identity = ObjectIdentifier(object)
        forgetIfGone(identity)
        let subject = WeakSubject(object)
        let type: AnyClass = type(of: object)
        let verdict = state.with { state in state.expectations.use(identity, at: now(&state)) }
        guard let verdict else { return }
        clock.wake(at: clock.uptime) { [weak self] in
            guard let self else { return }
            tell(
                self, verdict, Entry(subject: subject, circumstances: Circumstances(type: type), startedAt: 0)
            )
        }
    }

    /// Takes back that an object leaked, and tells of it no more.
    func mute(_ identity: ObjectIdentifier) { state.with { $0.expectations.mute(identity) } }

    /// Never tells of an object.
    func ignore(_ object: AnyObject) {
        let subject = WeakSubject(object)
        let identity = ObjectIdentifier(object)
        forgetIfGone(identity)
        state.with { state in
            let now = now(&state)
            state.expectations.ignore(subject, identity, type: type(of: object), at: now)
        }
    }

    /// Stops the clock of all grace periods.
    func pause() {
        state.with { $0.clock.pause(at: clock.uptime, expectingWakeAt: $0.wakesAt) }
    }

    func resume() {
        state.with { state in
            state.clock.resume(at: clock.uptime)
            // What was set before fires for a time that has moved.
            state.wakesAt = nil
            armNext(&state)
        }
    }

    var isPaused: Bool { state.with { $0.clock.isPaused } }

    var counts: LeakDetector.Counts { state.with { $0.expectations.counts } }

    func takeChecks() -> [(type: AnyClass, count: Int)] { state.with { $0.expectations.takeChecks() } }

    private func grace(_ seconds: Double?) -> Int {
        let longest = Double(LeakDetector.Limits.longestGraceMilliseconds)
        // Written so that NaN is no grace period at all.
        return seconds.map { $0 > 0 ? Int(min($0 * 1000, longest)) : 0 } ?? limits.graceMilliseconds
    }

    private func now(_ state: inout State) -> Int {
        state.clock.advance(to: clock.uptime, expectingWakeAt: state.wakesAt)
    }

    private func armNext(_ state: inout State) {
        let next = [state.expectations.nextDue, state.grace.nextDue].compactMap { $0 }.min()
        guard let next else { return }
        let uptime = clock.uptime
        arm(&state, dueAt: next, now: state.clock.milliseconds, uptime)
    }

    /// Sets the timer for what is due next, unless it is set for that or earlier. Nothing waits, no timer.
    private func arm(_ state: inout State, dueAt due: Int, now: Int, _ uptime: Int) {
        guard !state.clock.isPaused else { return }
        let wakesAt = uptime + max(due - now, 0)
        if let earlier = state.wakesAt, earlier <= wakesAt { return }
        state.wakesAt = wakesAt
        clock.wake(at: wakesAt) { [weak self] in self?.wake(for: wakesAt) }
    }

    private func wake(for moment: Int) {
        let due: (entries: [Entry], chunks: [WeakChunk])? = state.with { state in
            // Another timer was set for earlier since; it has looked, or will.
            guard state.wakesAt == moment, !state.clock.isPaused else { return nil }
            let now = now(&state)
            state.wakesAt = nil
            return (state.expectations.takeDue(at: now), state.grace.takeDue(at: now))
        }
        guard let due else { return }
        // Outside of the lock, since a look can be the end of an object.
        let rest = Self.look(at: due.chunks)
        let sights = due.entries.map { $0.subject.look() }
        for case .retained(let identity) in sights { forgetIfGone(identity) }
        let verdicts = state.with { state in
            let now = now(&state)
            goOn(with: rest, &state, at: now)
            let verdicts = zip(due.entries, sights).map { entry, sight in
                (state.expectations.judge(entry, sight, at: now, reportID: WallTime.newID), entry)
            }
            armNext(&state)
            return verdicts
        }
        for case (let verdict?, let entry) in verdicts { tell(self, verdict, entry) }
    }

    /// What is left of objects whose grace period is over.
    private struct Rest: Sendable {
        var gone: [UInt32: Int] = [:]
        var alive: [(subject: WeakSubject, slot: UInt32)] = []
    }

    private static func look(at chunks: [WeakChunk]) -> Rest {
        var rest = Rest()
        for chunk in chunks {
            for index in 0..<chunk.count {
                let slot = chunk.slot(at: index)
                if let object = chunk.object(at: index) {
                    rest.alive.append((WeakSubject(object), slot))
                } else {
                    rest.gone[slot, default: 0] += 1
                }
            }
        }
        return rest
    }

    private func goOn(with rest: Rest, _ state: inout State, at now: Int) {
        for (slot, count) in rest.gone {
            state.expectations.settle(state.grace.call(slot).circumstances.type, count: count)
            state.grace.release(slot, count: count)
        }
        for (subject, slot) in rest.alive {
            let call = state.grace.call(slot)
            state.expectations.outlived(
                subject, call.circumstances, startedAt: now - call.graceMilliseconds, at: now)
            state.grace.release(slot, count: 1)
        }
    }

    /// Its place in memory may have been given to another object since.
    private func forgetIfGone(_ identity: ObjectIdentifier) {
        guard let survivor = state.with({ $0.expectations.survivor(identity) }) else { return }
        // Not by a look, which is bound to the clock's queue.
        guard survivor.object == nil else { return }
        state.with { $0.expectations.forgetSurvivor(identity) }
    }
}

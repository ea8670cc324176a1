internal import LeakMessage
internal import LeakPlatform

/// Checks objects when their grace period is over. Its one timer is set only while objects wait.
///
/// Any thread may expect objects; checks and results happen on the clock's queue.
final class ExpirationChecker: Sendable {
    typealias Entry = Expectation<any Subject>

    private struct State {
        var clock = ActiveClock()
        var expectations: Expectations<any Subject>
        var graceWheel = GraceTimingWheel()
        /// The timer, created when it is first needed.
        var timer: (any WakeTimer)?
        /// The uptime at which the timer fires next.
        var wakesAt: Int?
        var isStopped = false
        /// Objects that were checked while the lock was held, and stay retained until they are released on the clock's queue.
        var retainedObjects: RetainedObjects?
    }

    private let state: Guarded<State>
    private let clock: any WakeClock
    private let limits: LeakDetector.Limits
    private let graceByClass: ClassGracePeriods?
    private let onResult: @Sendable (ExpirationChecker, ExpectationResult, Entry) -> Void

    /// - Parameter onResult: receives results, on the clock's queue, with no lock held.
    init(
        limits: LeakDetector.Limits, clock: any WakeClock,
        onResult: @escaping @Sendable (ExpirationChecker, ExpectationResult, Entry) -> Void
    ) {
        self.limits = limits.validated
        graceByClass = ClassGracePeriods(limits.validated.graceMillisecondsByClass)
        self.clock = clock
        self.onResult = onResult
        state = Guarded(State(expectations: Expectations(limits: limits)))
    }

    /// Starts the grace period of an object. Makes a weak reference to the object, which slows every later retain and release of
    /// it.
    ///
    /// - Parameter seconds: `nil` for the usual grace period.
    func expect(_ object: AnyObject, _ context: consuming ExpectationContext, after seconds: Double?) {
        let identity = ObjectIdentifier(object)
        // The context is moved and not copied, because this is the most common path.
        let grace = graceMilliseconds(seconds, context.type)
        let call = CallTable.Call(context: context, graceMilliseconds: grace)
        let isPlain = state.with { state in
            guard call.context.owner == nil, !state.expectations.wasUsed(identity) else { return false }
            guard !state.isStopped else { return true }
            let uptime = clock.roughUptime
            let now = state.clock.advance(to: uptime, expectingWakeAt: state.wakesAt)
            if state.expectations.isFull { makeRoom(&state) }
            let isAdmitted = state.expectations.admit(
                identity, call.context, dueAt: now + call.graceMilliseconds, at: now)
            guard isAdmitted else { return true }
            arm(&state, dueAt: state.graceWheel.insert(object, call, at: now), now: now, uptime)
            return true
        }
        if !isPlain { expect(subject: WeakSubject(object), call.context, identity, after: seconds) }
    }

    /// Starts the grace period of a subject.
    ///
    /// - Parameter identity: the identity of the object, if it is known yet.
    /// - Returns: `true` if the object is waited for; `false` if the detector is stopped, or leaves the object out because it
    ///   already waits for many objects.
    @discardableResult
    func expect(
        subject: any Subject, _ context: ExpectationContext, _ identity: ObjectIdentifier? = nil,
        after seconds: Double?
    ) -> Bool {
        let grace = graceMilliseconds(seconds, context.type)
        let owner = context.owner?.identity
        return state.with { state in
            guard !state.isStopped else { return false }
            let uptime = clock.uptime
            let now = state.clock.advance(to: uptime, expectingWakeAt: state.wakesAt)
            if state.expectations.isFull { makeRoom(&state) }
            let due = state.expectations.expect(
                subject, context, identity: identity, owner: owner, graceMilliseconds: grace,
                bypassesSampling: !(subject is WeakSubject), at: now)
            guard let due else { return false }
            arm(&state, dueAt: due, now: now, uptime)
            return true
        }
    }

    /// Counts an object that was deallocated before the detector waited for it.
    func countCheck(_ context: ExpectationContext) {
        state.with { $0.expectations.countChecks(context, 1) }
    }

    /// Calls `body` on the queue where objects are checked, even while grace periods are paused.
    func call(afterMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        clock.call(afterMilliseconds: milliseconds, body)
    }

    /// Handles a known object that was deallocated or is in use. Call it on the clock's queue.
    ///
    /// - Parameters:
    ///   - subject: passed on with the result.
    ///   - objectState: `gone` or `inUse`.
    func end(
        of identity: ObjectIdentifier, as objectState: ObjectState, _ subject: any Subject,
        _ context: ExpectationContext
    ) {
        let result = state.with { state in
            defer { retainCheckedObjects(&state) }
            return state.expectations.end(of: identity, as: objectState, at: now(&state))
        }
        if let result { deliver(result, on: subject, type: context.type) }
    }

    /// Handles an object that is in use again. Any thread may call it; the result follows on the clock's queue.
    func use(_ object: AnyObject) {
        deliverOnQueue(recordEnds(of: [ObjectIdentifier(object)]))
        let result = state.with { state in
            defer { retainCheckedObjects(&state) }
            return state.expectations.use(ObjectIdentifier(object), at: now(&state))
        }
        deliverOnQueue([result.map { ($0, WeakSubject(object)) }].compactMap { $0 })
    }

    /// Stops all reports of an object, now and later. Any thread may call it.
    func ignore(_ object: AnyObject) {
        let subject = WeakSubject(object)
        let (identity, type): (ObjectIdentifier, AnyClass) = (ObjectIdentifier(object), type(of: object))
        deliverOnQueue(recordEnds(of: [identity]) + recordEndsOfScanCandidates())
        let result = state.with { state -> ExpectationResult? in
            guard !state.isStopped else { return nil }
            return state.expectations.ignore(subject, identity, type: type, at: now(&state))
        }
        deliverOnQueue([result.map { ($0, subject) }].compactMap { $0 })
    }

    /// Withdraws a result that was not reported yet.
    func retract(_ reportID: String, of identity: ObjectIdentifier) {
        state.with { $0.expectations.retract(reportID, of: identity) }
    }

    /// Returns `true` if a report is still valid: its object was neither freed, used again nor ignored since.
    func isValid(_ reportID: String, of identity: ObjectIdentifier) -> Bool {
        state.with { $0.expectations.isValid(reportID, of: identity) }
    }

    /// Returns `true` if the object of a report must not be reported: the app ignored it, or the result was withdrawn.
    func isMuted(_ reportID: String, of identity: ObjectIdentifier) -> Bool {
        state.with { $0.expectations.isMuted(reportID, of: identity) }
    }

    /// Stops the clock of all grace periods.
    func pause() {
        state.with { $0.clock.pause(at: clock.uptime, expectingWakeAt: $0.wakesAt) }
    }

    func resume() {
        state.with { state in
            guard state.clock.isPaused else { return }
            state.clock.resume(at: clock.uptime)
            // The pause moved the due times, so the timer that is set would fire too early.
            state.wakesAt = nil
            armNext(&state)
        }
    }

    /// Drops all expectations, and accepts nothing more.
    func stop() {
        let (expectations, timer) = state.with { state in
            defer {
                state = State(
                    expectations: state.expectations.stopped(limits), timer: nil, isStopped: true)
            }
            return (state.expectations, state.timer)
        }
        // The expectations are released outside of the lock, since subjects may be objects of the app.
        withExtendedLifetime((expectations, timer)) {}
    }

    /// Makes room if too many objects are waited for: checks all of them early, and if most still exist, continues with a random
    /// half.
    ///
    /// Any thread may call it, inside the lock: existing objects are retained, and released on the clock's queue, so that none
    /// is deallocated here. At least a quarter of the room is free afterwards, so the next call comes only after that many
    /// further objects.
    ///
    /// - Parameter leavesOutObjects: `false` continues with all objects that still exist.
    private func makeRoom(_ state: inout State, leavesOutObjects: Bool = true) {
        // If the objects of the last early check are not released yet, the queue is blocked. Another early check would retain even
        // more objects.
        if state.retainedObjects == nil { recordAllDeallocated(&state) }
        guard leavesOutObjects, state.expectations.isNearCapacity else { return }
        state.expectations.sampleAwaited { $0 is WeakSubject }
        let left = state.graceWheel.take { call in
            call.context.isCounted && state.expectations.shouldDropNext()
        }
        for (callNumber, count) in left {
            state.expectations.stopWaiting(count, unseen: state.graceWheel.call(callNumber).context)
            state.graceWheel.release(callNumber, count: count)
        }
    }

    private func recordAllDeallocated(_ state: inout State) {
        var objects: [AnyObject] = []
        for (callNumber, count) in state.graceWheel.takeDeallocated(holding: &objects) {
            state.expectations.recordDeallocated(state.graceWheel.call(callNumber).context, count: count)
            state.graceWheel.release(callNumber, count: count)
        }
        state.expectations.recordDeallocated { subject in
            guard let subject = subject as? WeakSubject else { return false }
            guard let object = subject.object else { return true }
            objects.append(object)
            return false
        }
        hold(objects, &state)
    }

    /// Retains objects that were checked inside the lock. They are released later on the clock's queue, because a `deinit` must not run
    /// inside the lock.
    private func hold(_ objects: [AnyObject], _ state: inout State) {
        guard !objects.isEmpty else { return }
        if let retainedObjects = state.retainedObjects { return retainedObjects.add(objects) }
        let retainedObjects = RetainedObjects(objects)
        state.retainedObjects = retainedObjects
        clock.call(afterMilliseconds: 0) { [weak self] in
            self?.state.with { if $0.retainedObjects === retainedObjects { $0.retainedObjects = nil } }
            retainedObjects.releaseAll()
        }
    }

    private func retainCheckedObjects(_ state: inout State) {
        guard !state.expectations.checkedObjects.isEmpty else { return }
        hold(state.expectations.checkedObjects, &state)
        state.expectations.checkedObjects = []
    }

    /// Releases the objects that an early check retained, before objects are checked: a retained object would be taken for a leak.
    private func releaseHeld() {
        let retainedObjects = state.with { state in
            defer { state.retainedObjects = nil }
            return state.retainedObjects
        }
        retainedObjects?.releaseAll()
    }

    /// The number of objects that wait to be released on the clock's queue.
    var retainedObjectCount: Int { state.with { $0.retainedObjects?.count ?? 0 } }

    /// `true` if the limit of waiting objects is reached, not counting deallocated objects.
    var isFull: Bool {
        state.with { state in
            if state.expectations.isFull { makeRoom(&state, leavesOutObjects: false) }
            return state.expectations.isFull
        }
    }

    var isOnMainQueue: Bool { clock.isMainQueue }

    var isStopped: Bool { state.with { $0.isStopped } }

    var isPaused: Bool { state.with { $0.clock.isPaused } }

    var counts: LeakDetector.Counts { state.with { $0.expectations.counts } }

    func takeChecks() -> [CheckCounts.OfType] { state.with { $0.expectations.takeChecks() } }

    func takeUnseenOfOtherTypes() -> Int { state.with { $0.expectations.takeUnseenOfOtherTypes() } }

    private func graceMilliseconds(_ seconds: Double?, _ type: AnyClass) -> Int {
        if seconds == nil, let milliseconds = graceByClass?.milliseconds(of: type) { return milliseconds }
        let longest = Double(LeakDetector.Limits.longestGraceMilliseconds)
        // The condition is written so that NaN means no grace period at all.
        return seconds.map { $0 > 0 ? Int(min($0 * 1000, longest)) : 0 } ?? limits.graceMilliseconds
    }

    private func now(_ state: inout State) -> Int {
        state.clock.advance(to: clock.uptime, expectingWakeAt: state.wakesAt)
    }

    /// Sets the timer for the next due object, if any object waits.
    private func armNext(_ state: inout State) {
        let next = [state.expectations.nextDue, state.graceWheel.nextDue].compactMap { $0 }.min()
        guard let next else { return }
        arm(&state, dueAt: next, now: state.clock.milliseconds, clock.uptime)
    }

    /// Sets the timer for an object's due time, unless it is set for that time or earlier, or grace periods are paused.
    private func arm(_ state: inout State, dueAt due: Int, now: Int, _ uptime: Int) {
        guard !state.clock.isPaused else { return }
        let wakesAt = uptime + max(due - now, 0)
        if let earlier = state.wakesAt, earlier <= wakesAt { return }
        if state.wakesAt == nil { state.clock.recordFirstWakeRequest() }
        state.wakesAt = wakesAt
        let timer = state.timer ?? clock.makeTimer { [weak self] in self?.checkDueObjects() }
        state.timer = timer
        timer.set(at: wakesAt)
    }

    /// The objects that are due for a check, and the time of ``ActiveClock`` at which they were taken, in milliseconds.
    private struct Due {
        let now: Int
        let entries: [Entry]
        let chunks: [WeakChunk]
    }

    private func checkDueObjects() {
        releaseHeld()
        guard let due = takeDue() else { return }
        // The checks run outside of the lock, since a check can deallocate an object.
        let dueObjects = DueObjects(of: due.chunks)
        let checkedEntries = due.entries.map { entry in
            (entry, objectState: entry.subject.readState(), owner: entry.context.owner?.livingIdentity)
        }
        let seen = checkedEntries.flatMap { checkedEntry -> [ObjectIdentifier] in
            guard case .retained(let identity) = checkedEntry.objectState else { return [] }
            return [identity] + [checkedEntry.owner].compactMap { $0 }
        }
        let reported = state.with { state in
            state.expectations.reportedObjects(
                withTypesOf: checkedEntries.map { ($0.0, $0.objectState) }, at: due.now)
        }
        // Objects that are due now are left out: their results follow below.
        let checkedIdentities = Set(checkedEntries.compactMap { $0.0.identity })
        for (result, subject) in recordEnds(of: seen + reported.filter { !checkedIdentities.contains($0) })
            + recordEndsOfScanCandidates()
        {
            deliver(result, on: subject, type: nil)
        }
        let results = state.with { state -> [(ExpectationResult, Entry)] in
            // If the checker was stopped during the check, the results are no longer needed.
            guard !state.isStopped else { return [] }
            // The time that the checks took is not counted as the app's time: a check may have deallocated a large object.
            state.clock.skip(to: clock.uptime)
            dueObjects.update(&state.expectations, &state.graceWheel, at: due.now)
            var results: [(ExpectationResult, Entry)] = []
            for (entry, objectState, owner) in checkedEntries {
                let result = state.expectations.evaluate(
                    entry, objectState, owner: owner, at: due.now, reportID: { SightingID.make(at: .now) })
                if let result { results.append((result, entry)) }
            }
            retainCheckedObjects(&state)
            armNext(&state)
            return results
        }
        for (result, entry) in results {
            // The receiver of the previous result may have stopped the checker.
            guard !isStopped else { return }
            onResult(self, result, entry)
        }
    }

    private func takeDue() -> Due? {
        state.with { state in
            guard let wakesAt = state.wakesAt, !state.clock.isPaused else { return nil }
            let uptime = clock.uptime
            guard uptime >= wakesAt else {
                state.timer?.set(at: wakesAt)
                return nil
            }
            let now = state.clock.wake(at: uptime, askedFor: wakesAt)
            state.wakesAt = nil
            return Due(
                now: now, entries: state.expectations.takeDue(at: now),
                chunks: state.graceWheel.takeDue(at: now))
        }
    }

    /// Records which of these known objects were deallocated, and returns the results. Another object may have the identity of
    /// such an object by now.
    private func recordEnds(of identities: [ObjectIdentifier]) -> [(ExpectationResult, any Subject)] {
        let known = state.with { state in
            identities.compactMap { identity in
                state.expectations.knownObjects[identity].map { (identity, $0) }
            }
        }
        // Reads only the weak reference, since ``Subject/readState()`` must run on the clock's queue; and reads it outside of the lock.
        let deallocated = known.filter { $0.1.subject.object == nil }
        guard !deallocated.isEmpty else { return [] }
        return state.with { state in
            let now = now(&state)
            return deallocated.compactMap { identity, known in
                state.expectations.end(of: identity, known.number, as: .gone, at: now).map {
                    ($0, known.subject)
                }
            }
        }
    }

    /// Records which objects of ``KnownObjects/scanCandidates`` were deallocated without a check, and returns the results.
    private func recordEndsOfScanCandidates() -> [(ExpectationResult, any Subject)] {
        let candidates = state.with { $0.expectations.knownObjects.scanCandidates }
        guard !candidates.isEmpty else { return [] }
        let ends = recordEnds(of: candidates.map(\.identity))
        state.with { $0.expectations.updateScanThreshold() }
        return ends
    }

    private func deliverOnQueue(_ results: [(ExpectationResult, any Subject)]) {
        guard !results.isEmpty else { return }
        clock.call(afterMilliseconds: 0) { [weak self] in
            for (result, subject) in results { self?.deliver(result, on: subject, type: nil) }
        }
    }

    private func deliver(_ result: ExpectationResult, on subject: any Subject, type: AnyClass?) {
        onResult(self, result, Self.makeEntry(subject, type))
    }

    /// Returns the entry for the result that a reported object was freed or is in use again. It needs no path, reason or line,
    /// because ``LeakNotifier`` repeats the report of the leak.
    private static func makeEntry(_ subject: any Subject, _ type: AnyClass?) -> Entry {
        Entry(
            subject: subject, context: ExpectationContext(type: type ?? Swift.type(of: subject)),
            startedAt: 0)
    }
}

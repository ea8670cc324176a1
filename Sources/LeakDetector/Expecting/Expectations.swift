/// What is expected to go, and what follows from its staying. Decides; looks at nothing itself.
///
/// A value without lock, clock or timer. Times are milliseconds of its owner's clock. Looking at an object can make
/// the looker its last owner, whose release then runs the app's `deinit`: so the owner takes what is due, looks
/// outside of any lock, and comes back with what it saw.
struct Expectations<Subject: Sendable> {
    typealias Entry = Expectation<Subject>

    let limits: LeakDetector.Limits
    private var ring = BucketRing<Entry>()
    private(set) var known = KnownObjects<Subject>()
    private var checks = CheckCounts()
    private var sampling = Sampling()
    /// When objects that may be waited for came into use again.
    private var used: [ObjectIdentifier: (sequence: Int, at: Int)] = [:]
    /// Of those that are waited for.
    private var longestGrace = 0
    /// Owners of objects that are waited for; and which of those owners are waited for themselves.
    private var owners: Set<ObjectIdentifier> = []
    /// With the time by which they are judged themselves.
    private var awaitedOwners: [ObjectIdentifier: Int] = [:]
    private var sequence = 0
    private(set) var counts = LeakDetector.Counts()

    init(limits: LeakDetector.Limits) { self.limits = limits.sound }

    /// When to look next, or `nil` while nothing waits.
    var nextDue: Int? { ring.nextDue }

    var isFull: Bool { counts.outstanding >= limits.outstanding }

    /// Whether so few wait that the share of objects that are waited for may grow.
    private var isRoomy: Bool { counts.outstanding < limits.outstanding / 4 }

    /// Whether the objects that have gone left so little room that only a share of the others can be waited for.
    var isCrowded: Bool { counts.outstanding > limits.outstanding / 4 * 3 }

    /// Takes a place among those that are waited for, unless too many are.
    ///
    /// - Parameters:
    ///   - identity: of the object; `nil` if it is not known yet.
    ///   - due: when its grace period is over.
    ///   - isPicked: waits also when only a share of all objects does, as screens do, which are few.
    /// - Returns: whether there was one.
    mutating func admit(
        _ identity: ObjectIdentifier?, _ circumstances: borrowing Circumstances, dueAt due: Int,
        isPicked: Bool = false, at now: Int
    ) -> Bool {
        if !sampling.isEverything, isRoomy { sampling.double() }
        guard !isFull, isPicked || !circumstances.isCounted || sampling.takesNext() else {
            leaveUnseen(circumstances.type, isCounted: circumstances.isCounted, count: 1)
            return false
        }
        counts.outstanding += 1
        longestGrace = max(longestGrace, due - now)
        if !owners.isEmpty, let identity, owners.contains(identity) {
            // Its second look, and that of its own owner before it; after that it is known, or has gone.
            let until = due + limits.secondLookMilliseconds + 2 * Self.ownerFirstMilliseconds
            awaitedOwners[identity] = max(awaitedOwners[identity] ?? 0, until)
        }
        return true
    }

    /// Whether an object came into use again since others were expected: then the time when it is expected counts.
    func wasUsed(_ identity: ObjectIdentifier) -> Bool { !used.isEmpty && used[identity] != nil }

    /// Starts a grace period, unless too many run already.
    ///
    /// - Parameters:
    ///   - identity: of the object, if it is known yet.
    ///   - owner: of the object's owner, if that should go too.
    ///   - isPicked: waits also when only a share of all objects does.
    /// - Returns: when it is over, or `nil` if it did not start.
    mutating func expect(
        _ subject: Subject, _ circumstances: Circumstances, identity: ObjectIdentifier? = nil,
        owner: ObjectIdentifier? = nil, graceMilliseconds: Int, isPicked: Bool = false, at now: Int
    ) -> Int? {
        let due = now + min(max(graceMilliseconds, 0), LeakDetector.Limits.longestGraceMilliseconds)
        guard admit(identity, circumstances, dueAt: due, isPicked: isPicked, at: now) else { return nil }
        if let owner { owners.insert(owner) }
        sequence += 1
        ring.insert(
            Entry(subject: subject, circumstances: circumstances, startedAt: now, sequence: sequence),
            dueAt: due)
        return due
    }

    /// Goes on with objects that had their grace period elsewhere, and are gone.
    mutating func settle(_ circumstances: Circumstances, count: Int) {
        leave(count)
        if !circumstances.isPart { check(circumstances, count) }
    }

    /// Goes on with objects that are gone before they are due.
    mutating func settle(where isGone: (Subject) -> Bool) {
        for entry in ring.take(where: { $0.isAwaited && isGone($0.subject) }) {
            settle(entry.circumstances, count: 1)
        }
    }

    /// Halves the share of objects that are waited for: from now on half as many, and half of those that wait.
    ///
    /// - Parameter mayBeLeftOut: called with objects that wait here.
    mutating func thinOutAwaited(_ mayBeLeftOut: (Subject) -> Bool) {
        sampling.halve()
        let left = ring.take { entry in
            guard entry.isAwaited, entry.circumstances.isCounted, mayBeLeftOut(entry.subject) else {
                return false
            }
            return sampling.leavesOut()
        }
        for entry in left { leave(1, unseen: entry.circumstances) }
    }

    /// Whether an object that waits elsewhere is left out too. Call it for each after ``thinOutAwaited(_:)``.
    mutating func leavesOut() -> Bool { sampling.leavesOut() }

    /// Waits no more for objects without having looked at them.
    mutating func leave(_ count: Int, unseen circumstances: Circumstances) {
        leaveUnseen(circumstances.type, isCounted: circumstances.isCounted, count: count)
        leave(count)
    }

    private mutating func leaveUnseen(_ type: AnyClass, isCounted: Bool, count: Int) {
        guard isCounted else { return }
        counts.dropped += count
        checks.add(unseen: count, of: type, limit: limits.checkedTypes)
    }

    /// Goes on with an object that had its grace period elsewhere, and outlived it.
    mutating func outlived(_ subject: Subject, _ circumstances: Circumstances, startedAt: Int, at now: Int) {
        lookAgain(Entry(subject: subject, circumstances: circumstances, startedAt: startedAt), at: now)
    }

    /// Takes what is to be looked at now. Each goes to ``judge(_:_:owner:at:reportID:)`` with what was seen.
    mutating func takeDue(at now: Int) -> [Entry] { ring.takeDue(at: now) }

    /// The objects that are counted as alive with those whose look ends a wait: a leak, or the end of one.
    mutating func toldBeside(_ looks: [(Entry, Sight)], at now: Int) -> [ObjectIdentifier] {
        var types: Set<ObjectIdentifier> = []
        for (entry, sight) in looks {
            switch (entry.stage, sight) {
            case (.secondLook, .retained), (.survivor, .gone), (.survivor, .inUse):
                types.insert(ObjectIdentifier(entry.circumstances.type))
            default: break
            }
        }
        return types.isEmpty ? [] : known.toldOf(types, at: now)
    }

    /// Says that those of ``KnownObjects/crowded`` that have gone were told of.
    mutating func thinOut() { known.thinOut() }

    /// Decides what a look at a due object means, and when to look again.
    ///
    /// - Parameter owner: of the object's owner, while that is there.
    mutating func judge(
        _ entry: Entry, _ sight: Sight, owner: ObjectIdentifier? = nil, at now: Int, reportID: () -> String
    ) -> Verdict? {
        let sight = isVoid(entry, sight) ? .inUse : sight
        switch (entry.stage, sight) {
        case (.grace, .gone), (.secondLook, .gone):
            leave(1)
            if !entry.circumstances.isPart { check(entry.circumstances, 1) }
        case (.grace, .inUse), (.secondLook, .inUse):
            leave(1)
        case (.grace, .retained):
            lookAgain(entry, at: now)
        case (.secondLook, .retained(let identity)):
            return outlast(entry, identity, owner, at: now, reportID: reportID)
        case (.shadowed(let trace), .retained):
            return stepOut(entry, trace, owner, at: now, reportID: reportID)
        case (.survivor(let trace), .retained):
            return watch(entry, trace, at: now)
        case (.shadowed(let trace), _), (.survivor(let trace), _):
            return end(of: trace.identity, trace.number, as: sight, at: now)
        }
        return nil
    }

    /// Takes news of an object that did not wait for a look.
    ///
    /// - Parameters:
    ///   - number: of the object that is meant; `nil` for the one that has the identity now.
    ///   - sight: `gone` or `inUse`.
    mutating func end(
        of identity: ObjectIdentifier, _ number: Int? = nil, as sight: Sight, at now: Int
    ) -> Verdict? {
        // Told already, or the place in memory has another object by now.
        guard let object = known[identity], number == nil || object.number == number else { return nil }
        // What is never to be told of stays known while it is there.
        guard object.state != .muted || sight == .gone else { return nil }
        known.remove(identity)
        guard case .told(let reportID, _) = object.state else {
            if object.state == .shadowed { counts.suppressed -= 1 }
            return nil
        }
        let lived = now - object.since
        let alive = known.told(of: object.type)
        if sight == .inUse {
            if object.isCounted { counts.cameBack += 1 }
            return .cameBack(reportID: reportID, livedMilliseconds: lived, alive: alive)
        }
        if object.isCounted { counts.freed += 1 }
        return .freed(reportID: reportID, livedMilliseconds: lived, alive: alive)
    }

    /// Takes news of an object that is in use, whether it was reported or is still waited for: what was expected of it before
    /// now holds no more.
    mutating func use(_ identity: ObjectIdentifier, at now: Int) -> Verdict? {
        sequence += 1
        if counts.outstanding > 0 { noteUse(of: identity, at: now) }
        return end(of: identity, as: .inUse, at: now)
    }

    /// Takes back that an object leaked, before anybody was told of it. It stays known, so that it is never told of.
    mutating func retract(_ identity: ObjectIdentifier) {
        guard let object = known[identity], case .told = object.state else { return }
        known.set(identity, .muted, isSuppressed: true)
        counts.leaked -= 1
        counts.suppressed += 1
    }

    /// Makes an object known as one that is never told of, or told of no more.
    mutating func ignore(_ subject: Subject, _ identity: ObjectIdentifier, type: AnyClass, at now: Int)
        -> Verdict?
    {
        guard let object = known[identity] else {
            _ = known.insert(identity, subject, type: type, .muted, at: now)
            return nil
        }
        known.set(identity, .muted, isSuppressed: object.isSuppressed || object.state == .shadowed)
        guard case .told(let reportID, _) = object.state else { return nil }
        return .forgotten(reportID: reportID)
    }

    /// Whether that report still stands: it was not followed by an end, nor muted.
    func stands(_ reportID: String, of identity: ObjectIdentifier) -> Bool {
        // One that found no room among the known is told of all the same.
        guard let state = known[identity]?.state else { return known.isFull }
        guard case .told(reportID, _) = state else { return false }
        return true
    }

    /// Whether nothing is to be told of an object.
    func isMuted(_ identity: ObjectIdentifier) -> Bool { known[identity]?.state == .muted }

    /// What is left when nothing is waited for any more: the counts.
    func stopped(_ limits: LeakDetector.Limits) -> Self {
        var rest = Self(limits: limits)
        rest.counts = counts
        rest.counts.outstanding = 0
        rest.checks = checks
        return rest
    }

    /// What was checked since the last call.
    mutating func takeChecks() -> [CheckCounts.OfType] { checks.take() }

    /// Objects that were not waited for since the last call, of types beyond ``LeakDetector/Limits/checkedTypes``.
    mutating func takeUnseenOfOthers() -> Int { checks.takeUnseenOfOthers() }

    /// Counts objects that were looked at, or had gone before.
    mutating func check(_ circumstances: Circumstances, _ count: Int) {
        guard circumstances.isCounted else { return }
        counts.checked += count
        checks.add(circumstances.type, count, limit: limits.checkedTypes)
    }

    private mutating func leave(_ count: Int) {
        counts.outstanding -= count
        guard counts.outstanding == 0 else { return }
        (used, owners, awaitedOwners, longestGrace) = ([:], [], [:], 0)
        sampling.reset()
    }

    /// Those of 4 MB. Beyond, and after what was expected before them was judged, they are forgotten.
    private static var usesLimit: Int { 100_000 }

    private mutating func noteUse(of identity: ObjectIdentifier, at now: Int) {
        if used.count >= Self.usesLimit {
            let longest = longestGrace + limits.secondLookMilliseconds + 2 * Self.ownerFirstMilliseconds
            used = used.filter { now - $0.value.at <= longest }
        }
        guard used.count < Self.usesLimit else { return }
        used[identity] = (sequence, now)
    }

    private func isVoid(_ entry: Entry, _ sight: Sight) -> Bool {
        guard !used.isEmpty, case .retained(let identity) = sight, let use = used[identity] else {
            return false
        }
        return entry.sequence < use.sequence
    }

    private mutating func lookAgain(_ entry: Entry, at now: Int) {
        var entry = entry
        entry.stage = .secondLook
        // After its owner, so that the owner is known to be reported.
        let patience = entry.circumstances.owner == nil ? 0 : Self.ownerFirstMilliseconds
        ring.insert(entry, dueAt: now + limits.secondLookMilliseconds + patience)
    }

    /// Four ticks: an owner that is expected a moment later is due later than what it owns.
    private static var ownerFirstMilliseconds: Int { 400 }

    private mutating func outlast(
        _ entry: Entry, _ identity: ObjectIdentifier, _ owner: ObjectIdentifier?, at now: Int,
        reportID: () -> String
    ) -> Verdict? {
        if let owner, let until = awaitedOwners[owner], now < until {
            lookAgain(entry, at: now)
            return nil
        }
        awaitedOwners[identity] = nil
        leave(1)
        if let object = known[identity] {
            // Expected twice, leaked once.
            suppress(object, identity, entry)
            return nil
        }
        check(entry.circumstances, 1)
        if let owner, known[owner] != nil {
            shadow(entry, identity, at: now)
            return nil
        }
        return leak(entry, identity, at: now, reportID: reportID)
    }

    /// Counts an object that was to be ignored before it was expected.
    private mutating func suppress(
        _ object: KnownObjects<Subject>.Known, _ identity: ObjectIdentifier, _ entry: Entry
    ) {
        guard object.state == .muted, !object.isSuppressed else { return }
        known.set(identity, .muted, isSuppressed: true)
        counts.suppressed += 1
        check(entry.circumstances, 1)
    }

    private mutating func shadow(_ entry: Entry, _ identity: ObjectIdentifier, at now: Int) {
        let number = known.insert(
            identity, entry.subject, type: entry.circumstances.type, .shadowed,
            isCounted: entry.circumstances.isCounted, at: now)
        guard let number else { return }
        counts.suppressed += 1
        var entry = entry
        entry.stage = .shadowed(Entry.Trace(identity: identity, number: number, since: now))
        ring.insert(entry, dueAt: nextLook(age: 0, at: now))
    }

    private mutating func stepOut(
        _ entry: Entry, _ trace: Entry.Trace, _ owner: ObjectIdentifier?, at now: Int, reportID: () -> String
    ) -> Verdict? {
        guard let object = known[trace.identity], object.number == trace.number, object.state == .shadowed
        else { return nil }
        // As long as its owner is looked at, and no longer.
        let age = now - trace.since
        guard age < limits.survivorMilliseconds else { return nil }
        if let owner, known[owner] != nil {
            ring.insert(entry, dueAt: nextLook(age: age, at: now))
            return nil
        }
        known.remove(trace.identity)
        counts.suppressed -= 1
        return leak(entry, trace.identity, at: now, reportID: reportID)
    }

    private mutating func leak(
        _ entry: Entry, _ identity: ObjectIdentifier, at now: Int, reportID: () -> String
    ) -> Verdict {
        let circumstances = entry.circumstances
        if circumstances.isCounted { counts.leaked += 1 }
        let id = reportID()
        let mayBeWatched =
            !circumstances.isCounted
            || (known.watched < limits.survivors && limits.survivorMilliseconds > 0)
        let number = known.insert(
            identity, entry.subject, type: circumstances.type, .told(reportID: id, isWatched: mayBeWatched),
            isCounted: circumstances.isCounted, at: now)
        if let number, mayBeWatched {
            var entry = entry
            entry.stage = .survivor(Entry.Trace(identity: identity, number: number, since: now))
            ring.insert(entry, dueAt: nextLook(age: 0, at: now))
        }
        return .leaked(
            identity, reportID: id, waitedMilliseconds: now - entry.startedAt,
            alive: max(known.told(of: ObjectIdentifier(circumstances.type)), 1),
            isWatched: number != nil && mayBeWatched)
    }

    private mutating func watch(_ entry: Entry, _ trace: Entry.Trace, at now: Int) -> Verdict? {
        guard let object = known[trace.identity], object.number == trace.number,
            case .told(let reportID, _) = object.state
        else { return nil }
        let age = now - trace.since
        guard age < limits.survivorMilliseconds || !object.isCounted else {
            // Known until it has gone, so that it is not told of again.
            known.set(trace.identity, .told(reportID: reportID, isWatched: false), isSuppressed: false)
            return .forgotten(reportID: reportID)
        }
        ring.insert(entry, dueAt: nextLook(age: age, at: now))
        return nil
    }

    /// After an eighth of its age, so that the age told of is right to an eighth; with others, so that many are one wake-up.
    private func nextLook(age: Int, at now: Int) -> Int {
        let step = min(max(age / 8, 1_000), 60_000)
        let grid = step < 4_000 ? 1_000 : step < 16_000 ? 4_000 : step < 60_000 ? 16_000 : 60_000
        return (now + step) / grid * grid
    }
}

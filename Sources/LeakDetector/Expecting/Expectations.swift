/// What is expected to go, and what follows from its staying. Decides; looks at nothing itself.
///
/// A value without lock, clock or timer. Times are milliseconds of its owner's clock. Looking at an object can make
/// the looker its last owner, whose release then runs the app's `deinit`: so the owner takes what is due, looks
/// outside of any lock, and comes back with what it saw.
struct Expectations<Subject: Sendable> {
    typealias Entry = Expectation<Subject>

    let limits: LeakDetector.Limits
    private var ring = BucketRing<Entry>()
    private var survivors: Survivors<Subject>
    private var checks = CheckCounts()
    /// Objects that were said to be in use after they were expected to go.
    private var used: Set<ObjectIdentifier> = []
    private(set) var counts = LeakDetector.Counts()

    init(limits: LeakDetector.Limits) {
        self.limits = limits.sound
        survivors = Survivors(limit: self.limits.survivors)
    }

    /// When to look next, or `nil` while nothing waits.
    var nextDue: Int? { ring.nextDue }

    /// Takes a place among those that are waited for, unless too many are.
    ///
    /// - Parameter identity: of an object that waits elsewhere.
    /// - Returns: whether there was one.
    mutating func admit(_ identity: ObjectIdentifier? = nil) -> Bool {
        if !used.isEmpty, let identity { used.remove(identity) }
        guard counts.outstanding < limits.outstanding else {
            counts.dropped += 1
            return false
        }
        counts.outstanding += 1
        return true
    }

    /// Starts a grace period, unless too many run already.
    ///
    /// - Returns: when it is over, or `nil` if it did not start.
    mutating func expect(
        _ subject: Subject, _ circumstances: Circumstances, graceMilliseconds: Int, at now: Int
    ) -> Int? {
        guard admit() else { return nil }
        let due = now + min(max(graceMilliseconds, 0), LeakDetector.Limits.longestGraceMilliseconds)
        ring.insert(Entry(subject: subject, circumstances: circumstances, startedAt: now), dueAt: due)
        return due
    }

    /// Goes on with objects that had their grace period elsewhere, and are gone.
    mutating func settle(_ type: AnyClass, count: Int) {
        counts.outstanding -= count
        check(type, count)
    }

    /// Counts an object that nobody had to wait for.
    mutating func check(_ circumstances: Circumstances) {
        if circumstances.isCounted { check(circumstances.type, 1) }
    }

    /// Goes on with an object that had its grace period elsewhere, and outlived it.
    mutating func outlived(_ subject: Subject, _ circumstances: Circumstances, startedAt: Int, at now: Int) {
        lookAgain(Entry(subject: subject, circumstances: circumstances, startedAt: startedAt), at: now)
    }

    /// Takes what is to be looked at now. Each goes to ``judge(_:_:at:reportID:)`` with what was seen.
    mutating func takeDue(at now: Int) -> [Entry] { ring.takeDue(at: now) }

    /// The survivor that was reported under that identity, to be looked at before an object of the same identity is
    /// judged: it may have gone, and its place in memory been given to another.
    func survivor(_ identity: ObjectIdentifier) -> Subject? { survivors[identity]?.subject }

    /// Forgets a survivor that is not there any more, so that another object may have its identity.
    mutating func forgetSurvivor(_ identity: ObjectIdentifier) { survivors.remove(identity) }

    /// Decides what a look at a due object means, and when to look again.
    mutating func judge(_ entry: Entry, _ sight: Sight, at now: Int, reportID: () -> String) -> Verdict? {
        defer { if counts.outstanding == 0 { used = [] } }
        switch (entry.stage, sight) {
        case (.grace, .gone), (.secondLook, .gone):
            counts.outstanding -= 1
            if !entry.circumstances.isPart { check(entry.circumstances) }
        case (.grace, .inUse), (.secondLook, .inUse):
            counts.outstanding -= 1
        case (.grace, .retained):
            lookAgain(entry, at: now)
        case (.secondLook, .retained(let identity)):
            counts.outstanding -= 1
            guard !used.contains(identity) else { return nil }
            return outlast(entry, identity, at: now, reportID: reportID)
        case (.shadowed, .gone), (.shadowed, .inUse):
            break
        case (.shadowed(let since), .retained(let identity)):
            return stepOut(entry, identity, shadowedSince: since, at: now, reportID: reportID)
        case (.survivor(let survivor), .retained):
            return watch(entry, survivor, at: now)
        case (.survivor(let survivor), .gone), (.survivor(let survivor), .inUse):
            return end(of: survivor.identity, survivor.reportID, as: sight, at: now)
        }
        return nil
    }

    /// Takes news of a survivor that did not wait for a look.
    ///
    /// - Parameter sight: `gone` or `inUse`.
    mutating func end(of identity: ObjectIdentifier, as sight: Sight, at now: Int) -> Verdict? {
        guard let survivor = survivors[identity] else { return nil }
        return end(of: identity, survivor.reportID, as: sight, at: now)
    }

    /// Takes news of an object that is in use, whether it was reported or is still waited for: what was expected of it before
    /// now holds no more.
    mutating func use(_ identity: ObjectIdentifier, at now: Int) -> Verdict? {
        if counts.outstanding > 0, used.count < limits.outstanding { used.insert(identity) }
        return end(of: identity, as: .inUse, at: now)
    }

    /// Takes back that an object leaked. It stays known, so that it is never told of again.
    mutating func mute(_ identity: ObjectIdentifier) {
        guard survivors.mute(identity) else { return }
        counts.leaked -= 1
        counts.suppressed += 1
    }

    /// Makes an object known as one that is never told of.
    mutating func ignore(_ subject: Subject, _ identity: ObjectIdentifier, type: AnyClass, at now: Int) {
        mute(identity)
        survivors.insertMuted(subject, identity, type: type, at: now)
    }

    /// What was checked since the last call.
    mutating func takeChecks() -> [(type: AnyClass, count: Int)] { checks.take() }

    /// Counts objects that were looked at, or had gone before.
    mutating func check(_ type: AnyClass, _ count: Int) {
        counts.checked += count
        checks.add(type, count, limit: limits.checkedTypes)
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
        _ entry: Entry, _ identity: ObjectIdentifier, at now: Int, reportID: () -> String
    ) -> Verdict? {
        // Expected twice, leaked once; or muted.
        guard survivors[identity] == nil else { return nil }
        guard !isShadowed(entry) else {
            counts.suppressed += 1
            shadow(entry, since: now, at: now)
            return nil
        }
        return leak(entry, identity, at: now, reportID: reportID)
    }

    private func isShadowed(_ entry: Entry) -> Bool {
        entry.circumstances.owner.map { survivors[$0] != nil } ?? false
    }

    private mutating func shadow(_ entry: Entry, since: Int, at now: Int) {
        guard now - since < limits.survivorMilliseconds else { return }
        var entry = entry
        entry.stage = .shadowed(since: since)
        ring.insert(entry, dueAt: nextLook(age: now - since, at: now))
    }

    private mutating func stepOut(
        _ entry: Entry, _ identity: ObjectIdentifier, shadowedSince since: Int, at now: Int,
        reportID: () -> String
    ) -> Verdict? {
        guard survivors[identity] == nil else { return nil }
        guard !isShadowed(entry) else {
            shadow(entry, since: since, at: now)
            return nil
        }
        counts.suppressed -= 1
        return leak(entry, identity, at: now, reportID: reportID)
    }

    private mutating func leak(
        _ entry: Entry, _ identity: ObjectIdentifier, at now: Int, reportID: () -> String
    ) -> Verdict {
        check(entry.circumstances)
        if entry.circumstances.isCounted { counts.leaked += 1 }
        let survivor = Entry.Survivor(reportID: reportID(), identity: identity, since: now)
        let (alive, isWatched) = survivors.insert(
            entry.subject, survivor.reportID, identity, entry.circumstances, at: now)
        if isWatched { _ = watch(entry, survivor, at: now) }
        return .leaked(
            identity, reportID: survivor.reportID, waitedMilliseconds: now - entry.startedAt, alive: alive,
            isWatched: isWatched)
    }

    private mutating func end(
        of identity: ObjectIdentifier, _ reportID: String, as sight: Sight, at now: Int
    ) -> Verdict? {
        // Told already, or the place in memory has another survivor by now.
        guard let survivor = survivors[identity], survivor.reportID == reportID else { return nil }
        // What is never to be told of stays known while it is there.
        guard !survivor.isMuted || sight == .gone else { return nil }
        let alive = survivors.remove(identity)
        guard !survivor.isMuted else { return nil }
        let lived = now - survivor.since
        guard sight == .inUse else {
            if survivor.isCounted { counts.freed += 1 }
            return .freed(reportID: reportID, livedMilliseconds: lived, alive: alive)
        }
        counts.cameBack += 1
        return .cameBack(reportID: reportID, livedMilliseconds: lived, alive: alive)
    }

    private mutating func watch(_ entry: Entry, _ survivor: Entry.Survivor, at now: Int) -> Verdict? {
        guard let known = survivors[survivor.identity], known.reportID == survivor.reportID, !known.isMuted
        else { return nil }
        let age = now - survivor.since
        guard age < limits.survivorMilliseconds else {
            survivors.remove(survivor.identity)
            return .forgotten(reportID: survivor.reportID)
        }
        var entry = entry
        entry.stage = .survivor(survivor)
        ring.insert(entry, dueAt: nextLook(age: age, at: now))
        return nil
    }

    /// After an eighth of its age, so that the age told of is right to an eighth.
    private func nextLook(age: Int, at now: Int) -> Int { now + min(max(age / 8, 1_000), 60_000) }
}

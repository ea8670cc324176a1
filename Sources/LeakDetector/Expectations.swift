/// What is expected to go, and what follows from its staying. Decides; looks at nothing itself.
///
/// A value without lock, clock or timer. Times are milliseconds of its owner's clock. Looking at an object can make
/// the looker its last owner, whose release then runs the app's `deinit`: so the owner takes what is due, looks
/// outside of any lock, and comes back with what it saw.
struct Expectations<Subject: Sendable> {
    typealias Entry = Expectation<Subject>

    let limits: LeakDetector.Limits
    private var ring = BucketRing<Entry>()
    /// Objects that were reported and are not known to have gone, by identity.
    private var survivors: [ObjectIdentifier: (subject: Subject, reportID: String)] = [:]
    private var survivorsOfType: [ObjectIdentifier: Int] = [:]
    private(set) var checks: [ObjectIdentifier: (type: AnyClass, count: Int)] = [:]
    private(set) var counts = LeakDetector.Counts()

    init(limits: LeakDetector.Limits) { self.limits = limits.sound }

    /// When to look next, or `nil` while nothing waits.
    var nextDue: Int? { ring.nextDue }

    /// Starts a grace period, unless too many run already.
    ///
    /// - Returns: whether it started.
    mutating func expect(
        _ subject: Subject, _ circumstances: Entry.Circumstances, graceMilliseconds: Int, at now: Int
    ) -> Bool {
        guard counts.outstanding < limits.outstanding else {
            counts.dropped += 1
            return false
        }
        counts.outstanding += 1
        let entry = Entry(subject: subject, circumstances: circumstances, startedAt: now)
        ring.insert(
            entry, dueAt: now + min(max(graceMilliseconds, 0), LeakDetector.Limits.longestGraceMilliseconds))
        return true
    }

    /// Takes what is to be looked at now. Each goes to ``judge(_:_:at:reportID:)`` with what was seen.
    mutating func takeDue(at now: Int) -> [Entry] { ring.takeDue(at: now) }

    /// The survivor that was reported under that identity, to be looked at before an object of the same identity is
    /// judged: it may have gone, and its place in memory been given to another.
    func survivor(_ identity: ObjectIdentifier) -> Subject? { survivors[identity]?.subject }

    /// Forgets a survivor that is not there any more, so that another object may have its identity.
    mutating func forgetSurvivor(_ identity: ObjectIdentifier) { survivors[identity] = nil }

    /// Decides what a look at a due object means, and when to look again.
    mutating func judge(_ entry: Entry, _ sight: Sight, at now: Int, reportID: () -> String) -> Verdict? {
        switch (entry.stage, sight) {
        case (.grace, .gone), (.secondLook, .gone):
            settle(entry)
            return nil
        case (.grace, .alive):
            var entry = entry
            entry.stage = .secondLook
            ring.insert(entry, dueAt: now + limits.secondLookMilliseconds)
            return nil
        case (.secondLook, .alive(let identity)):
            return leak(entry, identity, at: now, reportID: reportID)
        case (.survivor(let survivor), .gone):
            return free(entry, survivor, at: now)
        case (.survivor(let survivor), .alive):
            watch(entry, survivor, at: now)
            return nil
        }
    }

    /// What was checked since the last call.
    mutating func takeChecks() -> [(type: AnyClass, count: Int)] {
        defer { checks = [:] }
        return Array(checks.values)
    }

    private mutating func settle(_ entry: Entry) {
        counts.outstanding -= 1
        counts.checked += 1
        let type: AnyClass = entry.circumstances.type
        let key = ObjectIdentifier(type)
        guard checks[key] != nil || checks.count < limits.checkedTypes else { return }
        checks[key] = (type, (checks[key]?.count ?? 0) + 1)
    }

    private mutating func leak(
        _ entry: Entry, _ identity: ObjectIdentifier, at now: Int, reportID: () -> String
    ) -> Verdict? {
        guard survivors[identity] == nil else {
            // Expected twice, leaked once.
            counts.outstanding -= 1
            return nil
        }
        settle(entry)
        counts.leaked += 1
        let survivor = Entry.Survivor(reportID: reportID(), identity: identity, since: now)
        let type = ObjectIdentifier(entry.circumstances.type)
        let alive = (survivorsOfType[type] ?? 0) + 1
        if survivors.count < limits.survivors {
            survivors[identity] = (entry.subject, survivor.reportID)
            survivorsOfType[type] = alive
            watch(entry, survivor, at: now)
        }
        return .leaked(
            reportID: survivor.reportID, waitedMilliseconds: now - entry.startedAt, alive: alive)
    }

    private mutating func free(_ entry: Entry, _ survivor: Entry.Survivor, at now: Int) -> Verdict {
        counts.freed += 1
        let alive = forget(entry, survivor)
        return .freed(reportID: survivor.reportID, livedMilliseconds: now - survivor.since, alive: alive)
    }

    /// Looks again after an eighth of its age, so that the age told of is right to an eighth.
    private mutating func watch(_ entry: Entry, _ survivor: Entry.Survivor, at now: Int) {
        let age = now - survivor.since
        guard age < limits.survivorMilliseconds else {
            _ = forget(entry, survivor)
            return
        }
        var entry = entry
        entry.stage = .survivor(survivor)
        ring.insert(entry, dueAt: now + min(max(age / 8, 1_000), 60_000))
    }

    /// - Returns: how many survivors of the type are left.
    private mutating func forget(_ entry: Entry, _ survivor: Entry.Survivor) -> Int {
        // Unless the place in memory has another survivor by now.
        if survivors[survivor.identity]?.reportID == survivor.reportID { survivors[survivor.identity] = nil }
        let type = ObjectIdentifier(entry.circumstances.type)
        let left = max((survivorsOfType[type] ?? 1) - 1, 0)
        survivorsOfType[type] = left == 0 ? nil : left
        return left
    }
}

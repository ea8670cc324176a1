/// Objects that are expected to be freed. Decides what is a leak. Looks only at parts of an object that is in use again.
///
/// A value without lock, clock or timer. Times are milliseconds of its owner's clock. Looking at an object can make
/// the looker its last owner, whose release then runs the app's `deinit`: so the owner takes what is due, looks
/// outside of any lock, and comes back with what it saw.
struct Expectations<Subject: Sendable> {
    typealias Entry = Expectation<Subject>

    let limits: LeakDetector.Limits
    var ring = BucketRing<Entry>()
    var known = KnownObjects<Subject>()
    private var checks = CheckCounts()
    private var sampling = Sampling()
    var uses = ObjectUses()
    /// Of those that are waited for.
    private(set) var longestGrace = 0
    /// Owners of objects that are waited for; and which of those owners are waited for themselves.
    var owners: Set<ObjectIdentifier> = []
    /// With the time by which they are judged themselves.
    var awaitedOwners: [ObjectIdentifier: Int] = [:]
    var sequence = 0
    var counts = LeakDetector.Counts()
    /// Objects that were looked at here. The caller takes them, and lets go of them where objects may end.
    var lookedAt: [AnyObject] = []

    init(limits: LeakDetector.Limits) { self.limits = limits.sound }

    /// When to look next, or `nil` while nothing waits.
    var nextDue: Int? { ring.nextDue }

    var isFull: Bool { counts.outstanding >= limits.outstanding }

    /// Indicates whether so few wait that the share of objects that are waited for may grow.
    private var isRoomy: Bool { counts.outstanding < limits.outstanding / 4 }

    /// Indicates whether the objects that have gone left so little room that only a share of the others can be waited for.
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

    /// True if an object came into use again since others were expected, or may have: then the time when it is expected counts.
    func wasUsed(_ identity: ObjectIdentifier) -> Bool {
        uses.lastUnrecorded > 0 || uses.sequence(of: identity) != nil
    }

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
            Entry(
                subject: subject, circumstances: circumstances, startedAt: now, expectedIdentity: identity,
                sequence: sequence),
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

    /// Returns whether an object that waits elsewhere is left out too. Call it for each after ``thinOutAwaited(_:)``.
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

    mutating func leave(_ count: Int) {
        counts.outstanding -= count
        guard counts.outstanding == 0 else { return }
        (uses, owners, awaitedOwners, longestGrace) = (ObjectUses(), [], [:], 0)
        sampling.reset()
    }
}

/// The objects that are expected to be deallocated, and the rules that decide which of them are leaks.
///
/// The type uses no lock, clock or timer. Times are milliseconds of the caller's ``ActiveClock``. A check retains its object
/// for a moment, and if that was the last reference, releasing it runs the app's `deinit`. So the caller takes the due objects,
/// checks them outside of any lock, and passes the results to ``evaluate(_:_:owner:at:reportID:)``. Only objects that belong to
/// an object in use again are checked here, and then stay retained in ``checkedObjects``.
struct Expectations<Subject: Sendable> {
    typealias Entry = Expectation<Subject>

    let limits: LeakDetector.Limits
    var wheel = TimingWheel<Entry>()
    var knownObjects = KnownObjects<Subject>()
    private var checks = CheckCounts()
    private var sampler = Sampler()
    var uses = ObjectUses()
    /// The longest grace period of the objects that are waited for, in milliseconds.
    private(set) var longestGrace = 0
    /// The identities of the owners of objects that are waited for.
    var owners: Set<ObjectIdentifier> = []
    /// Owners that are themselves waited for, each with the time by which its own second check is over.
    var awaitedOwners: [ObjectIdentifier: Int] = [:]
    /// The sequence number of the last expectation or use, see ``Expectation/sequence``.
    var sequence = 0
    var counts = LeakDetector.Counts()
    /// Objects that were compared with an object in use again, and are still retained. The caller releases them on the queue
    /// where objects may be deallocated.
    var checkedObjects: [AnyObject] = []

    init(limits: LeakDetector.Limits) { self.limits = limits.validated }

    /// The time of the next check; `nil` if no object waits.
    var nextDue: Int? { wheel.nextDue }

    var isFull: Bool { counts.outstanding >= limits.outstanding }

    /// `true` while less than a quarter of the room is used, so that the share of objects that are waited for may grow.
    private var hasSpareCapacity: Bool { counts.outstanding < limits.outstanding / 4 }

    /// `true` while more than three quarters of the room are used, so that only a share of the objects can be waited for.
    var isNearCapacity: Bool { counts.outstanding > limits.outstanding / 4 * 3 }

    /// Counts an object as waited for, unless too many objects are waited for, or only a share of them that leaves this object
    /// out.
    ///
    /// - Parameters:
    ///   - identity: the identity of the object; `nil` if it is not known yet.
    ///   - due: the end of its grace period.
    ///   - bypassesSampling: `true` if the object is waited for even when only a share of all objects is. Used for screens and
    ///     views, which are few.
    /// - Returns: `true` if the object is waited for.
    mutating func admit(
        _ identity: ObjectIdentifier?, _ context: borrowing ExpectationContext, dueAt due: Int,
        bypassesSampling: Bool = false, at now: Int
    ) -> Bool {
        if !sampler.acceptsAll, hasSpareCapacity { sampler.double() }
        guard !isFull, bypassesSampling || !context.isCounted || sampler.shouldAcceptNext() else {
            countUnseen(context.type, isCounted: context.isCounted, count: 1)
            return false
        }
        counts.outstanding += 1
        longestGrace = max(longestGrace, due - now)
        if !owners.isEmpty, let identity, owners.contains(identity) {
            // At that time, the second checks of the object and of its own owner are over, so the object is known or was
            // deallocated.
            let until = due + limits.secondCheckMilliseconds + 2 * Self.partDelayMilliseconds
            awaitedOwners[identity] = max(awaitedOwners[identity] ?? 0, until)
        }
        return true
    }

    /// Returns `true` if an object came into use again while other objects were waited for, or if it may have come into use. An
    /// expectation of it then needs a sequence number.
    func wasUsed(_ identity: ObjectIdentifier) -> Bool {
        uses.lastUnrecordedSequence > 0 || uses.sequence(of: identity) != nil
    }

    /// Starts a grace period, if the object is admitted: ``admit(_:_:dueAt:bypassesSampling:at:)``.
    ///
    /// - Parameters:
    ///   - identity: the identity of the object, if it is known yet.
    ///   - owner: the identity of the object's owner, if the owner should be deallocated too.
    ///   - bypassesSampling: `true` if the object is waited for even when only a share of all objects is.
    /// - Returns: the end of the grace period, or `nil` if it did not start.
    mutating func expect(
        _ subject: Subject, _ context: ExpectationContext, identity: ObjectIdentifier? = nil,
        owner: ObjectIdentifier? = nil, graceMilliseconds: Int, bypassesSampling: Bool = false, at now: Int
    ) -> Int? {
        let due = now + min(max(graceMilliseconds, 0), LeakDetector.Limits.longestGraceMilliseconds)
        guard admit(identity, context, dueAt: due, bypassesSampling: bypassesSampling, at: now) else {
            return nil
        }
        if let owner { owners.insert(owner) }
        sequence += 1
        wheel.insert(
            Entry(
                subject: subject, context: context, startedAt: now, expectedIdentity: identity,
                sequence: sequence),
            dueAt: due)
        return due
    }

    /// Records objects of a ``GraceTimingWheel`` that were deallocated.
    mutating func recordDeallocated(_ context: ExpectationContext, count: Int) {
        stopWaiting(count)
        if !context.isPart { countChecks(context, count) }
    }

    /// Records objects that were deallocated before they were due.
    mutating func recordDeallocated(where isGone: (Subject) -> Bool) {
        for entry in wheel.take(where: { $0.isAwaited && isGone($0.subject) }) {
            recordDeallocated(entry.context, count: 1)
        }
    }

    /// Halves the share of objects that are waited for: half of the waiting objects are left out, and half as many later
    /// objects are accepted.
    ///
    /// - Parameter mayBeLeftOut: called with each waiting object; `false` keeps it.
    mutating func sampleAwaited(_ mayBeLeftOut: (Subject) -> Bool) {
        sampler.halve()
        let left = wheel.take { entry in
            guard entry.isAwaited, entry.context.isCounted, mayBeLeftOut(entry.subject) else {
                return false
            }
            return sampler.shouldDropNext()
        }
        for entry in left { stopWaiting(1, unseen: entry.context) }
    }

    /// Decides whether the next object of a ``GraceTimingWheel`` is left out, by the same share as in ``sampleAwaited(_:)``.
    /// Call it once for each such object after that function.
    ///
    /// - Returns: `true` if the object is left out.
    mutating func shouldDropNext() -> Bool { sampler.shouldDropNext() }

    /// Stops waiting for objects without having checked them.
    mutating func stopWaiting(_ count: Int, unseen context: ExpectationContext) {
        countUnseen(context.type, isCounted: context.isCounted, count: count)
        stopWaiting(count)
    }

    private mutating func countUnseen(_ type: AnyClass, isCounted: Bool, count: Int) {
        guard isCounted else { return }
        counts.dropped += count
        checks.add(unseen: count, of: type, limit: limits.checkedTypes)
    }

    /// Continues with an object of a ``GraceTimingWheel`` that outlived its grace period.
    mutating func continueAfterGracePeriod(
        _ subject: Subject, _ context: ExpectationContext, startedAt: Int, at now: Int
    ) {
        scheduleSecondCheck(Entry(subject: subject, context: context, startedAt: startedAt), at: now)
    }

    /// Returns the state after a stop, when nothing is waited for any more: only the counts and the checks remain.
    func stopped(_ limits: LeakDetector.Limits) -> Self {
        var rest = Self(limits: limits)
        rest.counts = counts
        rest.counts.outstanding = 0
        rest.checks = checks
        return rest
    }

    /// Returns the checks since the last call.
    mutating func takeChecks() -> [CheckCounts.OfType] { checks.take() }

    /// Returns the number of objects that were never checked since the last call and whose types are beyond
    /// ``LeakDetector/Limits/checkedTypes``.
    mutating func takeUnseenOfOtherTypes() -> Int { checks.takeUnseenOfOtherTypes() }

    /// Counts objects that were checked, or were deallocated before their check.
    mutating func countChecks(_ context: ExpectationContext, _ count: Int) {
        guard context.isCounted else { return }
        counts.checked += count
        checks.add(context.type, count, limit: limits.checkedTypes)
    }

    /// Subtracts objects that are no longer waited for.
    mutating func stopWaiting(_ count: Int) {
        counts.outstanding -= count
        guard counts.outstanding == 0 else { return }
        (uses, owners, awaitedOwners, longestGrace) = (ObjectUses(), [], [:], 0)
        sampler.reset()
    }
}

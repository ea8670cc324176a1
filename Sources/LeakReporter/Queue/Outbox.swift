import LeakPlatform
internal import LeakGrammar
import LeakMessage

/// What waits, what is on its way, and what is to be done next. Its owner tells it the time and what happened.
///
/// Each change is on the disk, as far as that takes it, when ``commit(at:)`` returns.
struct Outbox {
    enum Step: Hashable, Sendable {
        /// Nothing is due before that moment, or before something is recorded.
        case wait(until: Moment?)
        /// Send this and tell ``finish(_:_:at:jitter:)`` what came of it.
        case send(SegmentQueue.Batch)
    }

    private(set) var queue: SegmentQueue
    private(set) var schedule: DeliverySchedule
    private(set) var budget: Budget
    private var context = Context()
    /// The user of what is recorded next. It goes with each report and not with the batch: an app that changes it often has
    /// no more batches than another one.
    private var user: String?
    private var session: SessionLog?
    private var polls: PollPace
    private let rules: Rules
    /// Everything up to that record is to go at once; `nil` as long as nobody asked for it.
    private var hurriedThrough: UInt64?
    private var isAway = false
    private(set) var isCollecting = true
    /// False if the collector's last answer asked for no explanations.
    var takesExplanations = true
    /// Nothing is collected, and the user has not been asked yet.
    private var isUnanswered = false
    private var stateFailure: String?
    /// Whether the app is to be asked for its checks in the session that begins when it collects; `nil` for none.
    private var awaitsSession: Bool?

    /// What the app has decided about its reports.
    struct Rules: Sendable {
        /// Why nothing is kept or sent; `nil` if all is well.
        var refusal: LeakReporter.DropReason?
        /// Nothing of this run is sent, by lot.
        var isSampledOut = false
        var sendsAutomatically = true
        var redaction = LeakReporter.Redaction.standard
        var beforeSend: (@Sendable (LeakReport) -> LeakReport?)?
    }

    init(queue: SegmentQueue, backoff: Backoff, budget: Budget, rules: Rules) {
        self.queue = queue
        user = queue.origin.user
        self.queue.change { $0.user = nil }
        schedule = DeliverySchedule(backoff)
        self.budget = budget
        self.rules = rules
        polls = PollPace(milliseconds: queue.bounds.pollMilliseconds)
    }

    private var takesDenominators: Bool { isCollecting && rules.refusal == nil && !rules.isSampledOut }

    /// True if an explanation would be kept.
    var wantsExplanations: Bool { takesDenominators && takesExplanations }

    // MARK: What the app says

    /// - Parameter ticket: the number of the record, higher with each.
    mutating func number(_ ticket: UInt64) { queue.ticket = ticket }

    mutating func record(_ sighting: LeakReport, at now: Now) {
        guard isCollecting else { return }
        let count = sighting.boundedCount
        if let reason = rules.refusal { return queue.drop(count, reason) }
        if rules.isSampledOut { return queue.drop(count, .sampled) }
        guard let report = prepared(sighting) else { return queue.drop(count, .beforeSend) }
        // A leak that the app knows better about is none of the session's.
        if report.isLeak { session?.add(leaks: count) }
        keep(report, count: count, at: now)
    }

    /// The report as it is kept; `nil` if `beforeSend` keeps it back.
    private func prepared(_ sighting: LeakReport) -> LeakReport? {
        var report = context.added(to: sighting)
        if rules.redaction == .standard { report = report.redactedForSending() }
        report = report.namingLeak()
        guard let beforeSend = rules.beforeSend else { return report }
        return beforeSend(report)?.identified(as: report).boundedForQueue()
    }

    private mutating func keep(_ sighting: LeakReport, count: Int, at now: Now) {
        var report = sighting
        if report.user == nil { report.user = user }
        queue.isSparing = budget.isSparing(at: now.wallTime)
        let key = FoldingKey(report, withKeys: true)
        if queue.fold(key, count: count, alive: sighting.alive, at: now) { return }
        let at = report.at ?? now.wallTime
        report.at = at
        if report.id == nil { report.id = queue.makeID(at) }
        let json = report.openJSON()
        guard json.count <= Framing.payloadLimit - 64 else { return queue.drop(count, .tooLong) }
        // The same leak whoever the user is.
        let isLeakKey = !sighting.hasValues && report.user == sighting.user
        let leak = isLeakKey ? key : FoldingKey(sighting)
        let verdict = budget.admit(leak, as: key, bytes: queue.sentBytes(of: json), at: now.wallTime)
        if case .over = verdict { return queue.drop(count, .budget) }
        queue.add(json, key, count: count, alive: report.alive, isNew: verdict == .first, at: now)
    }

    /// Keeps what was found out about a leak that was recorded before. No sighting is counted for it, also where it is not kept.
    mutating func record(explanationOf leak: LeakReport, at now: Now) {
        guard wantsExplanations, rules.refusal == nil, !rules.isSampledOut else { return }
        // As the sighting was, so that `beforeSend` keeps back what it kept back then.
        guard var report = prepared(leak)?.withExplanationAlone, report.explanation != nil else {
            return queue.dropExplanation()
        }
        let key = FoldingKey(report)
        report.at = report.at ?? now.wallTime
        let json = report.json()
        guard json.count <= Framing.payloadLimit - 64 else { return queue.dropExplanation() }
        if case .over = budget.admit(key, bytes: json.count, at: now.wallTime) {
            return queue.dropExplanation()
        }
        queue.add(explanation: json, at: now)
    }

    /// - Parameter unseen: objects that were not looked at, beside those of `checks`.
    mutating func record(_ checks: [ClassChecks], unseen: Int = 0, at now: Now) {
        guard takesDenominators else { return }
        session?.add(unseen: unseen)
        for check in checks {
            session?.add(checks: min(max(check.count, 0), WireLimits.classChecks))
            session?.add(unseen: check.unseen)
        }
        queue.add(checks, at: now)
    }

    mutating func record(_ session: EndedSession, at now: Now) {
        guard takesDenominators else { return }
        queue.add(session, at: now)
    }

    /// Kept in memory before the user has answered too, and sent only if the answer is yes.
    mutating func log(_ line: String) {
        if isCollecting || isUnanswered { context.log(line) }
    }

    /// Kept like ``log(_:)``.
    mutating func set(_ value: CustomKey.Value?, forKey name: String) {
        if isCollecting || isUnanswered { context.set(value, forKey: name) }
    }

    mutating func setUser(_ id: String?) {
        guard isCollecting || isUnanswered else { return }
        user = id.flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func setInstall(_ id: String?) { queue.change { $0.install = id } }

    // MARK: Sessions

    /// - Parameter isPolled: whether the app is to be asked for its checks.
    mutating func startSession(isPolled: Bool, at now: Now) {
        guard takesDenominators else {
            awaitsSession = isCollecting ? nil : isPolled
            return
        }
        budget.startSession()
        if isPolled { polls.start(at: now.moment) }
        session = SessionLog(
            EndedSession(
                id: queue.makeID(now.wallTime), startedAt: now.wallTime, checks: 0, leaks: 0),
            of: queue.origin)
    }

    mutating func endSession(at now: Now) {
        awaitsSession = nil
        guard let ended = session else { return }
        session = nil
        polls.stop()
        let isWorthTelling = !ended.session.isUnknown && takesDenominators
        queue.add(isWorthTelling ? ended.session : nil, log: ended.name, at: now)
    }

    var hasSession: Bool { session != nil }

    /// Whether the app should be asked for its checks.
    func isPollDue(at now: Now) -> Bool { polls.isDue(at: now.moment) }

    mutating func finishPoll(hasChecks: Bool, at now: Now) {
        polls.finish(foundSome: hasChecks, at: now.moment)
    }

    // MARK: What the app decides

    /// Makes everything recorded so far due now, but not against the collector's wish to be left alone.
    mutating func retryAllNow() {
        hurriedThrough = queue.ticket
        schedule.retryAllNow()
        queue.retries.retryAllNow()
    }

    mutating func adopt(at now: Now) {
        if isCollecting { queue.adopt(butNot: session?.name, at: now) }
    }

    /// Limits what ended runs with another endpoint, key or app left behind.
    mutating func expireForeign(at now: Now) { queue.expireForeign(at: now) }

    /// Throws everything away, what other runs left included, with whatever endpoint and key.
    mutating func deleteAll(at now: Now) {
        queue.adopt(butNot: session?.name, at: now)
        queue.deleteAll()
        queue.deleteForeign()
    }

    /// Collects nothing before the user has answered.
    mutating func awaitAnswer(at now: Now) {
        isUnanswered = true
        isCollecting = false
        deleteAll(at: now)
    }

    /// Off, nothing is kept or sent, and what was said so far is forgotten.
    mutating func setCollecting(_ isOn: Bool, at now: Now) {
        if !isOn, isUnanswered || isCollecting {
            (user, context) = (nil, Context())
        }
        isUnanswered = false
        guard isOn != isCollecting else { return }
        isCollecting = isOn
        guard !isOn else {
            if let isPolled = awaitsSession { startSession(isPolled: isPolled, at: now) }
            return awaitsSession = nil
        }
        // Begun again, it goes on as a session that starts then.
        awaitsSession = session.map { _ in polls.at != nil }
        if let session { queue.removeFile(session.name) }
        session = nil
        polls.stop()
        deleteAll(at: now)
    }

    mutating func countLost(_ count: Int, _ reason: LeakReporter.DropReason) {
        queue.drop(count, reason)
        if !isCollecting || rules.isSampledOut { queue.forgetDrops() }
    }

    mutating func stop(_ why: String) { schedule.stop(why) }

    /// Takes note of what other processes of the app have spent.
    mutating func setSpent(_ spent: Spending) { budget.spent = spent }

    mutating func noteStateFailure(_ why: String?) { stateFailure = why }

    mutating func commit(at now: Now) {
        queue.isSparing = budget.isSparing(at: now.wallTime)
        queue.commit(at: now)
        session?.save(to: queue.folder)
    }

    // MARK: Delivery

    /// What to do now.
    mutating func next(at now: Now) -> Step {
        guard !isAway, let start = sendsAt else { return .wait(until: polls.at) }
        guard start <= now.moment else { return .wait(until: min(start, polls.at ?? start)) }
        let last = rules.sendsAutomatically ? .max : hurriedThrough ?? 0
        queue.endForbidding(at: now)
        let hasFresh = queue.waiting.contains {
            !$0.isDeclined && $0.firstTicket <= last && queue.release(of: $0) <= now.moment
        }
        let hasDeclined = queue.waiting.contains {
            $0.isDeclined && $0.firstTicket <= last && queue.release(of: $0) <= now.moment
        }
        // A batch that fails or is declined again and again holds up nothing that is due.
        let closesOpen =
            queue.open.map { $0.dueAt != nil && queue.release(of: $0.held) <= now.moment } ?? false
        if !hasFresh, !hasDeclined || closesOpen { queue.close() }
        switch queue.nextBatch(through: last, at: now) {
        case .batch(let batch):
            isAway = true
            return .send(batch)
        case .none: return next(at: now)
        case .failure(let failure):
            postpone(failure.description, at: now)
            return .wait(until: [schedule.earliest, polls.at].compactMap(\.self).min())
        }
    }

    /// When the next attempt is made; the past while one is under way, `nil` when nothing is due.
    var sendsAt: Moment? {
        guard isCollecting, rules.refusal == nil, !schedule.isStopped else { return nil }
        if isAway { return .distantPast }
        return dueAt.map { max($0, schedule.earliest ?? $0) }
    }

    /// True if the next step is an attempt to send.
    func isAttemptDue(at now: Now) -> Bool { !isAway && (sendsAt.map { $0 <= now.moment } ?? false) }

    /// True if the next step is to send the newest reports.
    func isAboutToSend(at now: Now) -> Bool {
        isAttemptDue(at: now) && queue.waiting.allSatisfy { queue.release(of: $0) > now.moment }
    }

    /// Puts off an attempt that was not made.
    mutating func postpone(_ why: String, at now: Now) {
        schedule.finish(.postponed(afterMilliseconds: nil, why: why), at: now.moment, jitter: 1)
    }

    private var dueAt: Moment? {
        let sendsAll = rules.sendsAutomatically
        func isHurried(_ held: HeldSegment) -> Bool { hurriedThrough.map { held.firstTicket <= $0 } == true }
        let closed = queue.waiting.lazy.filter { sendsAll || isHurried($0) }
        // Without times of their own the first one is enough.
        let first = closed.first.map { _ in Moment.distantPast }
        let closedAt = !queue.hasReleases ? first : closed.map { queue.release(of: $0) }.min()
        guard let open = queue.open else { return closedAt }
        let dueAt = isHurried(open.held) ? .distantPast : sendsAll ? open.dueAt : nil
        return [closedAt, dueAt.map { max($0, queue.release(of: open.held)) }].compactMap(\.self).min()
    }

    /// Ends the attempt that ``next(at:)`` asked for.
    ///
    /// - Parameter jitter: a random number from 0 up to 1.
    mutating func finish(_ batch: SegmentQueue.Batch, _ delivery: Delivery, at now: Now, jitter: Double) {
        isAway = false
        var delivery = delivery
        if case .tooLong(isFinal: false, let why) = delivery, !queue.isDivisible(batch) {
            delivery = .declined(why: why)
        }
        let cause = self.cause(of: delivery, of: batch, at: now, jitter)
        schedule.finish(delivery, at: now.moment, jitter: jitter, isOfBatch: cause == .batch)
        switch delivery {
        case .accepted(let rejected, _, let takesExplanations):
            self.takesExplanations = takesExplanations
            queue.finishAccepted(batch, rejected: rejected)
        case .tooLong: queue.split(batch, at: now)
        case .refused: queue.finishRefused(batch, .refused, at: now)
        case .failed: queue.finishFailed(batch)
        case .postponed: queue.finishPostponed()
        case .declined: queue.finishUncounted(batch, isLast: true)
        case .unauthorized: queue.finishUncounted(batch, isLast: false)
        case .forbidden:
            if let held = queue.waiting.first(where: { $0.key == batch.key }) {
                queue.forbid(held.appID, until: schedule.whenForbidden(at: now.moment))
            }
            queue.finishUncounted(batch, isLast: false)
        }
    }

    private mutating func cause(
        of delivery: Delivery, of batch: SegmentQueue.Batch, at now: Now, _ jitter: Double
    ) -> BatchRetries.Cause? {
        switch delivery {
        case .failed, .declined:
            guard queue.waiting.contains(where: { $0.key == batch.key }) else { return nil }
            let backoff = schedule.backoff
            return queue.retries.fail(batch.key, at: now.moment) {
                backoff.milliseconds(afterFailures: $0, jitter: jitter)
            }
        case .accepted, .tooLong, .refused, .forbidden: queue.retries.succeed()
        case .postponed, .unauthorized: break
        }
        return nil
    }

    var statistics: LeakReporter.Statistics {
        var statistics = LeakReporter.Statistics()
        statistics.sent = queue.tally.sent
        statistics.waiting = queue.waitingSightings
        statistics.stored = queue.tally.stored
        statistics.dropped = queue.tally.dropped
        statistics.droppedExplanations = queue.tally.droppedExplanations
        statistics.batches = queue.tally.batches
        statistics.failedAttempts = schedule.failedAttempts
        statistics.lastFailure = schedule.lastFailure
        statistics.isStopped = schedule.isStopped
        statistics.isCollecting = isCollecting
        statistics.storageFailure = queue.failure ?? stateFailure
        return statistics
    }
}

extension LeakReport {
    /// How many sightings it stands for, as the collector will count them.
    var boundedCount: Int { min(max(count, 1), WireLimits.count) }

    /// Whether it tells of a leak, and not of the end of one.
    fileprivate var isLeak: Bool {
        if let event { return event == .leak }
        guard let message else { return true }
        return DetectorMessage(message).event != .freed
    }
}

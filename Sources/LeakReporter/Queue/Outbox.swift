import LeakPlatform
internal import LeakGrammar
import LeakMessage

/// The state machine of delivery: it holds the waiting reports and the batch that is being sent, and decides on the next step. Its
/// owner supplies the time and the events.
///
/// Changes are on the disk, if it accepts them, when ``commit(at:)`` returns.
struct Outbox: ~Copyable {
    enum Step: Hashable, Sendable {
        /// Nothing is due before the time `until`, or before the next record if `until` is `nil`.
        case wait(until: MonotonicTime?)
        /// Send this batch and call ``finish(_:_:at:jitter:)`` with the result.
        case send(SegmentQueue.Batch)
    }

    private(set) var queue: SegmentQueue
    private(set) var schedule: DeliverySchedule
    private(set) var quota: ReportQuota
    private var context = Context()
    /// The user of the following records. It is sent with each report and not with the batch, so that an app that changes it often
    /// does not need more batches.
    private var user: String?
    private var session: SessionLog?
    private var pollInterval: PollInterval
    private let configuration: LeakReporter.Configuration
    /// The reason why nothing is stored or sent; `nil` if there is none.
    private let blockingReason: LeakReporter.DropReason?
    /// `true` if sampling excludes this run, so that nothing of it is sent.
    private let isSampledOut: Bool
    /// All records up to this number are due now; `nil` if that was not requested.
    private var flushThrough: UInt64?
    private var isBatchInFlight = false
    private(set) var isCollecting = true
    /// `false` if the collector's last response asked the app to send no explanations.
    var takesExplanations = true
    /// `true` if nothing is collected because the user has not answered yet.
    private var isAwaitingChoice = false
    /// The reason why the choice about collecting could not be stored; `nil` if it was stored.
    private var stateFailure: String?
    /// Describes the session that starts when collecting begins: `true` if the app is to be asked for its checks during that
    /// session, `false` if not; `nil` if no session starts.
    private var isPendingSessionPolled: Bool?

    init(
        queue: SegmentQueue, backoff: Backoff, quota: ReportQuota, configuration: LeakReporter.Configuration,
        blockingReason: LeakReporter.DropReason? = nil, isSampledOut: Bool = false
    ) {
        self.queue = queue
        user = queue.origin.user
        self.queue.change { $0.user = nil }
        schedule = DeliverySchedule(backoff)
        self.quota = quota
        self.configuration = configuration
        self.blockingReason = blockingReason
        self.isSampledOut = isSampledOut
        pollInterval = PollInterval(milliseconds: queue.bounds.pollMilliseconds)
    }

    /// `true` if checks and sessions, the denominators of leak rates, are stored.
    private var acceptsChecksAndSessions: Bool {
        isCollecting && blockingReason == nil && !isSampledOut
    }

    /// `true` if an explanation would be stored.
    var wantsExplanations: Bool { acceptsChecksAndSessions && takesExplanations }

    // MARK: Records of the app

    /// Sets the number of the record that the following calls add. It increases with each record.
    mutating func setSequence(_ sequence: UInt64) { queue.sequence = sequence }

    mutating func record(_ sighting: LeakReport, at now: CurrentTime) {
        guard isCollecting else { return }
        let count = sighting.clampedCount
        if let blockingReason { return queue.drop(count, blockingReason) }
        if isSampledOut { return queue.drop(count, .sampled) }
        guard let report = prepare(sighting) else { return queue.drop(count, .beforeSend) }
        // A leak that `beforeSend` discarded does not count for the session.
        if report.isLeak { session?.add(leaks: count) }
        keep(report, count: count, at: now)
    }

    /// Returns the report as it is to be stored; `nil` if `beforeSend` discards it.
    private func prepare(_ sighting: LeakReport) -> LeakReport? {
        var report = context.added(to: sighting)
        if configuration.redaction == .standard { report = report.redactedForSending() }
        report = report.withIdentityPlaceholder()
        guard let beforeSend = configuration.beforeSend else { return report }
        return beforeSend(report)?.identified(as: report).truncatedForQueue()
    }

    private mutating func keep(_ sighting: LeakReport, count: Int, at now: CurrentTime) {
        var report = sighting
        if report.user == nil { report.user = user }
        queue.isThrottled = quota.isThrottled(at: now.wallTime)
        let key = ReportMergeKey(report, withKeys: true)
        if queue.merge(key, count: count, alive: sighting.alive, at: now) { return }
        let at = report.at ?? now.wallTime
        report.at = at
        if report.id == nil { report.id = queue.makeID(at) }
        let json = report.openJSON()
        guard json.count <= RecordCodec.payloadLimit - 64 else { return queue.drop(count, .tooLong) }
        // The key of the leak does not depend on the user.
        let isLeakKey = !sighting.hasDistinguishingValues && report.user == sighting.user
        let leak = isLeakKey ? key : ReportMergeKey(sighting)
        let result = quota.admit(leak, as: key, bytes: queue.sentBytes(of: json), at: now.wallTime)
        if case .over = result { return queue.drop(count, .budget) }
        queue.add(json, key, count: count, alive: report.alive, isNew: result == .first, at: now)
    }

    /// Stores the explanation of a leak that was recorded before. It does not count as a sighting, even if it is dropped.
    mutating func record(explanationOf leak: LeakReport, at now: CurrentTime) {
        guard wantsExplanations, blockingReason == nil, !isSampledOut else { return }
        // The report is prepared like the sighting, so that `beforeSend` discards the same leaks.
        guard var report = prepare(leak)?.explanationOnly, report.explanation != nil else {
            return queue.dropExplanation()
        }
        let key = ReportMergeKey(report)
        report.at = report.at ?? now.wallTime
        let json = report.json()
        guard json.count <= RecordCodec.payloadLimit - 64 else { return queue.dropExplanation() }
        if case .over = quota.admit(key, bytes: json.count, at: now.wallTime) {
            return queue.dropExplanation()
        }
        queue.add(explanation: json, at: now)
    }

    /// - Parameter unseen: the number of objects that were not checked, in addition to those of `checks`.
    mutating func record(_ checks: [ClassChecks], unseen: Int = 0, at now: CurrentTime) {
        guard acceptsChecksAndSessions else { return }
        session?.add(unseen: unseen)
        for check in checks {
            session?.add(checks: min(max(check.count, 0), WireLimits.classChecks))
            session?.add(unseen: check.unseen)
        }
        queue.add(checks, at: now)
    }

    mutating func record(_ session: EndedSession, at now: CurrentTime) {
        guard acceptsChecksAndSessions else { return }
        queue.add(session, at: now)
    }

    /// Adds a line to the log. Before the user has answered, it is kept in memory, and sent only if the answer is yes.
    mutating func log(_ line: String) {
        if isCollecting || isAwaitingChoice { context.addBreadcrumb(line) }
    }

    /// Sets a custom key. Before the user has answered, it is kept in memory, as in ``log(_:)``.
    mutating func set(_ value: CustomKey.Value?, forKey name: String) {
        if isCollecting || isAwaitingChoice { context.set(value, forKey: name) }
    }

    mutating func setUser(_ id: String?) {
        guard isCollecting || isAwaitingChoice else { return }
        user = id.flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func setInstall(_ id: String?) { queue.change { $0.install = id } }

    // MARK: Sessions

    /// - Parameter isPolled: `true` if the app is to be asked for its checks.
    mutating func startSession(isPolled: Bool, at now: CurrentTime) {
        guard acceptsChecksAndSessions else {
            isPendingSessionPolled = isCollecting ? nil : isPolled
            return
        }
        quota.startSession()
        if isPolled { pollInterval.start(at: now.monotonicTime) }
        session = SessionLog(
            EndedSession(
                id: queue.makeID(now.wallTime), startedAt: now.wallTime, checks: 0, leaks: 0),
            of: queue.origin)
    }

    mutating func endSession(at now: CurrentTime) {
        isPendingSessionPolled = nil
        guard let ended = session else { return }
        session = nil
        pollInterval.stop()
        let isWorthReporting = !ended.session.isEmpty && acceptsChecksAndSessions
        queue.add(isWorthReporting ? ended.session : nil, log: ended.name, at: now)
    }

    var hasSession: Bool { session != nil }

    /// Returns `true` if the app should be asked for its checks now.
    func isPollDue(at now: CurrentTime) -> Bool { pollInterval.isDue(at: now.monotonicTime) }

    /// Sets the time of the next poll, after the app was asked for its checks.
    mutating func finishPoll(foundChecks: Bool, at now: CurrentTime) {
        pollInterval.finish(foundChecks: foundChecks, at: now.monotonicTime)
    }

    // MARK: Requests of the app

    /// Makes everything recorded so far due now, but respects a delay requested by the collector.
    mutating func retryAllNow() {
        flushThrough = queue.sequence
        schedule.retryAllNow()
        queue.retries.retryAllNow()
    }

    mutating func adopt(at now: CurrentTime) {
        if isCollecting { queue.adopt(excluding: session?.name, at: now) }
    }

    /// Enforces limits on the files of ended runs with another endpoint, key or app.
    mutating func expireForeignSegments(at now: CurrentTime) { queue.expireForeignSegments(at: now) }

    /// Deletes everything, including the files of other runs with any endpoint and key.
    mutating func deleteAll(at now: CurrentTime) {
        queue.adopt(excluding: session?.name, at: now)
        queue.deleteAll()
        queue.deleteForeignSegments()
    }

    /// Turns collecting off until the user has answered, and deletes all reports that were stored without an answer.
    mutating func stopCollectingUntilAnswer(at now: CurrentTime) {
        isAwaitingChoice = true
        isCollecting = false
        deleteAll(at: now)
    }

    /// Turns collecting on or off. Turning it off deletes the context recorded so far. While it is off, nothing is stored or
    /// sent.
    mutating func setCollecting(_ isOn: Bool, at now: CurrentTime) {
        if !isOn, isAwaitingChoice || isCollecting {
            (user, context) = (nil, Context())
        }
        isAwaitingChoice = false
        guard isOn != isCollecting else { return }
        isCollecting = isOn
        guard !isOn else {
            if let isPolled = isPendingSessionPolled { startSession(isPolled: isPolled, at: now) }
            return isPendingSessionPolled = nil
        }
        // When collecting is turned on again, a new session starts then.
        isPendingSessionPolled = session.map { _ in pollInterval.nextPollAt != nil }
        if let session { queue.removeFile(session.name) }
        session = nil
        pollInterval.stop()
        deleteAll(at: now)
    }

    mutating func countLost(_ count: Int, _ reason: LeakReporter.DropReason) {
        queue.drop(count, reason)
        if !isCollecting || isSampledOut { queue.forgetDrops() }
    }

    mutating func stop(_ reason: String) { schedule.stop(reason) }

    /// Sets the usage of the day, which includes that of other processes of the app.
    mutating func setUsage(_ usage: DailyByteUsage) { quota.usage = usage }

    mutating func setStateFailure(_ reason: String?) { stateFailure = reason }

    mutating func commit(at now: CurrentTime) {
        queue.isThrottled = quota.isThrottled(at: now.wallTime)
        queue.commit(at: now)
        session?.save(to: queue.folder)
    }

    // MARK: Delivery

    /// Returns the next step.
    mutating func next(at now: CurrentTime) -> Step {
        guard !isBatchInFlight, let start = nextSendAt else { return .wait(until: pollInterval.nextPollAt) }
        guard start <= now.monotonicTime else {
            return .wait(until: min(start, pollInterval.nextPollAt ?? start))
        }
        let lastSequence = configuration.sendsAutomatically ? .max : flushThrough ?? 0
        queue.endForbiddenPeriods(at: now)
        let hasDueUntriedBatch = queue.waitingSegments.contains {
            !$0.isRetry && $0.firstSequence <= lastSequence
                && queue.releaseTime(of: $0) <= now.monotonicTime
        }
        let hasDueRetry = queue.waitingSegments.contains {
            $0.isRetry && $0.firstSequence <= lastSequence
                && queue.releaseTime(of: $0) <= now.monotonicTime
        }
        // A batch that fails or is not counted repeatedly must not delay anything that is due.
        let isOpenSegmentDue =
            queue.activeSegment.map {
                $0.dueAt != nil && queue.releaseTime(of: $0.queuedSegment) <= now.monotonicTime
            } ?? false
        if !hasDueUntriedBatch, !hasDueRetry || isOpenSegmentDue { queue.close() }
        switch queue.nextBatch(through: lastSequence, at: now) {
        case .batch(let batch):
            isBatchInFlight = true
            return .send(batch)
        case .none: return next(at: now)
        case .failure(let failure):
            postpone(failure.description, at: now)
            return .wait(until: [schedule.nextAttemptAt, pollInterval.nextPollAt].compactMap(\.self).min())
        }
    }

    /// The time of the next attempt; in the past while an attempt is in progress, `nil` if nothing is due or nothing may be
    /// sent.
    var nextSendAt: MonotonicTime? {
        guard isCollecting, blockingReason == nil, !schedule.isStopped else { return nil }
        if isBatchInFlight { return .distantPast }
        return dueAt.map { max($0, schedule.nextAttemptAt ?? $0) }
    }

    /// Returns `true` if the next step is an attempt to send.
    func isAttemptDue(at now: CurrentTime) -> Bool {
        !isBatchInFlight && (nextSendAt.map { $0 <= now.monotonicTime } ?? false)
    }

    /// Returns `true` if the next step is to send the newest reports.
    func sendsNewestReportsNext(at now: CurrentTime) -> Bool {
        isAttemptDue(at: now)
            && queue.waitingSegments.allSatisfy { queue.releaseTime(of: $0) > now.monotonicTime }
    }

    /// Postpones an attempt that was not made.
    mutating func postpone(_ reason: String, at now: CurrentTime) {
        schedule.finish(.postponed(afterMilliseconds: nil, reason: reason), at: now.monotonicTime, jitter: 1)
    }

    private var dueAt: MonotonicTime? {
        let (sendsAll, flushThrough, queue) = (configuration.sendsAutomatically, flushThrough, queue)
        func mustFlush(_ queuedSegment: QueuedSegment) -> Bool {
            flushThrough.map { queuedSegment.firstSequence <= $0 } == true
        }
        let closedSegments = queue.waitingSegments.lazy.filter { sendsAll || mustFlush($0) }
        // If no segment has a release time of its own, a closed segment is due now.
        let pastIfAnyClosed = closedSegments.first.map { _ in MonotonicTime.distantPast }
        let closedAt =
            !queue.hasReleaseTimes ? pastIfAnyClosed : closedSegments.map { queue.releaseTime(of: $0) }.min()
        guard let activeSegment = queue.activeSegment else { return closedAt }
        let dueAt =
            mustFlush(activeSegment.queuedSegment) ? .distantPast : sendsAll ? activeSegment.dueAt : nil
        return [closedAt, dueAt.map { max($0, queue.releaseTime(of: activeSegment.queuedSegment)) }]
            .compactMap(\.self).min()
    }

    /// Ends the attempt that ``next(at:)`` asked for.
    ///
    /// - Parameter jitter: a random number from 0 up to 1.
    mutating func finish(
        _ batch: SegmentQueue.Batch, _ delivery: DeliveryResult, at now: CurrentTime, jitter: Double
    ) {
        isBatchInFlight = false
        var delivery = delivery
        if case .tooLong(isFinal: false, let reason) = delivery, !queue.isDivisible(batch) {
            delivery = .notCounted(reason: reason)
        }
        let cause = self.cause(of: delivery, of: batch, at: now, jitter)
        schedule.finish(delivery, at: now.monotonicTime, jitter: jitter, isCausedByBatch: cause == .batch)
        switch delivery {
        case .accepted(let rejected, let unnamedRejections, _, let takesExplanations):
            self.takesExplanations = takesExplanations
            queue.finishAccepted(batch, rejected: rejected, unnamedRejections: unnamedRejections)
        case .tooLong: queue.split(batch, at: now)
        case .rejected: queue.finishRejected(batch, .batchRejected, at: now)
        case .failed: queue.finishFailed(batch)
        case .postponed: queue.finishPostponed()
        case .notCounted: queue.finishUncounted(batch, isRetriedLast: true)
        case .unauthorized: queue.finishUncounted(batch, isRetriedLast: false)
        case .forbidden:
            if let queuedSegment = queue.waitingSegments.first(where: { $0.key == batch.idempotencyKey }) {
                queue.forbid(queuedSegment.appID, until: schedule.retryTimeIfForbidden(at: now.monotonicTime))
            }
            queue.finishUncounted(batch, isRetriedLast: false)
        }
    }

    private mutating func cause(
        of delivery: DeliveryResult, of batch: SegmentQueue.Batch, at now: CurrentTime, _ jitter: Double
    ) -> BatchRetries.Cause? {
        switch delivery {
        case .failed, .notCounted:
            guard queue.waitingSegments.contains(where: { $0.key == batch.idempotencyKey }) else {
                return nil
            }
            let backoff = schedule.backoff
            return queue.retries.recordFailure(of: batch.idempotencyKey, at: now.monotonicTime) {
                backoff.milliseconds(afterFailures: $0, jitter: jitter)
            }
        case .accepted, .tooLong, .rejected, .forbidden: queue.retries.recordSuccess()
        case .postponed, .unauthorized: break
        }
        return nil
    }

    var statistics: LeakReporter.Statistics {
        var statistics = LeakReporter.Statistics()
        statistics.sent = queue.counts.sent
        statistics.waiting = queue.waitingSightings
        statistics.stored = queue.counts.stored
        statistics.dropped = queue.counts.dropped
        statistics.droppedExplanations = queue.counts.droppedExplanations
        statistics.batches = queue.counts.batches
        statistics.failedAttempts = schedule.failedAttempts
        statistics.lastFailure = schedule.lastFailure
        statistics.isStopped = schedule.isStopped
        statistics.isCollecting = isCollecting
        statistics.storageFailure = queue.failure ?? stateFailure
        return statistics
    }
}

extension LeakReport {
    /// The number of sightings that the report represents, as the collector will count them.
    var clampedCount: Int { min(max(count, 1), WireLimits.mergedSightingCount) }

    /// `true` if the report is about a leak, and not about a leaked object that was freed.
    fileprivate var isLeak: Bool {
        if let event { return event == .leak }
        guard let message else { return true }
        return DetectorMessage(message).event != .freed
    }
}

import LeakMessage

/// What waits, what is on its way, and what is to be done next. Says so; does nothing itself.
///
/// A value without lock, clock or thread: its owner tells it the time.
struct Outbox: Sendable {
    /// The reports and counts that travel together, frozen: each attempt sends the same bytes under the same key.
    struct Load: Hashable, Sendable {
        let key: String
        let takenAt: Moment
        let sentAt: WireTime
        let entries: [ReportQueue.Entry]
        let denominators: Denominators
        let dropped: [LeakReporter.DropReason: Int]
    }

    /// Six days, see ``LeakReporter/DropReason/tooOld``.
    static let longestRetryMilliseconds = 6 * 86_400_000
    /// A wall clock that goes back by more than this was set, and no longer tells how old a batch is.
    static let longestStepBackMilliseconds = 86_400_000

    enum Step: Hashable, Sendable {
        /// Nothing is due before that moment, or before something is recorded.
        case wait(until: Moment?)
        /// Send this and tell ``finish(_:at:jitter:)`` what came of it.
        case send(Load)
    }

    private let bounds: LeakReporter.Bounds
    private let backoff: Backoff
    private var queue = ReportQueue()
    private var denominators = Denominators()
    private var inFlight: Load?
    /// Those that the collector has not been told of.
    private var untoldDrops: [LeakReporter.DropReason: Int] = [:]

    private var sequence = 0
    /// Everything up to this sequence is to go at once.
    private var hurriedThrough = 0
    /// That of the newest among the denominators.
    private var denominatorsSequence = 0
    private var gatheredAt: Moment?
    private var failures = 0
    /// Our own patience, which a flush may cut short, and the collector's wish, which it may not.
    private var retryAt: Moment?
    private var notBefore: Moment?
    /// Reports for the next batch: halved by each 413, doubled by each success.
    private var batchReports: Int
    private var stopReason: LeakReporter.DropReason?
    private(set) var counts = LeakReporter.Statistics()

    init(bounds: LeakReporter.Bounds, backoff: Backoff = Backoff()) {
        self.bounds = bounds.sound
        self.backoff = backoff
        batchReports = self.bounds.batchReports
    }

    /// Takes nothing from now on and throws away what waits.
    mutating func stop(_ reason: LeakReporter.DropReason, why: String) {
        drop(inFlight?.entries.count ?? 0, for: reason)
        drop(queue.count, for: reason)
        inFlight = nil
        queue.removeAll()
        denominators = Denominators()
        stopReason = reason
        counts.isStopped = true
        counts.lastFailure = why
    }

    /// Takes a report, throwing the oldest away when there are too many.
    mutating func add(_ report: LeakReport, bytes: Int, at now: Moment) {
        sequence += 1
        if let stopReason { return drop(1, for: stopReason) }
        if queue.isEmpty { gatheredAt = now }
        queue.append(ReportQueue.Entry(sequence: sequence, bytes: bytes, report: report))
        let away = inFlight?.entries ?? []
        let awayBytes = away.reduce(0) { $0 + $1.bytes }
        while queue.count + away.count > bounds.waitingReports
            || queue.bytes + awayBytes > bounds.waitingBytes
        {
            guard queue.takeFirst() != nil else { break }
            drop(1, for: .queueFull)
        }
    }

    /// Takes checks, which travel with the next batch.
    mutating func add(_ checks: [ClassChecks], at now: Moment) {
        addDenominators(at: now) { $0.add(checks) }
    }

    /// Takes a session, which travels with the next batch.
    mutating func add(_ session: EndedSession, at now: Moment) {
        addDenominators(at: now) { $0.add(session) }
    }

    private mutating func addDenominators(at now: Moment, _ change: (inout Denominators) -> Void) {
        guard stopReason == nil else { return }
        if queue.isEmpty, denominators.isEmpty { gatheredAt = now }
        change(&denominators)
        guard !denominators.isEmpty else { return }
        sequence += 1
        denominatorsSequence = sequence
    }

    /// Makes everything recorded so far due now, but not against the collector's wish to be left alone.
    ///
    /// - Returns: the sequence to ask ``isSettled(through:)`` for.
    mutating func hurry() -> Int {
        hurriedThrough = sequence
        retryAt = nil
        return sequence
    }

    /// Whether everything up to that sequence has been delivered or thrown away.
    func isSettled(through sequence: Int) -> Bool {
        if let first = queue.first, first.sequence <= sequence { return false }
        if let inFlight, (inFlight.entries.first?.sequence ?? 0) <= sequence { return false }
        return denominators.isEmpty || denominatorsSequence > sequence
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - wallTime: for the batch's `sent_at`, and to tell how old a batch is on a device that slept.
    ///   - key: makes an `Idempotency-Key`, never the same twice.
    mutating func next(at now: Moment, wallTime: WireTime, key: () -> String) -> Step {
        guard stopReason == nil else { return .wait(until: nil) }
        if let load = inFlight, Self.isTooOld(load, at: now, wallTime) {
            // Nobody knows whether the collector counted the batch, so nothing of it goes under another key.
            drop(load.entries.count, for: .tooOld)
            inFlight = nil
        }
        if inFlight == nil {
            guard let due = dueAt(now) else { return .wait(until: nil) }
            guard due <= now else { return .wait(until: due) }
            inFlight = take(now, wallTime, key())
        }
        guard let inFlight else { return .wait(until: nil) }
        let earliest = [retryAt, notBefore].compactMap(\.self).max()
        if let earliest, earliest > now { return .wait(until: earliest) }
        return .send(inFlight)
    }

    /// Ends the attempt that ``next(at:wallTime:key:)`` asked for.
    ///
    /// - Parameter jitter: a random number from 0 up to 1.
    mutating func finish(_ delivery: Delivery, at now: Moment, jitter: Double) {
        guard let load = inFlight else { return }
        retryAt = nil
        notBefore = nil
        switch delivery {
        case .accepted(let rejected, let reason):
            finishAccepted(load, rejected: min(max(rejected, 0), load.entries.count), reason)
        case .postponed(let wait, let why):
            failures += 1
            counts.failedAttempts += 1
            counts.lastFailure = why
            retryAt = now.advanced(
                byMilliseconds: backoff.milliseconds(afterFailures: failures, jitter: jitter))
            notBefore = wait.map { now.advanced(byMilliseconds: $0) }
            return
        case .tooLong(let why):
            counts.lastFailure = why
            split(load)
        case .refused(let why):
            counts.lastFailure = why
            giveUp(load, for: .refused)
        case .unauthorized(let why):
            return stop(.unauthorized, why: "\(why). Nothing more is sent: check the ingest key")
        }
        failures = 0
        inFlight = nil
        // What waited behind it has waited long enough.
        gatheredAt = now.advanced(byMilliseconds: -bounds.gatherMilliseconds)
    }

    var statistics: LeakReporter.Statistics {
        var statistics = counts
        statistics.waiting = queue.count + (inFlight?.entries.count ?? 0)
        return statistics
    }

    /// By either clock: ours stands still while the device sleeps, the wall clock can be set.
    private static func isTooOld(_ load: Load, at now: Moment, _ wallTime: WireTime) -> Bool {
        let age = wallTime.milliseconds - load.sentAt.milliseconds
        return load.takenAt.advanced(byMilliseconds: longestRetryMilliseconds) <= now
            || age >= longestRetryMilliseconds || age < -longestStepBackMilliseconds
    }

    private func dueAt(_ now: Moment) -> Moment? {
        guard let first = queue.first?.sequence ?? (denominators.isEmpty ? nil : denominatorsSequence) else {
            return nil
        }
        if first <= hurriedThrough || queue.count >= batchReports || queue.bytes >= bounds.batchBytes {
            return now
        }
        let wait = queue.isEmpty ? bounds.gatherDenominatorsMilliseconds : bounds.gatherMilliseconds
        return (gatheredAt ?? now).advanced(byMilliseconds: wait)
    }

    private mutating func take(_ now: Moment, _ wallTime: WireTime, _ key: String) -> Load {
        let entries = queue.take(count: batchReports, bytes: bounds.batchBytes)
        defer {
            denominators = Denominators()
            untoldDrops = [:]
        }
        return Load(
            key: key, takenAt: now, sentAt: wallTime, entries: entries, denominators: denominators,
            dropped: untoldDrops)
    }

    private mutating func finishAccepted(_ load: Load, rejected: Int, _ reason: String?) {
        counts.batches += 1
        counts.sent += load.entries.count - rejected
        batchReports = min(batchReports * 2, bounds.batchReports)
        guard rejected > 0 else { return }
        // The collector knows of these; telling it as dropped would count them twice.
        counts.dropped[.rejected, default: 0] += rejected
        let because = reason.map { ": \($0)" } ?? ""
        counts.lastFailure = "the collector refused \(rejected) of \(load.entries.count) reports\(because)"
    }

    /// Puts the batch back, to be taken again in halves; one report that is too long alone is thrown away.
    private mutating func split(_ load: Load) {
        guard load.entries.count > 1 else {
            guard !load.entries.isEmpty, !load.denominators.isEmpty else {
                return giveUp(load, for: .tooLong)
            }
            // It may be the denominators that are too long; kept, they would make each later batch too long as well.
            hurriedThrough = max(hurriedThrough, load.entries.last?.sequence ?? 0)
            queue.putBack(load.entries)
            return restoreDrops(load)
        }
        batchReports = max(load.entries.count / 2, 1)
        hurriedThrough = max(hurriedThrough, load.entries.last?.sequence ?? 0)
        queue.putBack(load.entries)
        restore(load)
    }

    private mutating func giveUp(_ load: Load, for reason: LeakReporter.DropReason) {
        drop(load.entries.count, for: reason)
        // What is refused without any report would be refused again and again.
        if load.entries.isEmpty { restoreDrops(load) } else { restore(load) }
    }

    /// Takes back what a batch carried beside its reports, for the next one.
    private mutating func restore(_ load: Load) {
        if denominators.isEmpty { denominatorsSequence = load.entries.last?.sequence ?? sequence }
        denominators.restore(load.denominators)
        restoreDrops(load)
    }

    private mutating func restoreDrops(_ load: Load) {
        for (reason, count) in load.dropped { untoldDrops[reason, default: 0] += count }
    }

    private mutating func drop(_ count: Int, for reason: LeakReporter.DropReason) {
        guard count > 0 else { return }
        counts.dropped[reason, default: 0] += count
        untoldDrops[reason, default: 0] += count
    }
}

internal import Dispatch
import LeakMessage
internal import LeakPlatform
import LeakTransport

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The thread that owns the outbox: it receives records, stores them, and decides what is to be sent.
///
/// It never waits for the network, and threads that record never wait for this thread.
final class ReporterThread: Sendable {
    enum Entry: Sendable {
        case report(LeakReport)
        /// A leak with its explanation.
        case explanation(LeakReport)
        case checks(PendingChecks)
        case session(EndedSession)
        case log(String)
        case context(ContextChange)
        case startSession(checks: (@Sendable () -> [ClassChecks])?)
        case endSession
        /// The app enters the background, which ends the session, or returns to the foreground, which starts the next session.
        case background, foreground
        /// Sends the waiting reports if sending is automatic.
        case drain
        case setCollecting(Bool)
        case findUnsentReports(@Sendable (Bool) -> Void)
        /// Adds the app's checks and the files of ended runs, and sends the waiting reports even if sending is not automatic.
        case send
        /// Adds the app's checks and the files of ended runs, and sends the waiting reports if sending is automatic.
        case flush
        case delete(resetsInstall: Bool)
        case reply(SegmentQueue.Batch, TransportResult)
        case close
    }

    /// The queue of entries that wait for the thread.
    let entryQueue: BoundedQueue<Entry>
    let publishedState = Guarded(PublishedState())
    let choice: CollectionChoice
    private let environment: ReporterEnvironment
    private let process = getpid()

    /// `true` in a child process created with `fork`. The child has none of its parent's threads, so a lock may be held forever
    /// by a thread that does not exist in the child.
    var isForkedChild: Bool { getpid() != process }

    init(_ environment: ReporterEnvironment) {
        self.environment = environment
        choice = environment.makeChoice()
        entryQueue = BoundedQueue(items: Self.entryLimit, bytes: environment.configuration.bounds.memoryBytes)
        let isRunning = WorkerThread.start(name: "LeakReporter") { [self] in
            var loop = ReporterLoop(environment, self)
            loop.run()
        }
        guard !isRunning else { return }
        entryQueue.close()
        publishedState.with { publishedState in
            publishedState.isClosed = true
            publishedState.statistics.isStopped = true
            publishedState.statistics.lastFailure =
                "the system cannot start another thread, so nothing is kept or sent"
        }
    }

    /// The maximum number of waiting entries. If there are more in the milliseconds that it takes to store the previous entries, the
    /// app is in a faulty loop.
    static let entryLimit = 16_384

    func record(_ report: LeakReport) {
        guard !isForkedChild else { return }
        // On the reporter's own thread, the call comes from a closure of the app, such as `beforeSend`, which would be called
        // with this report and record again.
        guard !ThreadMark.isSet(by: self) else { return entryQueue.reject(weight: report.clampedCount) }
        var report = report.truncatedForQueue()
        if report.at == nil { report.at = .now }
        let (bytes, count) = (ReportSize.bytes(of: report), report.clampedCount)
        if entryQueue.offerUnlessHalfFull(.report(report), bytes: bytes, weight: count) { return }
        // The reports arrive faster than they can be stored: merge them here, as the queue would do later.
        let leak = ReportMergeKey(report)
        let key = report.hasDistinguishingValues ? ReportMergeKey(report, withKeys: true) : leak
        entryQueue.merge(
            .report(report), bytes: bytes, weight: count, key: key.mergeKey, coarseKey: leak.mergeKey
        ) { $0.add(report) }
    }

    func record(_ checks: PendingChecks) {
        guard !isForkedChild else { return }
        // Counts of checks go ahead of sightings: they are few, and without them ratios are wrong.
        entryQueue.mergeAhead(.checks(checks), bytes: checks.bytes, key: Self.checksKey) { entry, freeBytes in
            entry.add(checks, freeBytes)
        }
    }

    private static let checksKey = MergeKey(0, 1)

    /// - Parameter isAlwaysKept: `true` if the change must not be lost.
    func change(_ change: ContextChange, isAlwaysKept: Bool) {
        guard !isForkedChild else { return }
        entryQueue.offerSettingsChange(
            .context(change), to: change.settings, bytes: change.bytes, isAlwaysKept: isAlwaysKept
        ) { entry, freeBytes in entry.add(change, freeBytes) }
    }

    func record(explanationOf leak: LeakReport) {
        // A call from the app's `beforeSend` is ignored, because `beforeSend` would be called with the explanation, too.
        guard !isForkedChild, !ThreadMark.isSet(by: self) else { return }
        let report = leak.truncatedForQueue()
        // Explanations may use only half of the queue; the other half is for sightings.
        _ = entryQueue.offer(
            .explanation(report), bytes: ReportSize.bytes(of: report), weight: 0, in: .half,
            separating: .settings)
    }

    /// - Parameter bytes: the bytes that the entry counts toward the limit of the entry queue; `nil` for the few entries that must
    ///   not be lost.
    func post(_ entry: Entry, bytes: Int? = nil) {
        guard !isForkedChild else { return }
        guard let bytes else {
            entryQueue.offerIgnoringLimits(entry, separating: entry.separation)
            return
        }
        _ = entryQueue.offer(entry, bytes: bytes, weight: 0, in: .reserve, separating: entry.separation)
    }

    /// Requests sending of the waiting reports. Has no effect in the app's own code on the reporter's thread, because sending
    /// would call that code again.
    func send() {
        if !ThreadMark.isSet(by: self) { post(.send) }
    }

    /// - Returns: `false` if `completion` will not be called.
    func checkForUnsentReports(_ completion: @escaping @Sendable (Bool) -> Void) -> Bool {
        !isForkedChild
            && entryQueue.offerIgnoringLimits(.findUnsentReports(completion), separating: .none) != nil
    }

    /// Ends the session, then stores and sends the waiting reports, at the end of the process.
    func finish(seconds: Double) {
        guard !isForkedChild else { return }
        choice.retry(at: .now, isLast: true)
        guard !ThreadMark.isSet(by: self), !isIdle || publishedState.with({ $0.hasSession }) else { return }
        post(.endSession)
        drain(milliseconds: Self.milliseconds(seconds)) { false }
    }

    /// Waits until everything recorded so far is on the disk and, if sending is automatic, delivered. It stops waiting if an
    /// attempt fails or the collector has asked for a delay.
    ///
    /// - Parameter isOver: called each time the published state changes; `true` ends the wait.
    func drain(milliseconds: Int, isOver: () -> Bool) {
        let failures = publishedState.with { $0.statistics.failedAttempts }
        guard let sequence = entryQueue.offerIgnoringLimits(.drain, separating: .none) else { return }
        _ = wait(for: sequence, milliseconds: milliseconds) { publishedState, deadline in
            if isOver() { return true }
            guard publishedState.processedCount >= sequence else { return false }
            return publishedState.statistics.failedAttempts > failures
                || publishedState.isIdle(until: deadline)
        }
    }

    /// Waits until everything recorded so far is delivered or discarded.
    func flush(seconds: Double) -> Bool {
        // The app's own code may call this on the reporter's thread, which cannot wait for itself.
        guard !isForkedChild, !ThreadMark.isSet(by: self) else { return false }
        let wasIdle = isIdle
        guard let sequence = entryQueue.offerIgnoringLimits(.flush, separating: .none) else { return wasIdle }
        let sends = environment.configuration.sendsAutomatically
        let isDone = wait(for: sequence, milliseconds: Self.milliseconds(seconds)) {
            publishedState, deadline in
            guard publishedState.processedCount >= sequence else { return false }
            return publishedState.statistics.isStopped || !sends || publishedState.isIdle(until: deadline)
        }
        // Reports of earlier runs have no record number in this run.
        return isDone || (wasIdle && publishedState.with { $0.statistics.waiting == 0 })
    }

    /// Converts seconds to milliseconds, at most a day. NaN becomes 0.
    private static func milliseconds(_ seconds: Double) -> Int {
        seconds > 0 ? Int(min(seconds, 86_400) * 1000) : 0
    }

    /// - Parameter isHopeless: returns `true` to stop waiting.
    private func wait(
        for sequence: UInt64, milliseconds: Int,
        unless isHopeless: (PublishedState, _ deadline: MonotonicTime) -> Bool
    ) -> Bool {
        let deadline = MonotonicTime.now.advanced(byMilliseconds: milliseconds)
        return publishedState.wait { publishedState in
            if publishedState.completedThrough >= sequence { return .take(true) }
            if publishedState.isClosed || isHopeless(publishedState, deadline) { return .take(false) }
            let remainingMilliseconds = deadline.milliseconds - MonotonicTime.now.milliseconds
            return remainingMilliseconds <= 0
                ? .take(false) : .sleep(milliseconds: Int64(remainingMilliseconds))
        }
    }

    private var isIdle: Bool {
        let last = entryQueue.lastSequence
        return publishedState.with { $0.processedCount == last && $0.completedThrough >= last }
    }

    var statistics: LeakReporter.Statistics {
        guard !isForkedChild else {
            var statistics = LeakReporter.Statistics()
            statistics.isStopped = true
            statistics.lastFailure =
                "this process was forked from the one that has the reporter: create a reporter in this process"
            return statistics
        }
        // The queue is read first: a report that is counted twice for a moment is better than a report that is not counted.
        let (weight, rejections) = (entryQueue.weight, entryQueue.rejections)
        let publishedState = publishedState.with { $0 }
        var statistics = publishedState.statistics
        statistics.waiting += max(weight - publishedState.recordedCount, 0)
        statistics.refusedCalls = rejections.weightlessItems
        for (reason, count) in rejections.since(publishedState.countedRejections) where count > 0 {
            statistics.dropped[reason, default: 0] += count
        }
        return statistics
    }

    var wantsExplanations: Bool { !isForkedChild && publishedState.with { $0.wantsExplanations } }

    /// Lets the threads send the waiting reports, each batch once, and end.
    func close() {
        guard !isForkedChild else { return }
        entryQueue.offerIgnoringLimits(.close)
    }
}

extension ReporterThread.Entry {
    /// The kind of entries after this entry that must not be merged into entries before it.
    fileprivate var separation: MergeBarrier {
        switch self {
        // A log line does not stop merging: merged sightings have the log of the first sighting.
        case .session, .log, .flush, .drain, .findUnsentReports, .reply: .none
        case .explanation: .settings
        // The entry acts on everything recorded before it, so later items are not merged into earlier items.
        default: .all
        }
    }

    fileprivate mutating func add(_ checks: PendingChecks, _ freeBytes: Int) -> Int? {
        guard case .checks(var counts) = self else { return nil }
        // This assignment releases the shared storage, so that the change makes no copy.
        self = .close
        let growth = counts.add(checks, freeBytes)
        self = .checks(counts)
        return growth
    }

    fileprivate mutating func add(_ change: ContextChange, _ freeBytes: Int) -> Int? {
        guard case .context(var context) = self else { return nil }
        self = .close
        let growth = context.add(change, freeBytes)
        self = .context(context)
        return growth
    }

    /// Adds the count of a sighting of the same leak.
    ///
    /// - Returns: `false` if the sum exceeds the count that one report may have.
    fileprivate mutating func add(_ sighting: LeakReport) -> Bool {
        guard case .report(var report) = self else { return false }
        let count = report.clampedCount + sighting.clampedCount
        guard count <= WireLimits.mergedSightingCount else { return false }
        report.count = count
        report.alive = [report.alive, sighting.alive].compactMap(\.self).max()
        self = .report(report)
        return true
    }
}

extension QueueRejections {
    /// Returns the counts since `earlier`, by the reason for which the sightings count as dropped.
    func since(_ earlier: QueueRejections) -> [(LeakReporter.DropReason, Int)] {
        [
            (.queueFull, full + closed - earlier.full - earlier.closed),
            (.reentrant, reentrant - earlier.reentrant),
        ]
    }
}

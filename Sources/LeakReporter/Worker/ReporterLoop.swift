internal import Dispatch
import LeakMessage
internal import LeakPlatform

/// The loop of the reporter's thread.
struct ReporterLoop: ~Copyable {
    private let environment: ReporterEnvironment
    private let thread: ReporterThread
    private let sender = BatchSender()
    private var outbox: Outbox
    private var takeChecks: (@Sendable () -> [ClassChecks])?
    private var processedCount: UInt64 = 0
    private var recordedCount = 0
    private var countedRejections = QueueRejections()
    private var isInstallLoaded = false
    private var isClosing = false
    private var isBatchInFlight = false
    /// `true` if the session ended because the app entered the background. The next session begins when the app returns to the
    /// foreground.
    private var isPaused = false
    private var hasWarned = false
    private var pendingCompletions: [@Sendable (Bool) -> Void] = []
    private var savedUsage: DailyByteUsage
    /// The day of the last check of segments that belong to other endpoints, keys or apps, in days since 1970.
    private var foreignCheckDay: Int64?

    /// The number of entries after which their records are stored.
    private static let entriesPerCommit = 512

    init(_ environment: ReporterEnvironment, _ thread: ReporterThread) {
        self.environment = environment
        self.thread = thread
        let folder = environment.makeQueueFolder()
        let origin = SegmentHeader(
            key: "", app: environment.configuration.app, device: environment.configuration.device,
            user: environment.configuration.user?.prefix(utf8: WireLimits.userBytes))
        savedUsage = (try? environment.usageFile?.read()).flatMap(DailyByteUsage.init) ?? DailyByteUsage()
        let quota = ReportQuota(
            maxReportsPerSession: environment.configuration.bounds.reportsPerSession,
            maxBytesPerDay: environment.configuration.bounds.bytesPerDay,
            usage: savedUsage)
        outbox = Outbox(
            queue: SegmentQueue(bounds: environment.configuration.bounds, origin: origin, folder: folder),
            backoff: environment.backoff, quota: quota, configuration: environment.configuration,
            blockingReason: environment.blockingReason, isSampledOut: environment.isSampledOut)
    }

    mutating func run() {
        ThreadMark.set(thread)
        start()
        var entries: [ReporterThread.Entry] = []
        while true {
            let wait = sendDueBatch()
            if isClosing, !isBatchInFlight { break }
            entries.removeAll(keepingCapacity: entries.capacity <= 64)
            thread.entryQueue.take(
                into: &entries, milliseconds: millisecondsUntilNextWork(isBatchInFlight ? nil : wait))
            for (index, entry) in entries.enumerated() {
                process(entry)
                // In a burst, the first entries are stored before the last entries are processed.
                if index % Self.entriesPerCommit == Self.entriesPerCommit - 1 { endTurn() }
            }
            pollIfDue()
            expireForeignIfDue(at: environment.now())
            thread.choice.retry(at: environment.now().monotonicTime)
            endTurn()
        }
        thread.entryQueue.close()
        thread.choice.retry(at: environment.now().monotonicTime, isLast: true)
        endTurn(isLast: true)
    }

    private mutating func start() {
        let now = environment.now()
        if let reason = environment.problem { stop(reason) }
        outbox.takesExplanations = readTakesExplanations()
        switch thread.choice.readInitialAnswer() {
        case .on: break
        case .off: outbox.setCollecting(false, at: now)
        case .unanswered: outbox.stopCollectingUntilAnswer(at: now)
        }
        if environment.blockingReason == nil {
            outbox.adopt(at: now)
            expireForeignIfDue(at: now)
        }
        removeDrafts()
        endTurn()
    }

    /// Enforces the limits of foreign segments once a day, because a server may run for months.
    private mutating func expireForeignIfDue(at now: CurrentTime) {
        let day = now.wallTime.milliseconds / 86_400_000
        guard environment.blockingReason == nil, day != foreignCheckDay else { return }
        foreignCheckDay = day
        outbox.expireForeignSegments(at: now)
    }

    /// Reads whether the collector wanted explanations in an earlier run. If the file cannot be read, it counts as a "no": the
    /// collector may decline explanations to spare the app the work.
    private func readTakesExplanations() -> Bool {
        do throws(FileFailure) {
            return try environment.noExplanationsFile?.read() == nil
        } catch {
            return false
        }
    }

    /// Removes drafts of processes that were killed while writing.
    private func removeDrafts() {
        for folder in Set(
            [environment.choiceFolder, environment.installFolder, environment.folder].compactMap(\.self))
        {
            Draft.removeLeftovers(of: ["collection", "spent", "no-explanations", "install"], in: folder)
        }
    }

    /// - Returns: the milliseconds until the next work; `nil` if there is none before the next record, or before the response
    ///   to the batch that is being sent.
    private mutating func sendDueBatch() -> Int64? {
        guard !isBatchInFlight else { return nil }
        // All decisions use one time. Otherwise a batch that becomes due in between would be sent without asking for permission.
        let now = environment.now()
        if outbox.isAttemptDue(at: now) {
            switch thread.choice.permission() {
            case .granted: break
            case .denied:
                outbox.setCollecting(false, at: now)
                // A wait of 0 ends the turn at once, so that the published state shows the deletion.
                return 0
            case .unknown(let failure):
                outbox.postpone("the stored choice about collecting cannot be read: \(failure)", at: now)
            }
            if outbox.sendsNewestReportsNext(at: now) { poll() }
        }
        switch outbox.next(at: now) {
        case .wait(nil): return nil
        case .wait(let monotonicTime?):
            return Int64(clamping: monotonicTime.milliseconds - now.monotonicTime.milliseconds)
        case .send(let batch):
            isBatchInFlight = sender.send(batch, from: environment, repliesTo: thread.entryQueue)
            if !isBatchInFlight {
                finish(
                    batch,
                    .postponed(afterMilliseconds: nil, reason: "the system cannot start another thread"))
                return 0
            }
            return nil
        }
    }

    /// - Parameter wait: the milliseconds until something is due to be sent; `nil` if nothing is due before the next record.
    private func millisecondsUntilNextWork(_ wait: Int64?) -> Int64? {
        let retry = thread.choice.retryAt.map {
            Int64(clamping: $0.milliseconds - environment.now().monotonicTime.milliseconds)
        }
        return [wait, retry].compactMap(\.self).min()
    }

    private mutating func process(_ entry: ReporterThread.Entry) {
        processedCount += 1
        outbox.setSequence(processedCount)
        let now = environment.now()
        switch entry {
        case .report(let report):
            recordedCount &+= report.clampedCount
            loadInstall()
            outbox.record(report, at: now)
        case .explanation(let leak):
            loadInstall()
            outbox.record(explanationOf: leak, at: now)
        case .checks(let checks):
            loadInstall()
            outbox.record(checks.list, unseen: checks.unseen, at: now)
        case .session(let session):
            loadInstall()
            outbox.record(session, at: now)
        case .log(let line): outbox.log(line)
        case .context(let change):
            for key in change.keys { outbox.set(key.value, forKey: key.name) }
            if let user = change.user { outbox.setUser(user) }
        case .startSession(let source): startSession(source, at: now)
        case .endSession: endSession()
        case .background:
            let startsLater = isPaused || outbox.hasSession
            endSession()
            isPaused = startsLater
        case .foreground:
            if isPaused { startSession(nil, at: now) }
        case .setCollecting(let isOn): outbox.setCollecting(isOn, at: now)
        case .findUnsentReports(let completion):
            outbox.adopt(at: now)
            pendingCompletions.append(completion)
        case .send:
            gather(at: now)
            outbox.retryAllNow()
        case .flush:
            gather(at: now)
            drain()
        case .delete(let resetsInstall):
            outbox.deleteAll(at: now)
            if resetsInstall {
                environment.forgetInstall()
                isInstallLoaded = false
                loadInstall()
            }
        case .reply(let batch, let reply):
            isBatchInFlight = false
            finish(batch, DeliveryResult(reply, now: now.wallTime))
        case .drain: drain()
        case .close:
            endSession()
            drain()
            isClosing = true
        }
    }

    /// Collects everything that can be sent now: the app's checks and the files of ended runs.
    private mutating func gather(at now: CurrentTime) {
        poll()
        outbox.adopt(at: now)
    }

    /// Makes everything due if sending is automatic, because the process or the reporter may be about to end.
    private mutating func drain() {
        if environment.configuration.sendsAutomatically { outbox.retryAllNow() }
    }

    private mutating func finish(_ batch: SegmentQueue.Batch, _ delivery: DeliveryResult) {
        let didTakeExplanations = outbox.takesExplanations
        outbox.finish(batch, delivery, at: environment.now(), jitter: .random(in: 0..<1))
        if outbox.takesExplanations != didTakeExplanations, let file = environment.noExplanationsFile {
            if didTakeExplanations { try? file.write("") } else { try? file.remove() }
        }
        switch delivery {
        case .unauthorized where outbox.schedule.wasUnauthorizedTwice, .forbidden:
            warn(outbox.schedule.lastFailure)
        default: break
        }
    }

    /// Reads the installation's identifier, once, before the first record that needs it.
    private mutating func loadInstall() {
        guard !isInstallLoaded, outbox.isCollecting else { return }
        isInstallLoaded = true
        outbox.setInstall(environment.install())
    }

    // MARK: Counts of the app

    private mutating func pollIfDue() {
        if outbox.isPollDue(at: environment.now()) { poll() }
    }

    private mutating func poll() {
        guard outbox.hasSession, let takeChecks else { return }
        let checks = takeChecks()
        outbox.record(checks, at: environment.now())
        outbox.finishPoll(foundChecks: !checks.isEmpty, at: environment.now())
    }

    private mutating func startSession(_ source: (@Sendable () -> [ClassChecks])?, at now: CurrentTime) {
        loadInstall()
        endSession()
        takeChecks = source ?? takeChecks
        outbox.startSession(isPolled: takeChecks != nil, at: now)
    }

    private mutating func endSession() {
        isPaused = false
        poll()
        outbox.endSession(at: environment.now())
    }

    // MARK: Published state

    private mutating func endTurn(isLast: Bool = false) {
        let rejections = thread.entryQueue.rejections
        for (reason, count) in rejections.since(countedRejections) { outbox.countLost(count, reason) }
        countedRejections = rejections
        outbox.setStateFailure(
            thread.choice.failure.map { "the choice about collecting could not be stored: \($0)" })
        outbox.commit(at: environment.now())
        saveUsage()
        let publishedState = PublishedState(
            statistics: outbox.statistics, processedCount: processedCount, recordedCount: recordedCount,
            completedThrough: outbox.queue.lastCompletedSequence(processedCount),
            countedRejections: rejections,
            hasSession: outbox.hasSession, nextSendAt: outbox.nextSendAt, isClosed: isLast,
            wantsExplanations: outbox.wantsExplanations)
        thread.publishedState.with { $0 = publishedState }
        thread.publishedState.wakeAll()
        callCompletions(areReportsWaiting: publishedState.statistics.waiting > 0)
    }

    /// Calls the completions of ``LeakReporter/checkForUnsentReports(completion:)``. Call it after the published state was
    /// updated, because the completions may read it.
    private mutating func callCompletions(areReportsWaiting: Bool) {
        guard !pendingCompletions.isEmpty else { return }
        let completions = pendingCompletions
        pendingCompletions = []
        // Completions are the app's own code, which may take long.
        DispatchQueue.global(qos: .utility).async {
            for completion in completions { completion(areReportsWaiting) }
        }
    }

    /// Saves the usage of the day after each batch or 64 KiB, not after each report: a process that is killed loses the usage
    /// of at most one batch.
    private mutating func saveUsage() {
        let usage = outbox.quota.usage
        guard usage != savedUsage, let file = environment.usageFile else { return }
        let isWorthSaving =
            usage.day != savedUsage.day || usage.totalBytes - savedUsage.totalBytes >= 64 * 1024
        guard isWorthSaving || outbox.queue.activeSegment == nil else { return }
        let other = (try? file.read()).flatMap(DailyByteUsage.init) ?? savedUsage
        let sum = usage.added(to: other, since: savedUsage)
        outbox.setUsage(sum)
        savedUsage = sum
        try? file.write(sum.line)
    }

    private mutating func stop(_ reason: String) {
        outbox.stop(reason)
        warn(reason)
    }

    /// Warns once: a reason that prevents sending stays until a person changes it.
    private mutating func warn(_ text: String?) {
        guard !hasWarned, let text else { return }
        hasWarned = true
        environment.configuration.warn("LeakReporter: \(text)")
    }
}

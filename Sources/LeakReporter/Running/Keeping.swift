internal import Dispatch
import LeakMessage
internal import LeakPlatform

/// The loop of the keeper's thread.
struct Keeping {
    private let ground: Ground
    private let keeper: Keeper
    private let carrier = Carrier()
    private var outbox: Outbox
    private var takeChecks: (@Sendable () -> [ClassChecks])?
    private var processed: UInt64 = 0
    private var recorded = 0
    private var countedRefusals = MailboxRefusals()
    private var knowsInstall = false
    private var isClosing = false
    private var isAway = false
    /// `true` if the session ended because the app entered the background, and another begins when it returns.
    private var isPaused = false
    private var hasWarned = false
    private var questions: [@Sendable (Bool) -> Void] = []
    private var savedSpending: Spending
    /// The day of the last check of the segments of other endpoints, keys and apps.
    private var expiredOn: Int64?

    private static let entriesPerCommit = 512

    init(_ ground: Ground, _ keeper: Keeper) {
        self.ground = ground
        self.keeper = keeper
        let folder = ground.makeQueueFolder()
        let origin = SegmentHeader(
            key: "", app: ground.app, device: ground.device,
            user: ground.user?.prefix(utf8: WireLimits.userBytes))
        savedSpending = (try? ground.spentFile?.read()).flatMap(Spending.init) ?? Spending()
        let budget = Budget(
            reportsPerSession: ground.bounds.reportsPerSession, bytesPerDay: ground.bounds.bytesPerDay,
            spent: savedSpending)
        outbox = Outbox(
            queue: SegmentQueue(bounds: ground.bounds, origin: origin, folder: folder),
            backoff: ground.backoff, budget: budget, rules: ground.rules)
    }

    mutating func run() {
        ThreadMark.set(keeper)
        start()
        var entries: [Keeper.Entry] = []
        while true {
            let wait = sendWhatIsDue()
            if isClosing, !isAway { break }
            entries.removeAll(keepingCapacity: entries.capacity <= 64)
            keeper.mailbox.take(into: &entries, milliseconds: untilNextWork(isAway ? nil : wait))
            for (index, entry) in entries.enumerated() {
                take(entry)
                // In a burst, the first entries are stored before the last ones are processed.
                if index % Self.entriesPerCommit == Self.entriesPerCommit - 1 { endTurn() }
            }
            pollIfDue()
            expireForeignIfDue(at: ground.now())
            keeper.choice.retry(at: ground.now().moment)
            endTurn()
        }
        keeper.mailbox.close()
        keeper.choice.retry(at: ground.now().moment, isLast: true)
        endTurn(isLast: true)
    }

    private mutating func start() {
        let now = ground.now()
        if let why = ground.trouble { stop(why) }
        outbox.takesExplanations = wereExplanationsTaken()
        switch keeper.choice.atStart() {
        case .on: break
        case .off: outbox.setCollecting(false, at: now)
        case .unanswered: outbox.awaitAnswer(at: now)
        }
        if ground.rules.refusal == nil {
            outbox.adopt(at: now)
            expireForeignIfDue(at: now)
        }
        removeDrafts()
        endTurn()
    }

    /// Enforces the limits of foreign segments once a day, because a server may run for months.
    private mutating func expireForeignIfDue(at now: Now) {
        let day = now.wallTime.milliseconds / 86_400_000
        guard ground.rules.refusal == nil, day != expiredOn else { return }
        expiredOn = day
        outbox.expireForeign(at: now)
    }

    /// Reads the setting of the collector. It may exist for the protection of the app, so an unreadable file counts as a "no".
    private func wereExplanationsTaken() -> Bool {
        do throws(FileFailure) {
            return try ground.noExplanationsFile?.read() == nil
        } catch {
            return false
        }
    }

    /// Removes drafts of processes that were killed while writing.
    private func removeDrafts() {
        for folder in Set([ground.choiceFolder, ground.installFolder, ground.folder].compactMap(\.self)) {
            Draft.removeLeftovers(of: ["collection", "spent", "no-explanations", "install"], in: folder)
        }
    }

    /// - Returns: the milliseconds until the next work; `nil` if there is none before the next record.
    private mutating func sendWhatIsDue() -> Int64? {
        guard !isAway else { return nil }
        // One time for all decisions: a batch that becomes due a moment later would be sent without permission.
        let now = ground.now()
        if outbox.isAttemptDue(at: now) {
            switch keeper.choice.permission() {
            case .granted: break
            case .denied:
                outbox.setCollecting(false, at: now)
                // The board must show the deletion.
                return 0
            case .unknown(let failure):
                outbox.postpone("the stored choice about collecting cannot be read: \(failure)", at: now)
            }
            if outbox.isAboutToSend(at: now) { poll() }
        }
        switch outbox.next(at: now) {
        case .wait(nil): return nil
        case .wait(let moment?): return Int64(clamping: moment.milliseconds - now.moment.milliseconds)
        case .send(let batch):
            isAway = carrier.send(batch, from: ground, repliesTo: keeper.mailbox)
            if !isAway {
                finish(
                    batch, .postponed(afterMilliseconds: nil, why: "the system cannot start another thread"))
                return 0
            }
            return nil
        }
    }

    /// - Parameter wait: the milliseconds until something is due to be sent; `nil` if nothing is due before the next record.
    private func untilNextWork(_ wait: Int64?) -> Int64? {
        let retry = keeper.choice.retryAt.map {
            Int64(clamping: $0.milliseconds - ground.now().moment.milliseconds)
        }
        return [wait, retry].compactMap(\.self).min()
    }

    private mutating func take(_ entry: Keeper.Entry) {
        processed += 1
        outbox.number(processed)
        let now = ground.now()
        switch entry {
        case .report(let report):
            recorded &+= report.boundedCount
            learnInstall()
            outbox.record(report, at: now)
        case .explanation(let leak):
            learnInstall()
            outbox.record(explanationOf: leak, at: now)
        case .checks(let checks):
            learnInstall()
            outbox.record(checks.list, unseen: checks.unseen, at: now)
        case .session(let session):
            learnInstall()
            outbox.record(session, at: now)
        case .log(let line): outbox.log(line)
        case .context(let change):
            for key in change.keys { outbox.set(key.value, forKey: key.name) }
            if let user = change.user { outbox.setUser(user) }
        case .startSession(let source): startSession(source, at: now)
        case .endSession: endSession()
        case .background:
            let goesOn = isPaused || outbox.hasSession
            endSession()
            isPaused = goesOn
        case .foreground:
            if isPaused { startSession(nil, at: now) }
        case .collect(let isOn): outbox.setCollecting(isOn, at: now)
        case .check(let completion):
            outbox.adopt(at: now)
            questions.append(completion)
        case .send:
            gather(at: now)
            outbox.retryAllNow()
        case .flush:
            gather(at: now)
            settle()
        case .delete(let resetsInstall):
            outbox.deleteAll(at: now)
            if resetsInstall {
                ground.forgetInstall()
                knowsInstall = false
                learnInstall()
            }
        case .reply(let batch, let reply):
            isAway = false
            finish(batch, Delivery(reply, now: now.wallTime))
        case .settle: settle()
        case .close:
            endSession()
            settle()
            isClosing = true
        }
    }

    /// Collects everything that can be sent now: the app's checks and the files of ended runs.
    private mutating func gather(at now: Now) {
        poll()
        outbox.adopt(at: now)
    }

    /// Makes everything due if sending is automatic, because the process or the reporter may be about to end.
    private mutating func settle() {
        if ground.rules.sendsAutomatically { outbox.retryAllNow() }
    }

    private mutating func finish(_ batch: SegmentQueue.Batch, _ delivery: Delivery) {
        let tookExplanations = outbox.takesExplanations
        outbox.finish(batch, delivery, at: ground.now(), jitter: .random(in: 0..<1))
        if outbox.takesExplanations != tookExplanations, let file = ground.noExplanationsFile {
            if tookExplanations { try? file.write("") } else { try? file.remove() }
        }
        switch delivery {
        case .unauthorized where outbox.schedule.wasUnauthorizedTwice, .forbidden:
            warn(outbox.schedule.lastFailure)
        default: break
        }
    }

    /// Reads the installation's identifier, once, before the first record that needs it.
    private mutating func learnInstall() {
        guard !knowsInstall, outbox.isCollecting else { return }
        knowsInstall = true
        outbox.setInstall(ground.install())
    }

    // MARK: Counts of the app

    private mutating func pollIfDue() {
        if outbox.isPollDue(at: ground.now()) { poll() }
    }

    private mutating func poll() {
        guard outbox.hasSession, let takeChecks else { return }
        let checks = takeChecks()
        outbox.record(checks, at: ground.now())
        outbox.finishPoll(hasChecks: !checks.isEmpty, at: ground.now())
    }

    private mutating func startSession(_ source: (@Sendable () -> [ClassChecks])?, at now: Now) {
        learnInstall()
        endSession()
        takeChecks = source ?? takeChecks
        outbox.startSession(isPolled: takeChecks != nil, at: now)
    }

    private mutating func endSession() {
        isPaused = false
        poll()
        outbox.endSession(at: ground.now())
    }

    // MARK: Published state

    private mutating func endTurn(isLast: Bool = false) {
        let refusals = keeper.mailbox.refusals
        for (reason, count) in refusals.since(countedRefusals) { outbox.countLost(count, reason) }
        countedRefusals = refusals
        outbox.noteStateFailure(
            keeper.choice.failure.map { "the choice about collecting could not be stored: \($0)" })
        outbox.commit(at: ground.now())
        saveSpending()
        let board = Board(
            statistics: outbox.statistics, processed: processed, recorded: recorded,
            settledThrough: outbox.queue.settledThrough(processed), countedRefusals: refusals,
            hasSession: outbox.hasSession, sendsAt: outbox.sendsAt, isClosed: isLast,
            wantsExplanations: outbox.wantsExplanations)
        keeper.board.with { $0 = board }
        keeper.board.wakeAll()
        answerQuestions(board.statistics.waiting > 0)
    }

    /// Calls the completions of `check`, after the board was updated, because they may read it.
    private mutating func answerQuestions(_ hasSome: Bool) {
        guard !questions.isEmpty else { return }
        let completions = questions
        questions = []
        // This runs the app's own code, which may take long.
        DispatchQueue.global(qos: .utility).async { for completion in completions { completion(hasSome) } }
    }

    /// Saves the usage of the day with each batch or 64 KiB, not with each report: a process that is killed loses the usage of at
    /// most one batch.
    private mutating func saveSpending() {
        let spent = outbox.budget.spent
        guard spent != savedSpending, let file = ground.spentFile else { return }
        let isMuch =
            spent.day != savedSpending.day || spent.totalBytes - savedSpending.totalBytes >= 64 * 1024
        guard isMuch || outbox.queue.open == nil else { return }
        let other = (try? file.read()).flatMap(Spending.init) ?? savedSpending
        let sum = spent.added(to: other, since: savedSpending)
        outbox.setSpent(sum)
        savedSpending = sum
        try? file.write(sum.line)
    }

    private mutating func stop(_ why: String) {
        outbox.stop(why)
        warn(why)
    }

    /// Warns once: a reason that prevents sending stays until a person changes it.
    private mutating func warn(_ text: String?) {
        guard !hasWarned, let text else { return }
        hasWarned = true
        ground.warn("LeakReporter: \(text)")
    }
}

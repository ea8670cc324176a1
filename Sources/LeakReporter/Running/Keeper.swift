internal import Dispatch
import LeakMessage
internal import LeakPlatform
import LeakTransport

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The thread that owns the outbox: takes what is recorded, writes it down, says what is to be sent.
///
/// It never waits for the network, and nobody who records waits for it.
final class Keeper: Sendable {
    enum Entry: Sendable {
        case report(LeakReport)
        /// A leak with what keeps its object.
        case explanation(LeakReport)
        case checks(CheckCounts)
        case session(EndedSession)
        case log(String)
        case context(ContextChange)
        case startSession(checks: (@Sendable () -> [ClassChecks])?)
        case endSession
        /// The session ends, and the next begins with the way back.
        case background, foreground
        /// What waits goes if it may go by itself.
        case settle
        case collect(Bool)
        case check(@Sendable (Bool) -> Void)
        /// What waits goes, because the app says so.
        case send
        /// The same, unless the app wants to say so.
        case flush
        case delete(resetsInstall: Bool)
        case reply(SegmentQueue.Batch, Reply)
        case close
    }

    let mailbox: Mailbox<Entry>
    let board = Guarded(Board())
    let choice: CollectionChoice
    private let ground: Ground
    private let process = getpid()

    /// True in a child made with `fork`, which has none of the threads: a lock may be held by one that does not exist in it.
    var isInherited: Bool { getpid() != process }

    init(_ ground: Ground) {
        self.ground = ground
        choice = ground.makeChoice()
        mailbox = Mailbox(items: Self.entryLimit, bytes: ground.bounds.memoryBytes)
        let isRunning = WorkerThread.start(name: "LeakReporter") { [self] in
            var keeping = Keeping(ground, self)
            keeping.run()
        }
        guard !isRunning else { return }
        mailbox.close()
        board.with { board in
            board.isClosed = true
            board.statistics.isStopped = true
            board.statistics.lastFailure = "the system starts no more threads, so nothing is kept or sent"
        }
    }

    /// A burst of more, in the milliseconds that it takes to write down what came before, is a loop gone wrong.
    static let entryLimit = 16_384

    func record(_ report: LeakReport) {
        guard !isInherited else { return }
        // From the app's own `beforeSend`, which would be asked about it, and record again.
        guard !ThreadMark.isSet(by: self) else { return mailbox.refuse(weight: report.boundedCount) }
        var report = report.boundedForQueue()
        if report.at == nil { report.at = .now }
        let (bytes, count) = (ReportSize.bytes(of: report), report.boundedCount)
        if mailbox.offerUnlessCrowded(.report(report), bytes: bytes, weight: count) { return }
        // A burst that comes faster than it can be written down: counted up here, as the queue would do it later.
        let leak = FoldingKey(report)
        let key = report.hasValues ? FoldingKey(report, withKeys: true) : leak
        mailbox.merge(
            .report(report), bytes: bytes, weight: count, key: key.mergeKey, coarseKey: leak.mergeKey
        ) { $0.add(report) }
    }

    func record(_ checks: CheckCounts) {
        guard !isInherited else { return }
        // Before sightings: there are few of them, and a share is wrong without them.
        mailbox.mergeAhead(.checks(checks), bytes: checks.bytes, key: Self.checksKey) { entry, room in
            entry.add(checks, room)
        }
    }

    private static let checksKey = MergeKey(0, 1)

    /// - Parameter isAlwaysKept: whether the change must not be lost.
    func change(_ change: ContextChange, isAlwaysKept: Bool) {
        guard !isInherited else { return }
        mailbox.change(
            change.settings, .context(change), bytes: change.bytes, isAlwaysKept: isAlwaysKept
        ) { entry, room in entry.add(change, room) }
    }

    func record(explanationOf leak: LeakReport) {
        // As for a report: from the app's own `beforeSend`, which would be asked about it.
        guard !isInherited, !ThreadMark.isSet(by: self) else { return }
        let report = leak.boundedForQueue()
        // Not in the room that sightings are left in when there are many.
        _ = mailbox.offer(
            .explanation(report), bytes: ReportSize.bytes(of: report), weight: 0, in: .half,
            separating: .settings)
    }

    /// - Parameter bytes: what the entry counts for against the bound of what waits to be written down; `nil` for the few
    ///   that must not be lost.
    func post(_ entry: Entry, bytes: Int? = nil) {
        guard !isInherited else { return }
        guard let bytes else {
            mailbox.insist(entry, separating: entry.separation)
            return
        }
        _ = mailbox.offer(entry, bytes: bytes, weight: 0, in: .reserve, separating: entry.separation)
    }

    /// Has what waits sent. Not from the app's own code on the keeper's thread, which would be called again for it.
    func send() {
        if !ThreadMark.isSet(by: self) { post(.send) }
    }

    /// - Returns: `false` when nobody will answer.
    func ask(_ completion: @escaping @Sendable (Bool) -> Void) -> Bool {
        !isInherited && mailbox.insist(.check(completion), separating: .none) != nil
    }

    /// Ends the session and settles what waits, at the end of the process.
    func finish(seconds: Double) {
        guard !isInherited else { return }
        choice.retry(at: .now, isLast: true)
        guard !ThreadMark.isSet(by: self), !isIdle || board.with({ $0.hasSession }) else { return }
        post(.endSession)
        settle(milliseconds: Self.milliseconds(seconds)) { false }
    }

    /// Waits until everything recorded so far is on the disk, and sends it if the app lets reports go by themselves: not
    /// longer than until an attempt fails, nor while the collector asked to be left alone.
    ///
    /// - Parameter isOver: asked each time the board is woken; `true` ends the wait.
    func settle(milliseconds: Int, isOver: () -> Bool) {
        let failures = board.with { $0.statistics.failedAttempts }
        guard let ticket = mailbox.insist(.settle, separating: .none) else { return }
        _ = wait(for: ticket, milliseconds: milliseconds) { board, deadline in
            if isOver() { return true }
            guard board.processed >= ticket else { return false }
            return board.statistics.failedAttempts > failures || board.isResting(until: deadline)
        }
    }

    /// Waits until everything recorded so far is delivered or thrown away.
    func flush(seconds: Double) -> Bool {
        // Asked by the app's own code on the keeper's thread, which cannot wait for itself.
        guard !isInherited, !ThreadMark.isSet(by: self) else { return false }
        let wasIdle = isIdle
        guard let ticket = mailbox.insist(.flush, separating: .none) else { return wasIdle }
        let sends = ground.rules.sendsAutomatically
        let isDone = wait(for: ticket, milliseconds: Self.milliseconds(seconds)) { board, deadline in
            guard board.processed >= ticket else { return false }
            return board.statistics.isStopped || !sends || board.isResting(until: deadline)
        }
        // What earlier runs left has no number of this run's.
        return isDone || (wasIdle && board.with { $0.statistics.waiting == 0 })
    }

    /// Written so that NaN is no wait at all.
    private static func milliseconds(_ seconds: Double) -> Int {
        seconds > 0 ? Int(min(seconds, 86_400) * 1000) : 0
    }

    /// - Parameter isHopeless: whether to wait no longer.
    private func wait(
        for ticket: UInt64, milliseconds: Int, unless isHopeless: (Board, _ deadline: Moment) -> Bool
    ) -> Bool {
        let deadline = Moment.now.advanced(byMilliseconds: milliseconds)
        return board.wait { board in
            if board.settledThrough >= ticket { return .take(true) }
            if board.isClosed || isHopeless(board, deadline) { return .take(false) }
            let left = deadline.milliseconds - Moment.now.milliseconds
            return left <= 0 ? .take(false) : .sleep(milliseconds: Int64(left))
        }
    }

    private var isIdle: Bool {
        let last = mailbox.lastSequence
        return board.with { $0.processed == last && $0.settledThrough >= last }
    }

    var statistics: LeakReporter.Statistics {
        guard !isInherited else {
            var statistics = LeakReporter.Statistics()
            statistics.isStopped = true
            statistics.lastFailure =
                "this process was made with fork by the one that has the reporter: make one in it"
            return statistics
        }
        // In this order: what is counted twice for a moment is better than what is not counted.
        let (weight, refusals) = (mailbox.weight, mailbox.refusals)
        let board = board.with { $0 }
        var statistics = board.statistics
        statistics.waiting += max(weight - board.recorded, 0)
        statistics.refusedCalls = refusals.calls
        for (reason, count) in refusals.since(board.countedRefusals) where count > 0 {
            statistics.dropped[reason, default: 0] += count
        }
        return statistics
    }

    var wantsExplanations: Bool { !isInherited && board.with { $0.wantsExplanations } }

    /// Lets the threads send what waits, each batch once, and end.
    func close() {
        guard !isInherited else { return }
        mailbox.insist(.close)
    }
}

extension Keeper.Entry {
    /// Which entries after this one must not be merged into those before.
    fileprivate var separation: MailboxSeparation {
        switch self {
        // The log of several sightings is that of the first.
        case .session, .log, .flush, .settle, .check, .reply: .none
        case .explanation: .settings
        // The entry acts on everything recorded before it, so later items stay behind it.
        default: .all
        }
    }

    fileprivate mutating func add(_ checks: CheckCounts, _ room: Int) -> Int? {
        guard case .checks(var counts) = self else { return nil }
        // Not shared with the copy that is changed.
        self = .close
        let growth = counts.add(checks, room)
        self = .checks(counts)
        return growth
    }

    fileprivate mutating func add(_ change: ContextChange, _ room: Int) -> Int? {
        guard case .context(var context) = self else { return nil }
        self = .close
        let growth = context.add(change, room)
        self = .context(context)
        return growth
    }

    /// Counts up a sighting of the same leak.
    ///
    /// - Returns: `false` when the sum is more than one report may stand for.
    fileprivate mutating func add(_ sighting: LeakReport) -> Bool {
        guard case .report(var report) = self else { return false }
        let count = report.boundedCount + sighting.boundedCount
        guard count <= WireLimits.count else { return false }
        report.count = count
        report.alive = [report.alive, sighting.alive].compactMap(\.self).max()
        self = .report(report)
        return true
    }
}

extension MailboxRefusals {
    func since(_ earlier: MailboxRefusals) -> [(LeakReporter.DropReason, Int)] {
        [
            (.queueFull, full + closed - earlier.full - earlier.closed),
            (.reentrant, reentrant - earlier.reentrant),
        ]
    }
}

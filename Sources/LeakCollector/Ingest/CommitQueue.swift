internal import LeakHTTPServer
internal import LeakStore
internal import LeakPlatform

/// Queue of submissions from the event loops to the single writer thread, which sends the responses once the
/// submissions are on disk.
///
/// While one transaction waits for the disk, everything that arrives is collected for the next. The slower the disk,
/// the larger the transaction, so that all waiting requests share the cost of a sync.
final class CommitQueue: Sendable {
    struct Limits: Sendable {
        /// Maximum bytes of waiting submissions: their bodies and the data that was parsed from them. It is enough for four
        /// of the largest requests; a phone's batch is about 50 KiB.
        var waitingBytes = 64 * 1024 * 1024
        /// Maximum small submissions in one transaction, which limits the time for which the first of them waits for the last.
        var submissionsPerCommit = 4096
        /// Maximum reports of a small submission. Larger submissions are written after the small ones. A phone's batch has
        /// up to a hundred reports.
        var smallSubmissionReports = 250
    }

    /// The outcome of a submission, which determines the response.
    enum Outcome: Sendable {
        case written(Receipt)
        /// Nothing of the submission was counted, or it is unknown whether it was: ``StoreError/Reason/uncertain``.
        case failed(StoreError)
        /// The submission was not accepted: too many bytes wait, or the collector is stopping.
        case full, stopping
    }

    /// Counts since the start of the process. The writer adds to them once for each transaction.
    struct Totals: Hashable, Sendable {
        var countedBatches = 0
        var repeatedBatches = 0
        var reusedKeys = 0
        var failedBatches = 0
        /// Reports, each with its number of equal sightings.
        var acceptedReports = 0
        var rejectedReports: [ReportRejection: Int] = [:]
        /// Dropped reports by reason. Reasons outside of ``dropReasons`` count as `sentry` or `other`.
        var droppedReports: [String: Int] = [:]
        /// The reasons that are counted by themselves: those of LeakReporter and of ``SubmissionBuilder``. Senders may invent
        /// reasons, so their number must be limited.
        static let dropReasons: Set<String> = [
            "before_send", "budget", "damaged", "over_limit", "queue_full", "reentrant", "refused",
            "text_over_limit", "too_long", "too_old", "unseen",
        ]
        /// The time of each transaction that did not fail.
        var commits = LatencyHistogram()
        var failedCommits = 0
    }

    /// One submission whose request waits for the answer.
    fileprivate final class PendingSubmission: @unchecked Sendable {
        // `Sendable` is unchecked: the event loop hands the submission to the writer under the lock, and only one of them
        // uses it at a time.
        let submission: Submission
        /// Reports of the request that are not in the submission.
        let rejectedReports: [ReportRejection: Int]
        /// Returns the response for the outcome.
        let answer: @Sendable (Outcome) -> Response
        /// `nil` once the response was sent.
        var responder: Responder?

        init(
            _ submission: Submission, rejectedReports: [ReportRejection: Int],
            responder: consuming Responder,
            answer: @escaping @Sendable (Outcome) -> Response
        ) {
            self.submission = submission
            self.rejectedReports = rejectedReports
            self.responder = consume responder
            self.answer = answer
        }

        func send(_ outcome: Outcome) {
            guard let responder = responder.take() else { return }
            responder.send(answer(outcome))
        }
    }

    private struct State {
        var waiting: [PendingSubmission] = []
        var waitingBytes = 0
        var isStopping = false
    }

    private let state = Guarded(State())
    private let currentTotals = Guarded(Totals())
    private let store: any Store
    let limits: Limits
    private let now: @Sendable () -> Int64
    private let onTransactionEnd: @Sendable (StoreError?) -> Void
    private let onCheckpointError: @Sendable (StoreError) -> Void

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - onTransactionEnd: called after each transaction, with the error if it failed; not after a failed transaction whose
    ///     submissions are tried again in smaller transactions.
    ///   - onCheckpointError: called if the checkpoint after a transaction failed. Counted reports stay counted.
    init(
        store: any Store, limits: Limits = Limits(), now: @escaping @Sendable () -> Int64,
        onTransactionEnd: @escaping @Sendable (StoreError?) -> Void,
        onCheckpointError: @escaping @Sendable (StoreError) -> Void
    ) {
        self.store = store
        self.limits = limits
        self.now = now
        self.onTransactionEnd = onTransactionEnd
        self.onCheckpointError = onCheckpointError
    }

    /// Returns `true` if a request of this size would be accepted now. Called before its body is read.
    func hasRoom(for bytes: Int) -> Bool {
        state.with { !$0.isStopping && $0.waitingBytes + bytes <= limits.waitingBytes }
    }

    /// `true` if the store writes more slowly than submissions arrive: the waiting submissions take more than an eighth of
    /// ``Limits/waitingBytes``.
    var isBehind: Bool { state.with { $0.waitingBytes > limits.waitingBytes / 8 } }

    /// Number of submissions that wait for the next transaction.
    var waitingCount: Int { state.with { $0.waiting.count } }

    /// Bytes of the submissions that wait for the next transaction.
    var waitingBytes: Int { state.with { $0.waitingBytes } }

    var totals: Totals { currentTotals.with { $0 } }

    /// Enqueues a submission. The answer is sent after its transaction is on disk, or has failed.
    ///
    /// - Parameter rejectedReports: reports of the request that are not in the submission, for ``totals``.
    func submit(
        _ submission: Submission, rejectedReports: [ReportRejection: Int] = [:],
        _ responder: consuming Responder,
        answer: @escaping @Sendable (Outcome) -> Response
    ) {
        let bytes = submission.heldBytes
        let waiting = PendingSubmission(
            submission, rejectedReports: rejectedReports, responder: responder, answer: answer)
        let rejection: Outcome? = state.with { state in
            if state.isStopping { return .stopping }
            if state.waitingBytes + bytes > limits.waitingBytes { return .full }
            state.waiting.append(waiting)
            state.waitingBytes += bytes
            return nil
        }
        if let rejection {
            waiting.send(rejection)
        } else {
            state.wakeAll()
        }
    }

    /// Starts the writer thread.
    func start() -> WorkerThread {
        WorkerThread(name: "store writer") { [self] in
            while let batch = nextBatch() { commit(batch) }
        }
    }

    /// Accepts no more submissions. The thread ends once the waiting submissions are written.
    func stop() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    private func nextBatch() -> [PendingSubmission]? {
        let batch: [PendingSubmission]? = state.wait { state in
            guard !state.waiting.isEmpty else { return state.isStopping ? [] : nil }
            let batch = takeBatch(from: &state.waiting)
            state.waitingBytes -= batch.reduce(0) { $0 + $1.submission.heldBytes }
            return batch
        }
        guard let batch, !batch.isEmpty else { return nil }
        return batch
    }

    /// Takes the next batch: small submissions first, and after them at most one large submission. The sender of a single
    /// report waits for at most one large request.
    private func takeBatch(from waiting: inout [PendingSubmission]) -> [PendingSubmission] {
        var batch: [PendingSubmission] = []
        var largeSubmission: PendingSubmission?
        var remaining: [PendingSubmission] = []
        for (index, next) in waiting.enumerated() {
            if batch.count == limits.submissionsPerCommit {
                remaining += waiting[index...]
                break
            }
            if next.submission.sightings.count <= limits.smallSubmissionReports {
                batch.append(next)
            } else if largeSubmission == nil {
                largeSubmission = next
            } else {
                remaining.append(next)
            }
        }
        waiting = remaining
        return batch + (largeSubmission.map { [$0] } ?? [])
    }

    /// Number of failed transactions after which the rest of a batch fails too. The number is high enough to isolate a few
    /// submissions that cannot be written among thousands of others, and is reached soon if nothing can be written.
    private static let maxFailuresPerBatch = 64

    private func commit(_ batch: [PendingSubmission]) {
        // The parts of the batch that are left. The last one is written next.
        var parts = [batch[...]]
        var failures = 0
        while let part = parts.popLast() {
            do {
                let start = SystemTime.monotonicNanoseconds
                let receipts = try store.count(part.map(\.submission), now: now())
                let duration = SystemTime.monotonicNanoseconds - start
                currentTotals.with { totals in
                    totals.commits.record(nanoseconds: duration)
                    for (waiting, receipt) in zip(part, receipts) { totals.add(waiting, receipt) }
                }
                onTransactionEnd(nil)
                for (waiting, receipt) in zip(part, receipts) { waiting.send(.written(receipt)) }
                let remaining = part.dropFirst(max(1, receipts.count))
                if !remaining.isEmpty { parts.append(remaining) }
            } catch {
                failures += 1
                let mayAffectSingleSubmission = error.reason == .other || error.reason == .corrupt
                let mayContinue = mayAffectSingleSubmission && failures < Self.maxFailuresPerBatch
                if mayContinue, part.count > 1 {
                    // A submission that cannot be written, or a leak that cannot be read, must not make the others
                    // fail.
                    let half = part.startIndex + part.count / 2
                    parts += [part[half...], part[..<half]]
                    continue
                }
                onTransactionEnd(error)
                let failed = mayContinue ? Array(part) : Array(part) + parts.joined()
                currentTotals.with { totals in
                    totals.failedCommits += 1
                    totals.failedBatches += failed.count
                }
                for waiting in failed { waiting.send(.failed(error)) }
                if !mayContinue { parts = [] }
            }
        }
        do {
            try store.checkpointIfNeeded(now: now())
        } catch {
            onCheckpointError(error)
        }
    }
}

extension CommitQueue.Totals {
    private static func label(of reason: String) -> String {
        if dropReasons.contains(reason) { return reason }
        return reason.hasPrefix(SubmissionBuilder.sentryReasonPrefix) ? "sentry" : "other"
    }

    fileprivate mutating func add(_ waiting: CommitQueue.PendingSubmission, _ receipt: Receipt) {
        switch receipt {
        case .repeated: repeatedBatches += 1
        case .keyReused: reusedKeys += 1
        case .counted:
            countedBatches += 1
            for sighting in waiting.submission.sightings where !sighting.isFreed {
                acceptedReports += sighting.count
            }
            for (reason, count) in waiting.rejectedReports { rejectedReports[reason, default: 0] += count }
            for dropped in waiting.submission.dropped {
                droppedReports[Self.label(of: dropped.reason), default: 0] += dropped.count
            }
        }
    }
}

extension Submission {
    /// Bytes that the submission holds while it waits. Strings of senders are short and counted by their usual length.
    fileprivate var heldBytes: Int {
        body.count + response.count + sightings.count * MemoryLayout<Sighting>.stride
            + origins.count * (MemoryLayout<Origin>.stride + 128)
    }
}

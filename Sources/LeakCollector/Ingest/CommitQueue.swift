internal import LeakHTTPServer
internal import LeakStore
internal import LeakPlatform

/// Carries submissions from the loops to the one thread that writes, and answers once they are on disk.
///
/// While one transaction waits for the disk, everything that arrives gathers into the next: the slower the disk, the
/// larger the transaction, so that the cost of a sync is shared by as many as wait for it.
final class CommitQueue: Sendable {
    struct Limits: Sendable {
        /// Bytes waiting, bodies and what was read from them. Four of the largest requests; a phone's batch is about
        /// 50 KiB.
        var waitingBytes = 64 * 1024 * 1024
        /// Submissions in one transaction: bounds how long the first of them waits for the last.
        var submissionsPerCommit = 4096
        /// Reports in a submission above which it lets the others go first. A phone's batch has up to a hundred.
        var reportsOfSmall = 250
    }

    /// What became of a submission.
    enum Outcome: Sendable {
        case written(Receipt)
        /// Nothing of it was counted.
        case failed(StoreError)
        /// It was not taken: too much waits, or the collector is stopping.
        case full, stopping
    }

    /// One request that waits for its answer.
    private final class Waiting: @unchecked Sendable {
        // Unchecked: handed from the loop to the writer under the lock, touched by one of them at a time.
        let submission: Submission
        let answer: @Sendable (Outcome) -> Response
        var responder: Responder?

        init(
            _ submission: Submission, _ responder: consuming Responder,
            _ answer: @escaping @Sendable (Outcome) -> Response
        ) {
            self.submission = submission
            self.responder = consume responder
            self.answer = answer
        }

        func send(_ outcome: Outcome) {
            guard let responder = responder.take() else { return }
            responder.send(answer(outcome))
        }
    }

    private struct State {
        var waiting: [Waiting] = []
        var bytes = 0
        var isStopping = false
    }

    private let state = Guarded(State())
    private let store: any Store
    private let limits: Limits
    private let now: @Sendable () -> Int64
    private let finished: @Sendable (StoreError?) -> Void
    private let untidy: @Sendable (StoreError) -> Void

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - finished: told of each transaction, and why it failed where it did.
    ///   - untidy: told when the store could not be tidied; what was counted stays counted.
    init(
        store: any Store, limits: Limits = Limits(), now: @escaping @Sendable () -> Int64,
        finished: @escaping @Sendable (StoreError?) -> Void,
        untidy: @escaping @Sendable (StoreError) -> Void
    ) {
        self.store = store
        self.limits = limits
        self.now = now
        self.finished = finished
        self.untidy = untidy
    }

    /// Whether a request of this size would be taken now: asked before its body is read.
    func hasRoom(for bytes: Int) -> Bool {
        state.with { !$0.isStopping && $0.bytes + bytes <= limits.waitingBytes }
    }

    /// Whether more waits than a store that keeps up lets gather: an eighth of what may.
    var isBehind: Bool { state.with { $0.bytes > limits.waitingBytes / 8 } }

    /// Submissions that wait for the next transaction.
    var waitingCount: Int { state.with { $0.waiting.count } }

    /// Takes a submission. The answer leaves after its transaction is on disk, or has failed.
    func submit(
        _ submission: Submission, _ responder: consuming Responder,
        answer: @escaping @Sendable (Outcome) -> Response
    ) {
        let size = submission.size
        let waiting = Waiting(submission, responder, answer)
        let refusal: Outcome? = state.with { state in
            if state.isStopping { return .stopping }
            if state.bytes + size > limits.waitingBytes { return .full }
            state.waiting.append(waiting)
            state.bytes += size
            return nil
        }
        if let refusal {
            waiting.send(refusal)
        } else {
            state.wakeAll()
        }
    }

    /// Starts the thread that writes.
    func start() -> WorkerThread {
        WorkerThread(name: "store writer") { [self] in
            while let batch = next() { commit(batch) }
        }
    }

    /// Takes no more; the thread ends once what waits is written.
    func stop() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    private func next() -> [Waiting]? {
        let batch: [Waiting]? = state.wait { state in
            guard !state.waiting.isEmpty else { return state.isStopping ? [] : nil }
            let batch = take(from: &state.waiting)
            state.bytes -= batch.reduce(0) { $0 + $1.submission.size }
            return batch
        }
        guard let batch, !batch.isEmpty else { return nil }
        return batch
    }

    /// Small submissions first, and behind them one large one at most: whoever sends one report waits for one large
    /// request, however many there are.
    private func take(from waiting: inout [Waiting]) -> [Waiting] {
        var batch: [Waiting] = []
        var large: Waiting?
        var rest: [Waiting] = []
        for (index, next) in waiting.enumerated() {
            if batch.count == limits.submissionsPerCommit {
                rest += waiting[index...]
                break
            }
            if next.submission.sightings.count <= limits.reportsOfSmall {
                batch.append(next)
            } else if large == nil {
                large = next
            } else {
                rest.append(next)
            }
        }
        waiting = rest
        return batch + (large.map { [$0] } ?? [])
    }

    /// Failed transactions after which what is left of a batch fails with them: enough to find a few submissions that
    /// cannot be written among thousands, and soon over when nothing can.
    private static let failuresPerBatch = 64

    private func commit(_ batch: [Waiting]) {
        // The next one last.
        var parts = [batch[...]]
        var failures = 0
        while let part = parts.popLast() {
            do {
                let receipts = try store.count(part.map(\.submission), now: now())
                finished(nil)
                for (waiting, receipt) in zip(part, receipts) { waiting.send(.written(receipt)) }
                let rest = part.dropFirst(max(1, receipts.count))
                if !rest.isEmpty { parts.append(rest) }
            } catch {
                failures += 1
                let mayBeOfOne = error.reason == .other || error.reason == .corrupt
                let mayGoOn = mayBeOfOne && failures < Self.failuresPerBatch
                if mayGoOn, part.count > 1 {
                    // A submission that cannot be written, or a leak that cannot be read, shall not take the others
                    // with it.
                    let half = part.startIndex + part.count / 2
                    parts += [part[half...], part[..<half]]
                    continue
                }
                finished(error)
                for waiting in part { waiting.send(.failed(error)) }
                guard !mayGoOn else { continue }
                for waiting in parts.joined() { waiting.send(.failed(error)) }
                parts = []
            }
        }
        do {
            try store.tidy(now: now())
        } catch {
            untidy(error)
        }
    }
}

extension Submission {
    /// Bytes that it holds while it waits; strings of senders are short and counted by their usual length.
    fileprivate var size: Int {
        body.count + answer.count + sightings.count * MemoryLayout<Sighting>.stride
            + origins.count * (MemoryLayout<Origin>.stride + 128)
    }
}

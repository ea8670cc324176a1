import Foundation
import LeakHTTPClient
import LeakHTTPServer
import LeakStore
import Testing
import LeakPlatform

@testable import LeakCollector

/// Requests over real connections. The store writes only when a test releases it.
@Suite struct CommitQueueTests {
    /// Service that passes the body of each request to a queue and answers with the result.
    private struct QueueService: Service {
        let queue: CommitQueue

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            var submission = Submission(keyID: 1, receivedAt: 0)
            submission.body = request.body()
            queue.submit(submission, responder) { outcome in
                switch outcome {
                case .written(let receipt): Response(receipt == .counted ? .ok : .unprocessableContent)
                case .failed: Response(.internalServerError)
                case .full: Response(.tooManyRequests)
                case .stopping: Response(.serviceUnavailable)
                }
            }
        }
    }

    private final class QueueServer {
        let store = SlowStore()
        let queue: CommitQueue
        let server: Server
        private let thread: WorkerThread
        private let posts = Guarded<[WorkerThread]>([])
        let statuses = Guarded<[Int]>([])

        init(waitingBytes: Int) throws {
            var limits = CommitQueue.Limits()
            limits.waitingBytes = waitingBytes
            queue = CommitQueue(
                store: store, limits: limits, now: { 0 }, onTransactionEnd: { _ in },
                onCheckpointError: { _ in })
            thread = queue.start()
            server = try Server(.init(port: 0), service: QueueService(queue: queue))
            server.start()
        }

        /// Sends a body from a separate thread, which waits for the answer.
        func post(bytes: Int) {
            let address = "http://127.0.0.1:\(server.port)/"
            let statuses = statuses
            let post = WorkerThread(name: "post") {
                let client = try? HTTPClient()
                let answer = try? client?.post([UInt8](repeating: 0, count: bytes), to: address, fields: [])
                statuses.with { $0.append(answer?.status ?? 0) }
                statuses.wakeAll()
            }
            posts.with { $0.append(post) }
        }

        func answers(_ count: Int) -> [Int]? {
            statuses.wait(timeout: .seconds(5)) { $0.count >= count ? $0 : nil }
        }

        func end() {
            store.release()
            queue.stop()
            thread.join()
            server.stop(within: .seconds(2))
            for post in posts.with({ $0 }) { post.join() }
        }
    }

    @Test func `no response is sent before its submission is written`() throws {
        let fixture = try QueueServer(waitingBytes: 10_000)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        #expect(fixture.statuses.with { $0.isEmpty })
        fixture.store.release()
        #expect(fixture.answers(1) == [200])
        fixture.end()
    }

    @Test func `submissions that arrive during a transaction are written together in the next transaction`()
        throws
    {
        let fixture = try QueueServer(waitingBytes: 1_000_000)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        for _ in 0..<5 { fixture.post(bytes: 10) }
        let isGathered = fixture.queue.waitUntilQueued(5)
        #expect(isGathered)
        fixture.store.release()
        #expect(fixture.answers(6) == [200, 200, 200, 200, 200, 200])
        #expect(fixture.store.sizes == [1, 5])
        fixture.end()
    }

    @Test func `a full queue rejects a submission at once, and still writes the waiting submissions`() throws
    {
        let fixture = try QueueServer(waitingBytes: 1_000)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        fixture.post(bytes: 900)
        #expect(fixture.queue.waitUntilQueued(1))
        #expect(fixture.queue.hasRoom(for: 900) == false)
        fixture.post(bytes: 900)
        #expect(fixture.answers(1) == [429])
        fixture.store.release()
        #expect(fixture.answers(3)?.sorted() == [200, 200, 429])
        fixture.end()
    }

    @Test func `a failed transaction fails all its submissions, and the next transaction works`() throws {
        let fixture = try QueueServer(waitingBytes: 1_000_000)
        fixture.store.failNext()
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        fixture.store.release()
        #expect(fixture.answers(1) == [500])
        fixture.post(bytes: 10)
        #expect(fixture.answers(2) == [500, 200])
        fixture.end()
    }

    @Test(arguments: [StoreError.Reason.other, .corrupt])
    func `a submission that cannot be written does not prevent others from being written`(
        reason: StoreError.Reason
    ) throws {
        let fixture = try QueueServer(waitingBytes: 1_000_000)
        fixture.store.setFailureReason(reason)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        for number in 0..<20 { fixture.post(bytes: number % 9 == 4 ? SlowStore.failingBodyBytes : 10) }
        #expect(fixture.queue.waitUntilQueued(20))
        fixture.store.release()
        let answers = try #require(fixture.answers(21))
        #expect(answers.count { $0 == 200 } == 19 && answers.count { $0 == 500 } == 2)
        fixture.end()
    }

    @Test func `if nothing can be written, all senders soon get a response`() throws {
        let fixture = try QueueServer(waitingBytes: 1_000_000)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        for _ in 0..<150 { fixture.post(bytes: SlowStore.failingBodyBytes) }
        #expect(fixture.queue.waitUntilQueued(150))
        fixture.store.release()
        let answers = try #require(fixture.answers(151))
        #expect(answers.count { $0 == 500 } == 150)
        #expect(fixture.store.sizes.count < 80)
        fixture.end()
    }

    @Test func `stopping the queue writes the waiting submissions and rejects new ones`() throws {
        let fixture = try QueueServer(waitingBytes: 1_000_000)
        fixture.post(bytes: 10)
        #expect(fixture.store.waitForFirstWrite())
        fixture.post(bytes: 10)
        #expect(fixture.queue.waitUntilQueued(1))
        fixture.queue.stop()
        fixture.post(bytes: 10)
        #expect(fixture.answers(1) == [503])
        fixture.store.release()
        #expect(fixture.answers(3)?.sorted() == [200, 200, 503])
        fixture.end()
    }
}

/// A store that stores nothing. Its writes wait until ``release()`` is called.
private final class SlowStore: Store {
    private struct State {
        var isReleased = false
        var fails = false
        var failureReason = StoreError.Reason.other
        var sizes: [Int] = []
    }

    /// Size in bytes of a body that makes its transaction fail.
    static let failingBodyBytes = 13

    private let state = Guarded(State())

    var sizes: [Int] { state.with { $0.sizes } }

    func release() {
        state.with { $0.isReleased = true }
        state.wakeAll()
    }

    func setFailureReason(_ reason: StoreError.Reason) { state.with { $0.failureReason = reason } }

    func failNext() { state.with { $0.fails = true } }

    func waitForFirstWrite() -> Bool {
        state.wait(timeout: .seconds(5)) { $0.sizes.isEmpty ? nil : true } ?? false
    }

    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        state.with { $0.sizes.append(submissions.count) }
        state.wakeAll()
        let fails = state.wait { state in
            guard state.isReleased else { return nil as Bool? }
            defer { state.fails = false }
            return state.fails
        }
        if fails == true { throw StoreError(.diskFull, "no room") }
        if submissions.contains(where: { $0.body.count == Self.failingBodyBytes }) {
            throw StoreError(state.with { $0.failureReason }, "a statement failed")
        }
        return submissions.map { _ in .counted }
    }

    func checkpointIfNeeded(now: Int64) throws(StoreError) {}
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? { nil }
    func forget(
        _ target: ForgetTarget, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ForgetCounts? { nil }
    func erase(
        install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ErasureResult? { nil }
    func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
        credential
    }
    func revoke(credential id: Int64, audit entry: AuditEntry?, now: Int64) throws(StoreError) -> Bool {
        false
    }
    func pin(
        _: String?, of _: AppKey, by _: String, audit _: AuditEntry?, now _: Int64
    ) throws(StoreError) -> Bool { false }
    func setName(
        ofCredential id: Int64, to name: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool { false }
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool { false }
    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? { nil }
    func discard(
        _ leak: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool { false }
    func accept(_ leak: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool { false }
    func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
    ) throws(StoreError) -> RulesOutcome { .unknownApp }
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool { false }
    func put(
        _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
    ) throws(StoreError) -> SymbolUploadResult { .stored }
    func removeSymbols(
        _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool { false }
    func recordUse(ofSymbols rows: [Int64], now: Int64) throws(StoreError) {}
    func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int { 0 }
    func claim(channel: String, by sender: Int64, now: Int64) throws(StoreError) -> ChannelPosition? { nil }
    func move(
        channel: String, to position: ChannelPosition, by sender: Int64
    ) throws(StoreError) -> Bool { false }
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
        now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? { nil }
    func mergeByHand(
        _: LeakID, into _: LeakID, by _: String, audit _: AuditEntry?, now _: Int64
    ) throws(StoreError) -> ManualMerge? { nil }
    func undoMerge(
        _: Int64, by _: String, audit _: AuditEntry?, now _: Int64
    ) throws(StoreError) -> UndoneMerge? { nil }
    func verify() throws(StoreError) -> [String] { [] }
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        throw StoreError(.other, "nothing to read")
    }
}

extension CommitQueue {
    /// Waits for about five seconds until at least `count` submissions are in the queue.
    ///
    /// - Returns: `false` if there are fewer.
    fileprivate func waitUntilQueued(_ count: Int) -> Bool {
        for _ in 0..<500 {
            if waitingCount >= count { return true }
            usleep(10_000)
        }
        return false
    }
}

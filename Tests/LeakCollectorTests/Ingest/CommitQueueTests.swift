import Foundation
import LeakHTTPClient
import LeakHTTPServer
import LeakStore
import Testing
import LeakPlatform

@testable import LeakCollector

/// Requests on real connections to a store that writes only on command.
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

    private final class Bench {
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
        let bench = try Bench(waitingBytes: 10_000)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        #expect(bench.statuses.with { $0.isEmpty })
        bench.store.release()
        #expect(bench.answers(1) == [200])
        bench.end()
    }

    @Test func `submissions that arrive during a transaction gather into the next`() throws {
        let bench = try Bench(waitingBytes: 1_000_000)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        for _ in 0..<5 { bench.post(bytes: 10) }
        let isGathered = bench.queue.waitsFor(5)
        #expect(isGathered)
        bench.store.release()
        #expect(bench.answers(6) == [200, 200, 200, 200, 200, 200])
        #expect(bench.store.sizes == [1, 5])
        bench.end()
    }

    @Test func `a full queue rejects at once and keeps its submissions`() throws {
        let bench = try Bench(waitingBytes: 1_000)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        bench.post(bytes: 900)
        #expect(bench.queue.waitsFor(1))
        #expect(bench.queue.hasRoom(for: 900) == false)
        bench.post(bytes: 900)
        #expect(bench.answers(1) == [429])
        bench.store.release()
        #expect(bench.answers(3)?.sorted() == [200, 200, 429])
        bench.end()
    }

    @Test func `a failed transaction fails all its submissions, and the next transaction works`() throws {
        let bench = try Bench(waitingBytes: 1_000_000)
        bench.store.failNext()
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        bench.store.release()
        #expect(bench.answers(1) == [500])
        bench.post(bytes: 10)
        #expect(bench.answers(2) == [500, 200])
        bench.end()
    }

    @Test(arguments: [StoreError.Reason.other, .corrupt])
    func `a submission that cannot be written fails alone`(reason: StoreError.Reason) throws {
        let bench = try Bench(waitingBytes: 1_000_000)
        bench.store.refusePoison(for: reason)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        for number in 0..<20 { bench.post(bytes: number % 9 == 4 ? SlowStore.poison : 10) }
        #expect(bench.queue.waitsFor(20))
        bench.store.release()
        let answers = try #require(bench.answers(21))
        #expect(answers.count { $0 == 200 } == 19 && answers.count { $0 == 500 } == 2)
        bench.end()
    }

    @Test func `if nothing can be written, all senders soon get a response`() throws {
        let bench = try Bench(waitingBytes: 1_000_000)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        for _ in 0..<150 { bench.post(bytes: SlowStore.poison) }
        #expect(bench.queue.waitsFor(150))
        bench.store.release()
        let answers = try #require(bench.answers(151))
        #expect(answers.count { $0 == 500 } == 150)
        #expect(bench.store.sizes.count < 80)
        bench.end()
    }

    @Test func `stopping writes the waiting submissions and accepts no more`() throws {
        let bench = try Bench(waitingBytes: 1_000_000)
        bench.post(bytes: 10)
        #expect(bench.store.waitUntilAsked())
        bench.post(bytes: 10)
        #expect(bench.queue.waitsFor(1))
        bench.queue.stop()
        bench.post(bytes: 10)
        #expect(bench.answers(1) == [503])
        bench.store.release()
        #expect(bench.answers(3)?.sorted() == [200, 200, 503])
        bench.end()
    }
}

/// A store that counts nothing, and returns from writes once it is released.
private final class SlowStore: Store {
    private struct State {
        var isReleased = false
        var fails = false
        var poisonReason = StoreError.Reason.other
        var sizes: [Int] = []
    }

    /// Size of a submission that makes its transaction fail.
    static let poison = 13

    private let state = Guarded(State())

    var sizes: [Int] { state.with { $0.sizes } }

    func release() {
        state.with { $0.isReleased = true }
        state.wakeAll()
    }

    func refusePoison(for reason: StoreError.Reason) { state.with { $0.poisonReason = reason } }

    func failNext() { state.with { $0.fails = true } }

    func waitUntilAsked() -> Bool {
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
        if submissions.contains(where: { $0.body.count == Self.poison }) {
            throw StoreError(state.with { $0.poisonReason }, "a statement failed")
        }
        return submissions.map { _ in .counted }
    }

    func checkpointIfNeeded(now: Int64) throws(StoreError) {}
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? { nil }
    func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> ErasureResult? { nil }
    func add(_ credential: Credential) throws(StoreError) -> Credential { credential }
    func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool { false }
    func pin(_: String?, of _: AppKey, by _: String, now _: Int64) throws(StoreError) -> Bool { false }
    func setName(ofCredential id: Int64, to name: String) throws(StoreError) -> Bool { false }
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool { false }
    func decide(
        _ decision: Decision, about leaks: [LeakID], now: Int64
    ) throws(StoreError) -> PastDecision? { nil }
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool { false }
    func put(_ symbols: StoredSymbols, body: [UInt8]) throws(StoreError) -> SymbolsStored { .stored }
    func removeSymbols(_ kind: StoredSymbols.Kind, of image: String) throws(StoreError) -> Bool { false }
    func recordUse(ofSymbols rows: [Int64], now: Int64) throws(StoreError) {}
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? { nil }
    func verify() throws(StoreError) -> [String] { [] }
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        throw StoreError(.other, "nothing to read")
    }
}

extension CommitQueue {
    /// Returns `true` if at least `count` callers wait within about five seconds.
    fileprivate func waitsFor(_ count: Int) -> Bool {
        for _ in 0..<500 {
            if waitingCount >= count { return true }
            usleep(10_000)
        }
        return false
    }
}

import Foundation
import LeakHTTPClient
import Testing

/// `kill -9` while requests of all kinds arrive: each request that was answered with 200 is stored exactly once after
/// the restart.
///
/// Runs ten rounds; `make soak` runs 200 (`CRASH_ROUNDS`).
@Suite struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 10
    private static let senders = 4
    private typealias Counts = CrashRequest.Counts

    /// The requests of one sender, with their answers.
    private struct Ledger: Sendable {
        var acknowledged: Counts = [:]
        /// The last request that was answered.
        var lastAnswered: CrashRequest?
        /// A request that was sent but not answered. The collector may or may not have counted it.
        var unanswered: CrashRequest?
        var problems: [String] = []
    }

    @Test func `every answered request is counted exactly once after kill -9`() async throws {
        let folder = try TemporaryFolder()
        var generator = SystemRandomNumberGenerator()
        var (totals, ledgers): (Counts, [OperatorLedger]) = ([:], [])
        // Round -1 sends every kind of request once, so that each kind precedes a kill, independent of chance.
        for round in -1..<Self.rounds {
            // The access log goes to a pipe that this test does not read.
            let accessLog = ["text", "json", "off"][(round + 1) % 3]
            let collector = try CollectorProcess(
                data: folder.path, environment: ["COLLECTOR_ACCESS_LOG": accessLog])
            let (address, process) = (collector.address, collector.processIdentifier)
            let progress = RoundProgress(threads: Self.senders + 1)
            let isFirst = round < 0
            let answersBeforeKill = isFirst ? Int.max : Int.random(in: 1...300, using: &generator)
            let delay = UInt32.random(in: 0...3_000, using: &generator)
            async let killing: Void = Self.onThread {
                progress.waitForAnswers(answersBeforeKill)
                usleep(delay)
                kill(process, SIGKILL)
            }
            async let operated = Self.onThread {
                OperatorLedger.operate(address, round: round, isComplete: isFirst, progress)
            }
            let sent = await withTaskGroup(of: Ledger.self) { group in
                for sender in 0..<Self.senders {
                    group.addTask {
                        await Self.onThread {
                            Self.send(
                                to: address, round: round, sender: sender, isComplete: isFirst, progress)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var operatorLedger = await operated
            await killing
            collector.wait()

            let restarted = try CollectorProcess(data: folder.path)
            let client = try HTTPClient.forCrashTests()
            let problems = sent.flatMap(\.problems) + operatorLedger.problems
            #expect(problems == [], "round \(round)")
            for ledger in sent { totals.merge(ledger.acknowledged, uniquingKeysWith: +) }
            let upperBound = sent.compactMap(\.unanswered?.counts).reduce(totals) {
                $0.merging($1, uniquingKeysWith: +)
            }
            let counted = try client.crashCounts(at: restarted.address)
            #expect(
                Self.less(counted, than: totals) == [], "round \(round): an answered request is lost")
            #expect(Self.less(upperBound, than: counted) == [], "round \(round): a request is counted twice")

            // A reporter that got no answer, or whose answer was lost, sends the same bytes with the same key again.
            // Each request must then count exactly once.
            for request in sent.flatMap({ [$0.unanswered, $0.lastAnswered].compactMap(\.self) }) {
                let answer = try client.send(request, to: restarted.address)
                #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            }
            totals = upperBound
            let again = try client.crashCounts(at: restarted.address)
            #expect(again == totals, "round \(round): after sending again")
            let operatorProblems = try operatorLedger.problems(after: restarted.address)
            #expect(operatorProblems == [], "round \(round)")
            ledgers.append(operatorLedger)
            Self.end(restarted, &generator)
        }
        let last = try CollectorProcess(data: folder.path)
        let laterProblems = try ledgers.flatMap { try $0.laterProblems(after: last.address) }
        #expect(laterProblems == [])
        let counted = try HTTPClient.forCrashTests().crashCounts(at: last.address)
        #expect(counted == totals)
    }

    /// Returns descriptions of the counts that are smaller than in `others`.
    private static func less(_ counts: Counts, than others: Counts) -> [String] {
        others.filter { $0.value > counts[$0.key, default: 0] }.sorted { $0.key < $1.key }.map {
            "\($0.key): \(counts[$0.key, default: 0]) instead of \($0.value)"
        }
    }

    /// Stops an idle collector: with SIGTERM, by killing it at once, or by killing it during a stop, when its
    /// write-ahead log may be half checkpointed.
    private static func end(_ collector: CollectorProcess, _ generator: inout SystemRandomNumberGenerator) {
        let killDelay =
            [0, UInt32.random(in: 0...20_000, using: &generator), nil].randomElement(using: &generator) ?? nil
        if killDelay != 0 { collector.kill(SIGTERM) }
        guard let killDelay else {
            #expect(collector.wait() == 0)
            return
        }
        usleep(killDelay)
        collector.kill(SIGKILL)
        collector.wait()
    }

    /// Runs blocking calls on a new thread, so that no thread that other code needs is blocked.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Sends requests of random kinds until a request is not answered.
    ///
    /// - Parameter isComplete: true to send each kind once, compressed and uncompressed, and to end then.
    private static func send(
        to address: String, round: Int, sender: Int, isComplete: Bool, _ progress: RoundProgress
    ) -> Ledger {
        var ledger = Ledger()
        defer { progress.end() }
        guard let client = try? HTTPClient.forCrashTests() else { return ledger }
        let kinds = CrashRequest.Kind.allCases
        for number in 0..<(isComplete ? kinds.count : .max) {
            let kind = isComplete ? kinds[number] : kinds.randomElement() ?? .single
            let id = "\(round)-\(sender)-\(number)"
            let request =
                isComplete
                ? CrashRequest(kind, id: id, install: "i\(sender)", isPacked: sender.isMultiple(of: 2))
                : CrashRequest(kind, id: id, install: "i\(sender)")
            guard let answer = try? client.send(request, to: address) else {
                ledger.unanswered = request
                if isComplete { ledger.problems.append("\(kind) was not answered") }
                return ledger
            }
            guard answer.status == 200 else {
                ledger.problems.append("\(kind): \(String(decoding: answer.body, as: UTF8.self))")
                return ledger
            }
            ledger.lastAnswered = request
            ledger.acknowledged.merge(request.counts, uniquingKeysWith: +)
            progress.recordAnswer()
        }
        return ledger
    }
}

/// Progress of the threads of a round.
final class RoundProgress: @unchecked Sendable {
    // `Sendable` is unchecked: all state is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var answers = 0
    private var threads: Int

    init(threads: Int) { self.threads = threads }

    func recordAnswer() {
        condition.withLock {
            answers += 1
            condition.broadcast()
        }
    }

    /// Records that a thread has ended.
    func end() {
        condition.withLock {
            threads -= 1
            condition.broadcast()
        }
    }

    /// Waits for `count` answers, or for the end of all threads.
    func waitForAnswers(_ count: Int) {
        condition.withLock { while answers < count, threads > 0 { condition.wait() } }
    }
}

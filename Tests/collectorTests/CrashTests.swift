import Foundation
import HTTPClient
import Testing

/// `kill -9` while reports pour in: what was answered with 200 is there after the restart, and is there once.
///
/// Ten rounds here; `make soak` runs 200 (`CRASH_ROUNDS`).
@Suite struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 10
    private static let senders = 4

    /// What one sender knows about the batches it sent.
    private struct Ledger: Sendable {
        let sender: Int
        var acknowledged: [Int] = []
        /// Sent, but no answer came: counted or not, nobody knows.
        var uncertain: [Int] = []
    }

    @Test func `every answered report is counted exactly once after kill -9`() async throws {
        let folder = try TemporaryFolder()
        var generator = SystemRandomNumberGenerator()
        var reports = 0
        for round in 0..<Self.rounds {
            let collector = try CollectorProcess(data: folder.path)
            let address = collector.address
            let life = Double.random(in: 0.05...0.6, using: &generator)
            let ledgers = await withTaskGroup(of: Ledger.self) { group in
                for sender in 0..<Self.senders {
                    group.addTask {
                        await Self.onThread { Self.send(to: address, round: round, sender: sender) }
                    }
                }
                try? await Task.sleep(nanoseconds: UInt64(life * 1e9))
                collector.kill(SIGKILL)
                var ledgers: [Ledger] = []
                for await ledger in group { ledgers.append(ledger) }
                return ledgers
            }
            collector.wait()

            let restarted = try CollectorProcess(data: folder.path)
            let answered = ledgers.reduce(0) { $0 + $1.acknowledged.reduce(0, +) }
            let open = ledgers.reduce(0) { $0 + $1.uncertain.reduce(0, +) }
            let counted = try CurlClient().counted(at: restarted.address)
            #expect(counted >= reports + answered, "round \(round): an answered report is lost")
            #expect(counted <= reports + answered + open, "round \(round): a report is counted twice")

            // A reporter that got no answer sends the same bytes under the same key: now each counts exactly once.
            for ledger in ledgers {
                try Self.resend(ledger, to: restarted.address, round: round)
            }
            reports += answered + open
            let total = try CurlClient().counted(at: restarted.address)
            #expect(total == reports, "round \(round): after sending again")
            Self.end(restarted, &generator)
        }
        #expect(reports > 0)
    }

    /// Stops an idle collector: cleanly, not at all, or until it is killed on its way, with its log half put away.
    private static func end(_ collector: CollectorProcess, _ generator: inout SystemRandomNumberGenerator) {
        let patience =
            [0, UInt32.random(in: 0...20_000, using: &generator), nil].randomElement(using: &generator) ?? nil
        if patience != 0 { collector.kill(SIGTERM) }
        guard let patience else {
            #expect(collector.wait() == 0)
            return
        }
        usleep(patience)
        collector.kill(SIGKILL)
        collector.wait()
    }

    /// Blocking calls belong on a thread that nobody else needs.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Batches of one to five reports of a few leaks, told apart by their number; every eighth is of many leaks not seen
    /// before, so that the store's log grows long enough to be put away while others come.
    private static func body(round: Int, sender: Int, number: Int) -> [UInt8] {
        let new = isLarge(number) ? "_\(round)_\(sender)_\(number)" : ""
        let reports = (0..<size(number)).map { report in
            #"{"class":"Shop.Screen\#(isLarge(number) ? report : (number + report) % 7)\#(new)"}"#
        }
        return Array(
            #"{"app":{"id":"crash"},"install":"i\#(sender)","reports":[\#(reports.joined(separator: ","))]}"#
                .utf8)
    }

    private static func isLarge(_ number: Int) -> Bool { number % 8 == 7 }

    private static func size(_ number: Int) -> Int { isLarge(number) ? 120 : number % 5 + 1 }

    private static func send(to address: String, round: Int, sender: Int) -> Ledger {
        var ledger = Ledger(sender: sender)
        guard let client = try? CurlClient() else { return ledger }
        for number in 0... {
            let key = "\(round)-\(sender)-\(number)"
            do {
                let answer = try client.report(
                    body(round: round, sender: sender, number: number), to: address, idempotencyKey: key)
                guard answer.status == 200 else { return ledger }
                ledger.acknowledged.append(size(number))
            } catch {
                ledger.uncertain.append(size(number))
                return ledger
            }
        }
        return ledger
    }

    private static func resend(_ ledger: Ledger, to address: String, round: Int) throws {
        let client = try CurlClient()
        for number in ledger.acknowledged.count..<(ledger.acknowledged.count + ledger.uncertain.count) {
            let answer = try client.report(
                body(round: round, sender: ledger.sender, number: number), to: address,
                idempotencyKey: "\(round)-\(ledger.sender)-\(number)")
            #expect(answer.status == 200)
        }
    }
}

import LeakFaultyPeers
import Foundation
import Testing

@testable import LeakReporter

/// Servers that misbehave: the reporter does not hang, loses no reports, and names the failure in `statistics`.
///
/// The tests run one after the other, because some servers send as fast as the machine can.
@Suite(.serialized) struct HostileAnswerTests {
    private struct Outcome: Sendable {
        let isSettled: Bool
        let statistics: LeakReporter.Statistics
        let requests: [ReceivedRequest]
    }

    /// - Parameter times: number of connections that get the hostile answer before one gets a valid answer.
    private static func outcome(
        of answer: HostileAnswer, times: Int, _ storageKind: StorageKind, seconds: Double
    ) throws -> Outcome {
        try withReporter(
            storageKind, timeoutMilliseconds: answer.isSlow ? 300 : 20_000,
            readLimit: { $0 < times ? answer.bytesReadBefore : nil },
            to: { $0.connection < times ? answer.steps + [.close] : [.accepted] },
            { reporter, peer in
                reporter.recordThree()
                let isSettled = reporter.flush(timeout: seconds)
                return Outcome(
                    isSettled: isSettled, statistics: reporter.statistics, requests: peer.requests)
            })
    }

    @Test(arguments: HostileAnswer.all, StorageKind.allCases)
    func `a batch is sent again after a response that says nothing about it`(
        _ answer: HostileAnswer, _ storageKind: StorageKind
    ) async throws {
        let outcome = try await onThreadOfItsOwn {
            try Self.outcome(of: answer, times: 2, storageKind, seconds: generousSeconds)
        }
        #expect(outcome.isSettled)
        let statistics = outcome.statistics
        #expect(statistics.sent == 3)
        #expect(statistics.stored == 3)
        #expect(statistics.waiting == 0)
        #expect(statistics.dropped == [:])
        #expect(statistics.batches == 1)
        #expect(statistics.failedAttempts >= 2)
        #expect(!statistics.isStopped)
        #expect(
            statistics.lastFailure?.contains(answer.failureText) == true, "\(statistics.lastFailure ?? "")")
        // Only requests that the peer read completely are compared.
        let whole = outcome.requests.suffix(1 + (answer.bytesReadBefore == nil ? 2 : 0))
        #expect(Set(whole.map(\.idempotencyKey)).count == 1)
        // A response of another server shows that the batch was not counted. The next attempt then has a new `sent_at`.
        if !answer.isRetry { #expect(Set(whole.map(\.body)).count == 1) }
    }

    @Test(arguments: HostileAnswer.all, StorageKind.allCases)
    func `if every response is hostile, all reports stay in the queue and the app is not blocked`(
        _ answer: HostileAnswer, _ storageKind: StorageKind
    ) async throws {
        let (outcome, seconds) = try await onThreadOfItsOwn {
            let start = Date()
            let outcome = try Self.outcome(of: answer, times: .max, storageKind, seconds: 0.05)
            return (outcome, Date().timeIntervalSince(start))
        }
        #expect(seconds < generousSeconds)
        #expect(!outcome.isSettled)
        let statistics = outcome.statistics
        #expect(statistics.sent == 0)
        #expect(statistics.waiting == 3)
        #expect(statistics.dropped == [:])
        #expect(!statistics.isStopped)
    }

    @Test func `the target of a redirect gets no request`() async throws {
        let (statistics, connections) = try await onThreadOfItsOwn {
            let elsewhere = try HostilePeer { _ in [.accepted] }
            defer { elsewhere.stop() }
            let field = "Location: http://127.0.0.1:\(elsewhere.port)/api/v1/reports"
            return try withReporter(to: { _ in [.answer(307, fields: [field])] }) { reporter, _ in
                reporter.recordThree()
                _ = reporter.flush(timeout: 0)
                _ = eventually { reporter.statistics.failedAttempts >= 2 }
                return (reporter.statistics, elsewhere.connectionCount)
            }
        }
        #expect(connections == 0)
        #expect(statistics.waiting == 3)
        #expect(statistics.failedAttempts >= 2)
    }

    @Test func `reports are sent even if interim responses precede the final response`() async throws {
        let hint = HostilePeer.Step.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        let statistics = try await onThreadOfItsOwn {
            try withReporter(to: { _ in [hint, hint, hint, .accepted] }) { reporter, _ in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                return reporter.statistics
            }
        }
        #expect(statistics.sent == 3)
        #expect(statistics.failedAttempts == 0)
    }
}

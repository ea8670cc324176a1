import FaultyPeers
import Foundation
import Testing
import Threads

@testable import LeakReporter

/// Servers that misbehave: nothing hangs, nothing is lost, and `statistics` say what it was.
///
/// One after the other: some send as fast as the machine can.
@Suite(.serialized) struct HostilePeerTests {
    private static let accepted = HostilePeer.Step.answer(
        200, type: "application/json", #"{"accepted": 3, "duplicate": false, "rejected": []}"#)

    /// Enough for a few attempts on a busy machine.
    private static let bound: Double = 60

    private static func reporter(_ peer: HostilePeer, timeoutMilliseconds: Int = 20_000) -> LeakReporter {
        .forFaults(port: peer.port, timeoutMilliseconds: timeoutMilliseconds)
    }

    private static func recordThree(by reporter: LeakReporter) {
        for number in 1...3 { reporter.record(message: "Expected deallocation of Shop.Page\(number)") }
    }

    /// What is left when nothing was lost.
    private struct Outcome: Sendable {
        let isSettled: Bool
        let statistics: LeakReporter.Statistics
        let requests: [ReceivedRequest]
    }

    /// - Parameter times: how many connections see the answer before one that is right.
    private static func outcome(of answer: HostileAnswer, times: Int, seconds: Double) throws -> Outcome {
        let peer = try HostilePeer(reading: { $0 < times ? answer.reads : nil }) { request in
            request.connection < times ? answer.steps + [.close] : [accepted]
        }
        defer { peer.stop() }
        let reporter = reporter(peer, timeoutMilliseconds: answer.isSlow ? 300 : 20_000)
        recordThree(by: reporter)
        let isSettled = reporter.flush(timeout: seconds)
        return Outcome(isSettled: isSettled, statistics: reporter.statistics, requests: peer.requests)
    }

    @Test(arguments: HostileAnswer.all)
    func `what says nothing of the batch lets it be sent again`(_ answer: HostileAnswer) async throws {
        let outcome = try await onThreadOfItsOwn {
            try Self.outcome(of: answer, times: 2, seconds: Self.bound)
        }
        #expect(outcome.isSettled)
        let statistics = outcome.statistics
        #expect(statistics.sent == 3)
        #expect(statistics.waiting == 0)
        #expect(statistics.dropped == [:])
        #expect(statistics.batches == 1)
        #expect(statistics.failedAttempts >= 2)
        #expect(!statistics.isStopped)
        #expect(statistics.lastFailure?.contains(answer.says) == true, "\(statistics.lastFailure ?? "")")
        // Those that were read whole.
        let whole = outcome.requests.suffix(1 + (answer.reads == nil ? 2 : 0))
        #expect(Set(whole.map(\.idempotencyKey)).count == 1)
        #expect(Set(whole.map(\.body)).count == 1)
    }

    @Test(arguments: HostileAnswer.all)
    func `what never ends loses nothing and holds nobody up`(_ answer: HostileAnswer) async throws {
        let start = Date()
        let outcome = try await onThreadOfItsOwn {
            try Self.outcome(of: answer, times: .max, seconds: 0.05)
        }
        #expect(Date().timeIntervalSince(start) < Self.bound)
        #expect(!outcome.isSettled)
        #expect(outcome.statistics.sent == 0)
        #expect(outcome.statistics.waiting == 3)
        #expect(outcome.statistics.dropped == [:])
        #expect(!outcome.statistics.isStopped)
    }

    @Test(arguments: [401, 403])
    func `a key that a collector refuses twice is used no more`(_ status: Int) async throws {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let peer = try HostilePeer { _ in
                [.answer(status, #"{"title": "Unauthorized", "detail": "no such key"}"#)]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: Self.bound)
            reporter.record(message: "Expected deallocation of Shop.Late")
            _ = reporter.flush(timeout: Self.bound)
            return (reporter.statistics, peer.requests.count)
        }
        #expect(statistics.isStopped)
        #expect(statistics.sent == 0)
        // For the next start: the key may have been mended by then.
        #expect(statistics.waiting == 4)
        #expect(statistics.dropped == [:])
        #expect(statistics.lastFailure?.contains("no such key") == true)
        // A collector may not have known a new key yet.
        #expect(requests == 2)
    }

    @Test(arguments: [400, 404, 405, 411, 414, 415, 422, 431])
    func `a batch that a collector refuses is counted, and those after it are sent`(
        _ status: Int
    ) async throws {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let peer = try HostilePeer { request in
                request.number == 0
                    ? [.answer(status, #"{"title": "no", "status": \#(status)}"#)] : [Self.accepted]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: Self.bound)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: Self.bound)
            return (reporter.statistics, peer.requests)
        }
        #expect(statistics.dropped == [.refused: 3])
        #expect(statistics.sent == 3)
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure == "the collector answered \(status): no")
        #expect(Set(requests.map(\.idempotencyKey)).count == 2)
    }

    @Test func `what a collector takes only in part is counted as such`() async throws {
        let statistics = try await onThreadOfItsOwn {
            let peer = try HostilePeer { _ in
                let body = #"{"accepted": 2, "rejected": [{"index": 1, "reason": "class is empty"}]}"#
                return [.answer(200, type: "application/json", body)]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: Self.bound)
            return reporter.statistics
        }
        #expect(statistics.sent == 2)
        #expect(statistics.dropped == [.rejected: 1])
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure?.contains("class is empty") == true)
    }

    @Test func `a batch that is too long for the peer is sent in pieces`() async throws {
        let limit = 1_500
        let (statistics, requests) = try await onThreadOfItsOwn {
            let peer = try HostilePeer { request in
                request.body.count > limit ? [.answer(413, #"{"title": "too long"}"#)] : [Self.accepted]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            var numbers = SeededNumbers(seed: 1)
            for number in 0..<40 {
                if number == 17 {
                    // Nothing that compresses.
                    reporter.record(
                        message: (0..<400).map { _ in String(numbers.next(), radix: 16) }.joined())
                }
                reporter.record(message: "Expected deallocation of Shop.Page\(number)")
            }
            _ = reporter.flush(timeout: Self.bound)
            return (reporter.statistics, peer.requests)
        }
        #expect(statistics.sent == 40)
        #expect(statistics.dropped == [.tooLong: 1])
        #expect(statistics.waiting == 0)
        let taken = try requests.filter { $0.body.count <= limit }.flatMap(Self.messages)
        #expect(Set(taken) == Set((0..<40).map { "Expected deallocation of Shop.Page\($0)" }))
        #expect(taken.count == 40)
        #expect(requests.count > taken.count / 40 + 1)
    }

    /// The texts of the reports in a batch.
    private static func messages(in request: ReceivedRequest) throws -> [String] {
        let json = request["Content-Encoding"] == nil ? request.body : try inflated(request.body)
        let batch = try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        return (batch["reports"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
    }

    @Test(arguments: [429, 503])
    func `a collector that names a time is not asked before it`(_ status: Int) async throws {
        let (statistics, waited) = try await onThreadOfItsOwn {
            let times = Guarded<[Date]>([])
            let peer = try HostilePeer { request in
                times.with { $0.append(Date()) }
                return request.number == 0 ? [.answer(status, fields: ["Retry-After: 2"])] : [Self.accepted]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            let deadline = Date().addingTimeInterval(Self.bound)
            while !reporter.flush(timeout: 0.1), Date() < deadline {}
            let asked = times.with { $0 }
            return (reporter.statistics, asked.last?.timeIntervalSince(asked.first ?? .distantFuture) ?? 0)
        }
        #expect(statistics.sent == 3)
        #expect(statistics.failedAttempts == 1)
        #expect(waited > 1.9)
    }

    @Test func `where a redirect leads is never asked, least of all with the key`() async throws {
        let (statistics, connections) = try await onThreadOfItsOwn {
            let elsewhere = try HostilePeer { _ in [Self.accepted] }
            defer { elsewhere.stop() }
            let port = elsewhere.port
            let peer = try HostilePeer { _ in
                [.answer(307, fields: ["Location: http://127.0.0.1:\(port)/api/v1/reports"])]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: 0)
            _ = comesToHold { reporter.statistics.failedAttempts >= 2 }
            return (reporter.statistics, elsewhere.connections)
        }
        #expect(connections == 0)
        #expect(statistics.waiting == 3)
        #expect(statistics.failedAttempts >= 2)
    }

    @Test func `a few interim answers before the right one do no harm`() async throws {
        let statistics = try await onThreadOfItsOwn {
            let peer = try HostilePeer { _ in
                Array(repeating: .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), count: 5)
                    + [Self.accepted]
            }
            defer { peer.stop() }
            let reporter = Self.reporter(peer)
            Self.recordThree(by: reporter)
            _ = reporter.flush(timeout: Self.bound)
            return reporter.statistics
        }
        #expect(statistics.sent == 3)
        #expect(statistics.failedAttempts == 0)
    }
}

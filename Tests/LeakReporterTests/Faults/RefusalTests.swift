import LeakSeededRandom
import LeakFaultyPeers
import Foundation
import Testing
import LeakPlatform

@testable import LeakReporter

/// Collectors that reject a key, a batch or a part of it, or that ask the reporter to wait.
@Suite struct RefusalTests {
    /// Returns a response with a problem document as the collector writes it.
    private static func problem(_ status: Int, _ detail: String) -> HostilePeer.Step {
        .answer(status, #"{"type": "urn:leak-collector:problem:test", "detail": "\#(detail)"}"#)
    }

    @Test(arguments: [401, 403])
    func `after a collector rejects a key, nothing is sent for an hour, except for one retry after a 401`(
        _ status: Int
    ) async throws {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let no = Self.problem(status, "no such key")
            return try withReporter(to: { _ in [no] }) { reporter, peer in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                reporter.record(message: "Expected deallocation of Shop.Late")
                _ = reporter.flush(timeout: generousSeconds)
                return (reporter.statistics, peer.requests.count)
            }
        }
        #expect(!statistics.isStopped)
        #expect(statistics.sent == 0)
        #expect(statistics.waiting == 4)
        #expect(statistics.dropped == [:])
        #expect(statistics.lastFailure?.contains("no such key") == true)
        #expect(statistics.lastFailure?.contains("in an hour") == true)
        // After a 401 the key is tried once more, because the collector may not know a new key yet.
        #expect(requests == (status == 401 ? 2 : 1))
    }

    /// Spring Boot answers like this for an unknown path, and gateways do for a missing cookie.
    @Test(arguments: [400, 401, 403, 404, 405, 422])
    func `an error of a gateway in JSON neither deletes batches nor stops sending`(_ status: Int) async throws
    {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let no = HostilePeer.Step.answer(
                status, type: "application/json",
                #"{"timestamp": 1, "status": \#(status), "error": "no", "path": "/api/v1/reports"}"#)
            return try withReporter(to: { $0.number < 6 ? [no] : [.accepted] }) { reporter, peer in
                for _ in 0..<3 { reporter.recordThree() }
                _ = reporter.flush(timeout: generousSeconds)
                return (reporter.statistics, peer.requests.count)
            }
        }
        #expect(statistics.sent == 9)
        #expect(statistics.dropped == [:])
        #expect(!statistics.isStopped)
        #expect(requests >= 7)
    }

    @Test(arguments: [400, 409, 411, 414, 415, 422, 431])
    func `reports of a rejected batch are counted as refused, and later batches are sent`(
        _ status: Int
    ) async throws {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let no = Self.problem(status, "no")
            return try withReporter(to: { $0.number == 0 ? [no] : [.accepted] }) { reporter, peer in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                return (reporter.statistics, peer.requests)
            }
        }
        #expect(statistics.dropped == [.batchRejected: 3])
        #expect(statistics.sent == 3)
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure == "the collector answered \(status): no")
        #expect(Set(requests.map(\.idempotencyKey)).count == 2)
    }

    @Test func `accepted and rejected reports of a partly accepted batch are counted`() async throws {
        let statistics = try await onThreadOfItsOwn {
            let part = HostilePeer.Step.answer(
                200, type: "application/json",
                #"{"accepted": 2, "rejected": [{"index": 1, "reason": "class is empty"}]}"#)
            return try withReporter(to: { _ in [part] }) { reporter, _ in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                return reporter.statistics
            }
        }
        #expect(statistics.sent == 2)
        #expect(statistics.dropped == [.reportRejected: 1])
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure?.contains("class is empty") == true)
    }

    @Test(arguments: StorageKind.allCases)
    func `a batch that is too long for the server is sent in pieces`(_ storageKind: StorageKind) async throws
    {
        let limit = 1_500
        let (statistics, requests) = try await onThreadOfItsOwn {
            try withReporter(
                storageKind,
                to: { $0.body.count > limit ? [Self.problem(413, "too long")] : [.accepted] },
                { reporter, peer in
                    var numbers = SeededRandom(seed: 1)
                    for number in 0..<40 {
                        if number == 17 {
                            // Random digits, which do not compress well.
                            reporter.record(
                                message: (0..<400).map { _ in String(numbers.next(), radix: 16) }.joined())
                        }
                        reporter.record(message: "Expected deallocation of Shop.Page\(number)")
                    }
                    _ = reporter.flush(timeout: generousSeconds)
                    return (reporter.statistics, peer.requests)
                })
        }
        #expect(statistics.sent == 40)
        #expect(statistics.dropped == [.tooLong: 1])
        #expect(statistics.waiting == 0)
        let taken = try requests.filter { $0.body.count <= limit }.flatMap(Self.messages)
        #expect(Set(taken) == Set((0..<40).map { "Expected deallocation of Shop.Page\($0)" }))
        #expect(taken.count == 40)
        #expect(requests.count > 3)
    }

    /// Returns the texts of the reports in a batch.
    private static func messages(in request: ReceivedRequest) throws -> [String] {
        let json = request["Content-Encoding"] == nil ? request.body : try inflated(request.body)
        let batch = try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        return (batch["reports"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
    }

    @Test(arguments: [429, 503])
    func `a collector that answers with Retry-After gets no request before that time`(_ status: Int)
        async throws
    {
        let (statistics, waited) = try await onThreadOfItsOwn {
            let times = Guarded<[Date]>([])
            return try withReporter(
                to: { request in
                    times.with { $0.append(Date()) }
                    return request.number == 0 ? [.answer(status, fields: ["Retry-After: 2"])] : [.accepted]
                },
                { reporter, _ in
                    reporter.recordThree()
                    let deadline = Date().addingTimeInterval(generousSeconds)
                    // A flush skips the reporter's own back-off, but not a delay that the collector requested.
                    while !reporter.flush(timeout: 0.1), Date() < deadline {}
                    let asked = times.with { $0 }
                    let waited = asked.last?.timeIntervalSince(asked.first ?? .distantFuture)
                    return (reporter.statistics, waited ?? 0)
                })
        }
        #expect(statistics.sent == 3)
        #expect(statistics.failedAttempts == 1)
        #expect(waited > 1.9)
    }
}

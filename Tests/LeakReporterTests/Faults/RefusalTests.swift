import FaultyPeers
import Foundation
import Testing
import Threads

@testable import LeakReporter

/// Collectors that say no: to a key, to a batch, to a part of it, or for now.
@Suite struct RefusalTests {
    @Test(arguments: [401, 403])
    func `a key that a collector refuses twice is used no more`(_ status: Int) async throws {
        let (statistics, requests) = try await onThreadOfItsOwn {
            let no = HostilePeer.Step.answer(status, #"{"title": "Unauthorized", "detail": "no such key"}"#)
            return try withReporter(to: { _ in [no] }) { reporter, peer in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                reporter.record(message: "Expected deallocation of Shop.Late")
                _ = reporter.flush(timeout: generousSeconds)
                return (reporter.statistics, peer.requests.count)
            }
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
            let no = HostilePeer.Step.answer(status, #"{"title": "no", "status": \#(status)}"#)
            return try withReporter(to: { $0.number == 0 ? [no] : [.accepted] }) { reporter, peer in
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                reporter.recordThree()
                _ = reporter.flush(timeout: generousSeconds)
                return (reporter.statistics, peer.requests)
            }
        }
        #expect(statistics.dropped == [.refused: 3])
        #expect(statistics.sent == 3)
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure == "the collector answered \(status): no")
        #expect(Set(requests.map(\.idempotencyKey)).count == 2)
    }

    @Test func `what a collector takes only in part is counted as such`() async throws {
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
        #expect(statistics.dropped == [.rejected: 1])
        #expect(statistics.waiting == 0)
        #expect(statistics.lastFailure?.contains("class is empty") == true)
    }

    @Test(arguments: Place.allCases)
    func `a batch that is too long for the peer is sent in pieces`(_ place: Place) async throws {
        let limit = 1_500
        let (statistics, requests) = try await onThreadOfItsOwn {
            try withReporter(
                place,
                to: { $0.body.count > limit ? [.answer(413, #"{"title": "too long"}"#)] : [.accepted] },
                { reporter, peer in
                    var numbers = SeededNumbers(seed: 1)
                    for number in 0..<40 {
                        if number == 17 {
                            // Nothing that compresses.
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
            return try withReporter(
                to: { request in
                    times.with { $0.append(Date()) }
                    return request.number == 0 ? [.answer(status, fields: ["Retry-After: 2"])] : [.accepted]
                },
                { reporter, _ in
                    reporter.recordThree()
                    let deadline = Date().addingTimeInterval(generousSeconds)
                    // A flush hurries, but not against the collector's wish.
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

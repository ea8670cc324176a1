import LeakCollectorSupport
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Counts of dropped reports, which an app or a Sentry SDK did not send, and of unchecked objects: their limits and reasons.
@Suite struct DroppedTests {
    @Test(
        arguments: [
            ([0], [], [:]), ([3], [], ["r0": 3]), ([100_000], [], ["r0": 100_000]),
            ([100_001], [], ["r0": 100_000, "over_limit": 1]),
            ([1_000_000, 5], [], ["r0": 100_000, "over_limit": 1]),
            ([60_000, 60_000, 7], [], ["r0": 60_000, "r1": 40_000, "over_limit": 1]),
            // Objects that were not checked (`unseen`) have a limit of their own.
            ([], [0, 0], [:]), ([], [5, 6], ["unseen": 11]), ([], [1_000_000], ["unseen": 1_000_000]),
            ([100_000], [400_000, 600_000], ["r0": 100_000, "unseen": 1_000_000]),
            ([7], [1_000_000, 1], ["r0": 7, "unseen": 1_000_000, "over_limit": 1]),
            ([100_001], [1_000_000, 1], ["r0": 100_000, "unseen": 1_000_000, "over_limit": 1]),
        ] as [([Int], [Int], [String: Int])])
    func `a batch's counts of dropped reports are limited, and a batch over the limit is recorded`(
        counts: [Int], unseen: [Int], counted: [String: Int]
    ) throws {
        let dropped = counts.enumerated().map { "\"r\($0.offset)\":\($0.element)" }.joined(separator: ",")
        let sessions = unseen.enumerated().map {
            #"{"id":"s\#($0.offset)","checks":1,"leaks":0,"unseen":\#($0.element)}"#
        }.joined(separator: ",")
        let batch = "{\"dropped\":{\(dropped)},\"sessions\":[\(sessions)]}"
        let drops = SubmissionBuilder.drops(of: try WireReader.read(Array(batch.utf8), as: .json))
        #expect(Dictionary(uniqueKeysWithValues: drops.map { ($0.reason, $0.count) }) == counted)
    }

    @Test(
        arguments: SubmissionBuilder.collectorReasons.union([
            "sentry_not_a_leak", "sentry_empty", "sentry_too_large", "sentry_unreadable",
            "sentry_queue_overflow",
        ]).sorted())
    func `dropped reports with a reason that only the collector may use are counted under another name`(
        reason: String
    ) throws {
        let batch = #"{"dropped":{"\#(reason)":7}}"#
        let drops = SubmissionBuilder.drops(of: try WireReader.read(Array(batch.utf8), as: .json))
        #expect(drops == [DroppedReports(reason: "device_" + reason, count: 7)])
    }

    @Test func `dropped reports and unchecked objects of one ingest key have separate limits`() {
        let limit = RateLimit(reportsPerSecond: nil)
        func counted(_ reason: String, _ count: Int, key: Int64) -> [Int] {
            limit.countableDrops(
                [Submission.Dropped(app: "a", reason: reason, count: count)], of: key, now: 0
            )
            .filter { $0.reason == reason }.map(\.count)
        }
        for _ in 0..<12 { _ = counted("r", 100_000, key: 1) }
        #expect(counted("unseen", 500_000, key: 1) == [500_000])
        for _ in 0..<12 { _ = counted("unseen", 1_000_000, key: 2) }
        #expect(counted("r", 100_000, key: 2) == [100_000])
    }

    @Test(arguments: [nil, 0, 1_000_000_000])
    func `the dropped reports that an ingest key can count are limited, even if it sends many batches`(
        reportsPerSecond: Int?
    ) {
        let limit = RateLimit(reportsPerSecond: reportsPerSecond)
        var total: [String: Int] = [:]
        func send(_ reason: String, _ count: Int, key: Int64, now: Int64) {
            let drops = [Submission.Dropped(app: "a", reason: reason, count: count)]
            for drop in limit.countableDrops(drops, of: key, now: now) {
                total[drop.reason, default: 0] += drop.count
            }
        }
        // The key sends 12,000 batches a second for six seconds.
        for number in 0..<72_000 { send("r", 100_000, key: 1, now: Int64(number) / 12) }
        #expect((1_050_000...1_060_000).contains(total["r"] ?? 0))
        #expect((60_000...72_000).contains(total["over_limit"] ?? 0))
        for number in 0..<72_000 { send("unseen", 1_000_000, key: 2, now: Int64(number) / 12) }
        #expect((10_500_000...10_600_000).contains(total["unseen"] ?? 0))
        // Dropped reports of another ingest key are counted. Ten seconds later, dropped reports of the first key are counted
        // again.
        total = [:]
        send("r", 7, key: 3, now: 6_000)
        send("r", 100_000, key: 1, now: 16_000)
        #expect(total == ["r": 100_007])
    }

    @Test func `real dropped reports are counted even after forged batches over the limit`() throws {
        let running = try RunningCollector()
        let reasons = (0..<31).map { "\"r\($0)\":1000000" }.joined(separator: ",")
        let forged = #"{"app":{"id":"a","version":"1"},"dropped":{\#(reasons)}}"#
        for _ in 0..<3 { #expect(try running.post(forged).status == 200) }
        #expect(try running.post(#"{"app":{"id":"a","version":"1"},"dropped":{"budget":7}}"#).status == 200)
        let dropped = try #require(try running.json("/api/v1/summary?app=a")["dropped"] as? [[String: Any]])
        var counts: [String: Int] = [:]
        for part in dropped { counts[part["reason"] as? String ?? ""] = part["count"] as? Int }
        #expect(counts == ["r0": 300_000, "over_limit": 3, "budget": 7])
    }
}

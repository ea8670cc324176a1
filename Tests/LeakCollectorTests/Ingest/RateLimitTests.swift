import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct RateLimitTests {
    @Test func `an ingest key that used up its rate limit has to wait, and other keys do not`() {
        let limit = RateLimit(reportsPerSecond: 10)
        #expect(limit.charge(1, cost: 99, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        #expect(limit.charge(1, cost: 51, now: 0, isBehind: false) == nil)
        // The key owes 50 tokens and gets 10 per second.
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == 6)
        #expect(limit.secondsToWait(of: 2, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 4_000, isBehind: false) == 2)
        #expect(limit.secondsToWait(of: 1, now: 5_100, isBehind: false) == nil)
    }

    @Test func `the token bucket of an ingest key holds tokens for ten seconds, even after a long pause`() {
        let limit = RateLimit(reportsPerSecond: 10)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        #expect(limit.charge(1, cost: 101, now: 3_600_000, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 3_600_000, isBehind: false) == 1)
    }

    @Test func `a clock that was set back neither fills nor empties the token bucket of the rate limit`() {
        let limit = RateLimit(reportsPerSecond: 10)
        #expect(limit.charge(1, cost: 101, now: 1_000_000, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == 1)
        #expect(limit.secondsToWait(of: 1, now: 1_000, isBehind: false) == nil)
    }

    @Test
    func `the default rate limit applies only while the store cannot keep up, with delays up to 11 seconds`()
    {
        let limit = RateLimit(reportsPerSecond: nil)
        #expect(limit.charge(1, cost: 100000001, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: true) == RateLimit.burstSeconds + 1)
        #expect(limit.secondsToWait(of: 1, now: 10_001, isBehind: true) == nil)
    }

    /// Requests that arrive at the same time are all accepted, because the cost of a request is known only after its body was
    /// read.
    @Test(arguments: [
        (size: 1, parallel: 1), (10, 3), (100, 1), (100, 64), (10_000, 1), (10_000, 64),
    ])
    func `a configured rate limit holds on average for requests of any size and number`(
        size: Int, parallel: Int
    ) {
        let (rate, hours) = (10, 3)
        let limit = RateLimit(reportsPerSecond: rate)
        var counted = 0
        for now in stride(from: Int64(0), to: Int64(hours) * 3_600_000, by: 500) {
            let admitted = (0..<parallel).filter { _ in
                limit.secondsToWait(of: 1, now: now, isBehind: false) == nil
            }
            for _ in admitted where limit.charge(1, cost: 1 + size, now: now, isBehind: false) == nil {
                counted += size
            }
        }
        let allowed = rate * hours * 3_600
        // The key may exceed the rate by one full bucket at the start, one bucket of debt for concurrent requests, and one
        // request.
        #expect(counted <= allowed + 2 * rate * RateLimit.burstSeconds + size, "\(counted) of \(allowed)")
        // Each request costs one token in addition to those of its reports, which matters for small requests.
        #expect(counted >= min(allowed, 2 * parallel * hours * 3_600) / 2 - size, "\(counted) of \(allowed)")
    }

    @Test func `requests at the same time are accepted until their ingest key owes more than one bucket`() {
        let limit = RateLimit(reportsPerSecond: 10)
        for seconds in [nil, nil, 21, 21] as [Int?] {
            #expect(limit.charge(1, cost: 150, now: 0, isBehind: false) == seconds)
        }
        #expect(limit.charge(2, cost: 10_001, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 2, now: 0, isBehind: false) == 991)
    }

    @Test(arguments: [
        (#"{"class": "A"}"#, 2), (#"[{"class": "A"}, {}, 5]"#, 4),
        (#"{"sessions": [{"id": "a"}, {"id": "b"}], "checks": [{"class": "A", "count": 1}]}"#, 2),
        (#"{"dropped": {"budget": 3}, "reports": [{}, {"class": "B"}]}"#, 4),
        (#"{"explanations": [{"class": "A", "why": {}}, {"class": "B", "why": {}}]}"#, 3),
        (#"[{"class": "A", "why": {"confidence": "none"}}, {"class": "A", "why": null}]"#, 4),
    ])
    func `the cost of a request includes rejected reports, explanations and the request itself`(
        body: String, cost: Int
    )
        throws
    {
        let document = try WireReader.read(Array(body.utf8), as: .json)
        #expect(RateLimit.cost(of: document) == cost)
    }

    @Test func `requests with unreadable bodies count towards the rate limit of their ingest key`() throws {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        let statuses = try (0..<30).map { _ in try running.post("{").status }
        #expect(statuses.first == 400)
        #expect(statuses.contains(429))
    }

    @Test(arguments: [
        #"{"explanations": [*]}"#, #"{"reports": [*]}"#, "[*]",
    ])
    func `explanations count towards the rate limit like reports`(body: String) throws {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        let leaks = [String](repeating: #"{"class": "A", "why": {}}"#, count: 1_000).joined(separator: ",")
        let batch = body.replacingOccurrences(of: "*", with: leaks)
        #expect(try running.post(batch).status == 200)
        #expect(try running.post(batch).status == 429)
    }

    @Test func `a rate limit of 0 means no limit`() {
        let limit = RateLimit(reportsPerSecond: 0)
        #expect(limit.charge(1, cost: 1000001, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: true) == nil)
    }

    @Test func `a key over its rate limit gets Retry-After while another key is served`() throws {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        let reports = "[" + [String](repeating: #"{"class": "A"}"#, count: 60).joined(separator: ",") + "]"
        #expect(try running.post(reports).status == 200)
        let refused = try running.post(reports)
        #expect(refused.status == 429)
        #expect(try refused.json["title"] as? String == "Too Many Requests")
        let seconds = try #require(refused.field("retry-after").flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        let (_, other) = try Credentials(store: running.store).create(
            .keys, name: "other", app: nil, now: WallClock.milliseconds())
        let deadline = ContinuousClock.now + .seconds(30)
        var status = 0
        repeat {
            status = try running.post(reports, fields: [HTTPField("Authorization", "Bearer \(other)")]).status
        } while status == 401 && ContinuousClock.now < deadline
        #expect(status == 200)
        #expect(try running.json("/api/v1/leaks")["reports"] as? Int == 120)
    }
}

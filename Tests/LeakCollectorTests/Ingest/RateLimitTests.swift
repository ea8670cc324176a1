import Foundation
import HTTPClient
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct RateLimitTests {
    @Test func `a key that has sent its bucket waits, and no other`() {
        let limit = RateLimit(reportsPerSecond: 10)
        limit.charge(1, reports: 98, now: 0)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        limit.charge(1, reports: 50, now: 0)
        // Fifty in debt, at ten a second.
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == 6)
        #expect(limit.secondsToWait(of: 2, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 4_000, isBehind: false) == 2)
        #expect(limit.secondsToWait(of: 1, now: 5_100, isBehind: false) == nil)
    }

    @Test func `a bucket holds ten seconds' worth, however long nothing came`() {
        let limit = RateLimit(reportsPerSecond: 10)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        limit.charge(1, reports: 100, now: 3_600_000)
        #expect(limit.secondsToWait(of: 1, now: 3_600_000, isBehind: false) == 1)
    }

    @Test func `a clock set back neither fills nor empties it`() {
        let limit = RateLimit(reportsPerSecond: 10)
        limit.charge(1, reports: 100, now: 1_000_000)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == 1)
        #expect(limit.secondsToWait(of: 1, now: 1_000, isBehind: false) == nil)
    }

    @Test func `a limit that nobody named holds while the store is behind, and its debt is soon paid`() {
        let limit = RateLimit(reportsPerSecond: nil)
        limit.charge(1, reports: 100_000_000, now: 0)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: false) == nil)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: true) == RateLimit.burstSeconds + 1)
        #expect(limit.secondsToWait(of: 1, now: 10_001, isBehind: true) == nil)
    }

    @Test func `0 is no limit`() {
        let limit = RateLimit(reportsPerSecond: 0)
        limit.charge(1, reports: 1_000_000, now: 0)
        #expect(limit.secondsToWait(of: 1, now: 0, isBehind: true) == nil)
    }

    @Test func `one key is told when to come back while another is heard`() throws {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        let reports = "[" + [String](repeating: #"{"class": "A"}"#, count: 60).joined(separator: ",") + "]"
        #expect(try running.post(reports).status == 200)
        let refused = try running.post(reports)
        #expect(refused.status == 429)
        #expect(try refused.json["title"] as? String == "Too Many Requests")
        let seconds = try #require(refused.field("retry-after").flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        let (_, other) = try Credentials(store: running.store).create(
            .ingest, name: "other", app: nil, now: WallClock.milliseconds())
        let deadline = ContinuousClock.now + .seconds(30)
        var status = 0
        repeat {
            status = try running.post(reports, fields: [HTTPField("Authorization", "Bearer \(other)")]).status
        } while status == 401 && ContinuousClock.now < deadline
        #expect(status == 200)
        #expect(try running.json("/api/v1/leaks")["reports"] as? Int == 120)
    }
}

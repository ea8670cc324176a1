import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakMessage
import Testing

@testable import LeakCollector

@Suite struct LeakLimitTests {
    /// Returns two reports for each of `leaks` leaks.
    private func body(leaks: Int) -> String {
        let lines = (0..<leaks).map { #"{"class": "C\#($0)"}"# }
        return "[" + (lines + lines).joined(separator: ",") + "]"
    }

    @Test func `a request may report a thousand leaks, each several times`() throws {
        let collector = try RunningCollector()
        let answer = try collector.post(body(leaks: WireLimits.leaksCount))
        #expect(answer.status == 200)
        #expect(try answer.json["accepted"] as? Int == 2 * WireLimits.leaksCount)
        #expect(try answer.json["rejected_count"] as? Int == 0)
    }

    @Test func `if a request has too many leaks, only reports of the leaks over the limit are rejected`()
        throws
    {
        let collector = try RunningCollector()
        let answer = try collector.post(body(leaks: WireLimits.leaksCount + 1))
        #expect(answer.status == 200)
        #expect(try answer.json["accepted"] as? Int == WireLimits.leaksCount)
        let rejected = try #require(try answer.json["rejected"] as? [[String: Any]])
        #expect(rejected.first?["index"] as? Int == WireLimits.leaksCount)
        #expect((rejected.first?["reason"] as? String)?.contains("at most 1000 different leaks") == true)
        #expect(try collector.json("/api/v1/leaks")["total"] as? Int == WireLimits.leaksCount)
    }
}

import LeakCollectorSupport
import Foundation
import Testing

@testable import LeakCollector

/// The real SDK reads the collector's responses, and the collector reads the envelopes of the SDK.
@Suite(.enabled(if: RealSDK.isInstalled, "there is no sentry-sdk; Scripts/setup-sentry says why"))
struct RealSDKTests {
    private static func dsn(_ running: RunningCollector) throws -> String {
        try #require(
            SentryDSN(address: running.collector.address, key: RunningCollector.key, project: 1)
        ).description
    }

    @Test func `a leak that an SDK sends twice is one leak, and an exception is another leak`() async throws {
        let running = try RunningCollector()
        let output = try await RealSDK.run("leaks", dsn: Self.dsn(running))
        #expect((output["ids"] as? [String])?.count == 3)
        let list = try running.json("/api/v1/leaks?app=com.example.shop")
        let leaks = try #require(list["leaks"] as? [[String: Any]])
        #expect(leaks.count == 2)
        let cart = try #require(leaks.first { $0["class"] as? String == "CartController" })
        #expect(cart["reports"] as? Int == 2)
        #expect(cart["installs"] as? Int == 2)
        #expect(cart["kind"] as? String == "view_controller")
        #expect((cart["versions"] as? [String: Any])?["last"] as? String == "5.2.0")
        let other = try #require(leaks.first { $0["class"] as? String != "CartController" })
        #expect(other["reports"] as? Int == 1)
    }

    @Test
    func `each event of an SDK over the rate limit is counted: as stored, refused, or not sent by the SDK`()
        async throws
    {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        let output = try await RealSDK.run("limit", dsn: Self.dsn(running))
        let (sent, keptBack) = (
            try #require(output["sent"] as? Int), try #require(output["kept_back"] as? Int)
        )
        let summary = try running.json("/api/v1/summary")
        let dropped = try #require(summary["dropped"] as? [[String: Any]])
        var lost: [String: Int] = [:]
        for part in dropped {
            lost[part["reason"] as? String ?? "", default: 0] += part["count"] as? Int ?? 0
        }
        #expect(Set(lost.keys) == ["sentry_rate_limit", "sentry_ratelimit_backoff"])
        #expect(lost["sentry_ratelimit_backoff"] ?? 0 >= keptBack)
        let reports = try #require(summary["reports"] as? Int)
        #expect(reports + lost.values.reduce(0, +) == sent + keptBack, "\(lost)")
    }

    @Test
    func `a Sentry SDK drops an event that the collector cannot write, and counts that in its next envelope`()
        async throws
    {
        let running = try RunningCollector(store: { FailingStore($0, failures: 1) })
        _ = try await RealSDK.run("outage", dsn: Self.dsn(running))
        let summary = try running.json("/api/v1/summary")
        #expect(summary["reports"] as? Int == 1)
        let dropped = try #require(summary["dropped"] as? [[String: Any]])
        #expect(dropped.compactMap { $0["reason"] as? String } == ["sentry_network_error"])
        #expect(dropped.first?["count"] as? Int == 1)
    }
}

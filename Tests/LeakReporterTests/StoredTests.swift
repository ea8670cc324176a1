import Foundation
import LeakMessage
import Testing

@testable import LeakReporter

/// What one run leaves on the disk, the next one sends.
@Suite struct StoredTests {
    private final class Place {
        let folder = NSTemporaryDirectory() + "/reporter-" + UUID().uuidString
        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func reporter(
            _ transport: FakeTransport, _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
        ) -> LeakReporter {
            var configuration = LeakReporter.Configuration(
                endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a", version: "1"),
                install: .none)
            configuration.storage = .folder(folder)
            change(&configuration)
            return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5))
            {
                transport
            }
        }

        var files: [String] {
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }.sorted() ?? []
        }
    }

    private func leak(_ name: String) -> LeakReport {
        var report = LeakReport()
        report.className = name
        return report
    }

    @Test func `reports that were not sent are sent by the next run, under the same key with the same bytes`()
        throws
    {
        let place = Place()
        let offline = FakeTransport { _, _ in .none("offline") }
        do {
            let reporter = place.reporter(offline)
            for _ in 0..<3 { reporter.record(leak: leak("Shop.Cart")) }
            #expect(comesToHold { reporter.statistics.failedAttempts > 0 && reporter.statistics.stored == 3 })
        }
        let online = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = place.reporter(online) { $0.app.version = "2" }
        #expect(comesToHold { reporter.flush(timeout: 5) && reporter.statistics.sent == 3 })
        let first = try #require(offline.posts.first)
        #expect(online.posts.first == first)
        let batch = try #require(online.batches().first)
        #expect((batch["app"] as? [String: Any])?["version"] as? String == "1")
        #expect((batch["reports"] as? [[String: Any]])?.compactMap { $0["count"] as? Int }.reduce(0, +) == 3)
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }
}

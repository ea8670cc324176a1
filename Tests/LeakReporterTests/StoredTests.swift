import Foundation
import LeakMessage
import LeakTransport
import Testing

@testable import LeakReporter

/// Reports that one run leaves on disk are sent by the next run.
@Suite struct StoredTests {
    private func leak(_ name: String) -> LeakReport {
        var report = LeakReport()
        report.className = name
        return report
    }

    @Test func `unsent reports are sent by the next run, with the same idempotency key and bytes`() throws {
        let place = SharedQueueFolder()
        let offline = FakeTransport { _, _ in .noResponse(reason: "offline") }
        do {
            let reporter = place.reporter(offline)
            for _ in 0..<3 { reporter.record(leak: leak("Shop.Cart")) }
            #expect(eventually { reporter.statistics.failedAttempts > 0 && reporter.statistics.stored == 3 })
        }
        let online = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = place.reporter(online) { $0.app.version = "2" }
        #expect(eventually { reporter.flush(timeout: generousSeconds) && reporter.statistics.sent == 3 })
        let first = try #require(offline.posts.first)
        #expect(online.posts.first == first)
        let batch = try #require(online.batches().first)
        #expect((batch["app"] as? [String: Any])?["version"] as? String == "1")
        #expect((batch["reports"] as? [[String: Any]])?.compactMap { $0["count"] as? Int }.reduce(0, +) == 3)
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }

    @Test func `a queue file of false record starts is counted as damaged, and later reports are sent`()
        throws
    {
        let place = SharedQueueFolder()
        let offline = FakeTransport { _, _ in .noResponse(reason: "offline") }
        weak var first: ReporterThread?
        do {
            let reporter = place.reporter(offline) { $0.sendsAutomatically = false }
            first = reporter.thread
            reporter.record(leak: leak("Shop.Cart"))
            #expect(eventually { reporter.statistics.stored == 1 })
        }
        #expect(eventually { first == nil })
        let segment = try #require(place.files.first { $0.hasSuffix(".segment") })
        var bytes: [UInt8] = []
        let size = 8 * 1024 * 1024
        while bytes.count < size {
            let length = UInt32(size - bytes.count)
            bytes += [0xFF, 0xA7, 2] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            bytes += [0, 0, 0, 0]
        }
        try Data(bytes).write(to: URL(fileURLWithPath: place.folder + "/" + segment))
        let online = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = place.reporter(online)
        reporter.record(leak: leak("Shop.Home"))
        #expect(eventually { reporter.flush(timeout: generousSeconds) && reporter.statistics.sent == 1 })
        #expect(reporter.statistics.dropped[.damaged] != nil, "\(reporter.statistics)")
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }

    @Test func `a flush returns false if it times out before records of an earlier run are sent`() {
        let place = SharedQueueFolder()
        let offline = FakeTransport { _, _ in .noResponse(reason: "offline") }
        weak var first: ReporterThread?
        do {
            let reporter = place.reporter(offline)
            first = reporter.thread
            for _ in 0..<3 { reporter.record(leak: leak("Shop.Cart")) }
            #expect(eventually { reporter.statistics.failedAttempts > 0 && reporter.statistics.stored == 3 })
        }
        // The reporter releases its folder when its thread ends.
        #expect(eventually { first == nil })
        let slow = FakeTransport { _, _ in
            Thread.sleep(forTimeInterval: 1)
            return .noResponse(reason: "late")
        }
        let reporter = place.reporter(slow)
        #expect(eventually { reporter.statistics.waiting == 3 })
        #expect(!reporter.flush(timeout: 0.05))
    }
}

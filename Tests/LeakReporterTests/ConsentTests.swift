import Foundation
import LeakMessage
import ReportTransport
import Testing
import Threads

@testable import LeakReporter

/// What the app's user decides: nothing, later, or no more.
@Suite struct ConsentTests {
    private let online = FakeTransport { _, _ in FakeTransport.accepted() }
    private let offline = FakeTransport { _, _ in .none("offline") }

    /// Blocks until the reporter has seen to everything before.
    private func hasUnsent(_ reporter: LeakReporter) -> Bool {
        let answer = Guarded<Bool?>(nil)
        reporter.checkForUnsentReports { hasSome in
            answer.with { $0 = hasSome }
            answer.wakeAll()
        }
        return answer.wait(milliseconds: Int64(generousSeconds * 1000)) { $0 } ?? false
    }

    @Test func `switched off, nothing is kept or sent, and what waited is deleted`() {
        let place = QueuePlace()
        let reporter = place.reporter(offline)
        for _ in 0..<3 { reporter.record(message: "leak") }
        #expect(hasUnsent(reporter))
        reporter.setCollectionEnabled(false)
        reporter.record(message: "after")
        reporter.record(checks: [ClassChecks(className: "A", count: 1)])
        #expect(!hasUnsent(reporter))
        #expect(!reporter.statistics.isCollecting)
        #expect(reporter.statistics.waiting == 0)
        #expect(reporter.statistics.dropped == [.deleted: 3])
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }

    @Test func `the choice outlives the run, and can be taken back`() {
        let place = QueuePlace()
        do {
            let reporter = place.reporter(offline)
            reporter.setCollectionEnabled(false)
            #expect(!hasUnsent(reporter))
        }
        let reporter = place.reporter(online)
        reporter.record(message: "not kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(!reporter.statistics.isCollecting)
        #expect(online.posts.isEmpty)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
    }

    @Test func `what one process is told holds for the others, before they send again`() {
        let place = QueuePlace()
        let (one, other) = (place.reporter(online), place.reporter(online))
        other.record(message: "before")
        #expect(other.flush(timeout: generousSeconds))
        one.setCollectionEnabled(false)
        #expect(!hasUnsent(one))
        other.record(message: "after")
        #expect(other.flush(timeout: generousSeconds))
        #expect(online.posts.count == 1)
        #expect(!other.statistics.isCollecting)
    }

    @Test func `an app that asks first collects nothing before`() {
        let place = QueuePlace()
        let reporter = place.reporter(online) { $0.collectsByDefault = false }
        reporter.record(message: "not kept")
        #expect(reporter.flush(timeout: generousSeconds))
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
    }

    @Test func `what the app said before the user agreed goes with the reports after it`() throws {
        let place = QueuePlace()
        let reporter = place.reporter(online) {
            $0.collectsByDefault = false
            $0.user = "u0"
        }
        reporter.log("started")
        reporter.setCustomValue("A", forKey: "experiment")
        reporter.record(message: "not kept")
        #expect(!hasUnsent(reporter))
        #expect(place.files.isEmpty)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        reporter.setUserID("u1")
        reporter.record(message: "kept too")
        #expect(reporter.flush(timeout: generousSeconds))
        let batches = try online.batches()
        #expect(batches.map { $0["user"] as? String } == ["u0", "u1"])
        let report = try #require((batches.first?["reports"] as? [[String: Any]])?.first)
        #expect(report["keys"] as? [String: String] == ["experiment": "A"])
        #expect(report["log"] as? [String] == ["started"])
    }

    @Test func `a no forgets what the app said before`() throws {
        let place = QueuePlace()
        let reporter = place.reporter(online) {
            $0.collectsByDefault = false
            $0.user = "u0"
        }
        reporter.log("before")
        reporter.setCustomValue("before", forKey: "k")
        reporter.setCollectionEnabled(false)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        let batch = try #require(online.batches().first)
        let report = try #require((batch["reports"] as? [[String: Any]])?.first)
        #expect(batch["user"] == nil && report["keys"] == nil && report["log"] == nil)
    }

    @Test func `reports can wait until the app has them sent`() async throws {
        let place = QueuePlace()
        do {
            let reporter = place.reporter(online) { $0.sendsAutomatically = false }
            reporter.record(message: "leak")
            #expect(await reporter.checkForUnsentReports())
            reporter.endSession()
            #expect(!reporter.flush(timeout: 5))
        }
        let reporter = place.reporter(online) {
            $0.sendsAutomatically = false
            $0.bounds.gatherMilliseconds = 0
        }
        // The first run's thread may still be about to end.
        #expect(comesToHold { hasUnsent(reporter) })
        #expect(online.posts.isEmpty, "neither run sent any")
        reporter.sendUnsentReports()
        #expect(comesToHold { reporter.statistics.sent == 1 })
        #expect(await !reporter.checkForUnsentReports())
    }

    @Test func `what waits can be deleted, and the install be another one`() throws {
        let place = QueuePlace()
        let file = InstallFile(folder: place.folder)
        func reporter(_ transport: FakeTransport) -> LeakReporter {
            var configuration = LeakReporter.Configuration(endpoint: "http://localhost:8080", key: "k")
            configuration.storage = .folder(place.folder)
            return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5))
            {
                $0.install = { file.identifier() }
                $0.forgetInstall = { file.forget() }
            } makeTransport: {
                transport
            }
        }
        do {
            let former = reporter(offline)
            former.record(message: "leak")
            #expect(hasUnsent(former))
        }
        let first = file.identifier()
        let reporter = reporter(online)
        reporter.deleteUnsentReports(resetInstall: true)
        reporter.record(message: "new")
        #expect(reporter.flush(timeout: generousSeconds))
        let installs = try online.batches().compactMap { $0["install"] as? String }
        #expect(installs.last == file.identifier())
        #expect(installs.last != first)
    }

    @Test func `nothing is read or written by who makes a reporter and records`() {
        let place = QueuePlace()
        let reporter = place.reporter(offline) { $0.collectsByDefault = false }
        reporter.record(message: "leak")
        #expect(!hasUnsent(reporter))
        #expect(place.files.isEmpty)
    }
}

import LeakCollectorSupport
import Foundation
import LeakMessage
import Testing

@testable import LeakReporter

/// Compares docs/REPORTER.md and the landing page of LeakReporter with the code, and sends the reports of their examples to a
/// collector, which must accept them.
@Suite struct GuideTests {
    private let running: RunningCollector

    init() throws { running = try RunningCollector() }

    private static func guide(_ page: String = "docs/REPORTER.md") throws -> String {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: top.appendingPathComponent(page), encoding: .utf8)
    }

    @Test func `the guide's table of limits has each limit with its default`() throws {
        var rows: [String: String] = [:]
        for line in try Self.guide().components(separatedBy: "\n") where line.hasPrefix("| `") {
            let cells = line.components(separatedBy: " | ")
            guard cells.count == 3, cells[1].first?.isNumber == true else { continue }
            let name = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "| `"))
            rows[name] = cells[1].replacingOccurrences(of: ",", with: "")
        }
        var defaults: [String: String] = [:]
        for bound in Mirror(reflecting: LeakReporter.Bounds()).children {
            defaults[try #require(bound.label)] = "\(bound.value)"
        }
        #expect(rows == defaults)
    }

    @Test(arguments: [
        ("docs/REPORTER.md", 19), ("Sources/LeakReporter/LeakReporter.docc/LeakReporter.md", 12),
    ])
    func `each Swift line of the guide to LeakReporter is compiled`(page: String, atLeast: Int) throws {
        let code = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        var isSwift = false
        var count = 0
        for line in try Self.guide(page).components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isSwift = line == "```swift"
            } else if isSwift, !line.isEmpty {
                #expect(code.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
                count += 1
            }
        }
        #expect(count >= atLeast)
    }

    private func useTestSettings(_ configuration: inout LeakReporter.Configuration) {
        configuration.storage = .memory
        configuration.install = .none
        (configuration.endpoint, configuration.key) = (running.address, RunningCollector.key)
    }

    private func expectAllAccepted(from reporter: LeakReporter, count: Int = 1) {
        #expect(reporter.flush(timeout: generousSeconds))
        let statistics = reporter.statistics
        #expect(statistics.sent == count && statistics.dropped == [:] && statistics.lastFailure == nil)
    }

    /// This code is compiled but not called, because it would write to the home folder of the user who runs the tests.
    private func start() {
        let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "INGEST-KEY"))
        reporter.startSession()
    }

    @Test func `the guide's example of an app that asks for consent works`() {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "KEY")
        useTestSettings(&configuration)
        let place = SharedQueueFolder()
        configuration.storage = .folder(place.folder)
        configuration.collectsByDefault = false
        let reporter = LeakReporter(configuration)
        #expect(eventually { !reporter.statistics.isCollecting })
        reporter.setCollectionEnabled(true)  // the user's answer; false also deletes the waiting reports
        #expect(eventually { reporter.statistics.isCollecting })
        reporter.record(message: "leak")
        expectAllAccepted(from: reporter)
        withExtendedLifetime(place) {}
    }

    @Test func `the guide's example of an app that names its environment works`() {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "KEY")
        configuration.app.environment = "ci"
        #expect(configuration.app.environment == "ci")
    }

    @Test(arguments: [true, false])
    func `the guide's example of an app that asks before sending works`(isAllowed: Bool) async {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "KEY")
        useTestSettings(&configuration)
        configuration.sendsAutomatically = false
        let reporter = LeakReporter(configuration)
        reporter.record(message: "leak")
        if await reporter.checkForUnsentReports() {
            if isAllowed { reporter.sendUnsentReports() } else { reporter.deleteUnsentReports() }
        }
        #expect(
            eventually {
                let statistics = reporter.statistics
                return isAllowed ? statistics.sent == 1 : statistics.dropped[.deleted] == 1
            })
        #expect(reporter.statistics.dropped.keys.allSatisfy { $0 == .deleted })
        #expect(reporter.statistics.lastFailure == nil)
    }

    @Test func `the guide's example of an app that shares the user's consent with its extension works`() {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "KEY")
        configuration.consentStorage = .appGroup("group.com.acme.shop")
        #expect(configuration.consentStorage != .standard)
    }

    @Test func `the guide's examples of beforeSend and of a storage folder work`() throws {
        let transport = FakeTransport.forwardingToRealCollector()
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "KEY")
        configuration.storage = .folder("/var/lib/shop/leaks")
        useTestSettings(&configuration)
        configuration.beforeSend = { report in
            var report = report
            report.message = nil
            return report  // or nil: counted as dropped
        }
        let reporter = LeakReporter(configuration) { transport }
        var leak = LeakReport()
        (leak.className, leak.message) = ("Shop.Cart", "of Anna")
        reporter.record(leak: leak)
        expectAllAccepted(from: reporter)
        #expect(try transport.rejectedParts() == [])
        let report = try #require((transport.batches().first?["reports"] as? [[String: Any]])?.first)
        #expect(report["class"] as? String == "Shop.Cart")
        #expect(report["message"] == nil)
    }
}

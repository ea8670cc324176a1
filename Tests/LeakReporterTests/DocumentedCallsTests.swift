import LeakCollectorSupport
import Foundation
import LeakDetectorTexts
import LeakHTTPClient
import LeakMessage
import Testing

@testable import LeakReporter

/// Sends the examples of the guides to a collector, which must accept each of them.
@Suite struct DocumentedCallsTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func reporter(
        _ running: RunningCollector, _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
    ) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: running.address, key: RunningCollector.key,
            app: AppInfo(id: "com.acme.shop", module: "Shop", version: "5.2.0"), install: .given("i1"))
        configuration.storage = .memory
        change(&configuration)
        return LeakReporter(configuration)
    }

    private func expectAllAccepted(_ reporter: LeakReporter, count: Int) {
        #expect(reporter.flush(timeout: generousSeconds))
        let statistics = reporter.statistics
        #expect(statistics.sent == count)
        #expect(statistics.dropped == [:])
        #expect(statistics.lastFailure == nil)
    }

    private func leaks(_ running: RunningCollector) throws -> [[String: Any]] {
        try #require(
            try running.json("/api/v1/leaks?app=com.acme.shop&state=any&limit=200")["leaks"]
                as? [[String: Any]])
    }

    private enum Failure: Error { case first, second }

    private static let texts =
        DetectorText.all.map(\.message) + [
            "something leaked", "Leaked: row 7 of “Jane”",
            "VIEW STILL IN MEMORY <UITextField: 0x1f; text = 'Jane'>",
            "Retain Cycle: (\n    \"-> Shop.A \",\n    \"-> b -> Shop.B \"\n)",
        ]

    @Test func `each documented call of the reporter is accepted`() throws {
        let running = try RunningCollector()
        let reporter = reporter(running)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 3)] }
        reporter.log("opened\nthe cart")
        reporter.setCustomValue("A", forKey: "experiment")
        reporter.setCustomKeysAndValues(["number": 1.5, "isOn": true])
        reporter.setUserID("user\n1")
        for text in Self.texts { reporter.record(message: text) }
        reporter.record(error: Failure.first)
        reporter.record(error: Failure.first, userInfo: ["url": "https://example.com/a?b=c"])
        reporter.record(error: Failure.second)
        reporter.record(error: CocoaError(.fileNoSuchFile))
        var leak = LeakReport()
        leak.className = "Shop.Cart\u{7}"
        reporter.record(leak: leak)
        reporter.record(freed: leak)
        reporter.record(checks: [ClassChecks(className: "Shop.Cart", count: 2)])
        reporter.record(session: EndedSession(id: "s1", checks: 1, leaks: 1))
        reporter.endSession()
        expectAllAccepted(reporter, count: Self.texts.count + 6)
        let titles = try leaks(running).compactMap { $0["title"] as? String }
        // Errors are grouped by domain and code: there are two errors, of which the first was recorded twice.
        #expect(titles.filter { $0.contains("Failure ") }.count == 2, "\(titles)")
    }

    @Test func `the guide's closure that removes texts does not change which leak a report belongs to`()
        throws
    {
        let (plain, changed) = (try RunningCollector(), try RunningCollector())
        let one = reporter(plain)
        let other = reporter(changed) {
            $0.beforeSend = { report in
                var report = report
                report.message = nil
                return report  // or nil: counted as dropped
            }
        }
        for text in Self.texts {
            one.record(message: text)
            other.record(message: text)
        }
        expectAllAccepted(one, count: Self.texts.count)
        expectAllAccepted(other, count: Self.texts.count)
        func named(_ running: RunningCollector) throws -> Set<String> {
            Set(try leaks(running).filter { $0["class"] is String }.compactMap { $0["id"] as? String })
        }
        #expect(try named(plain) == named(changed))
        #expect(try leaks(plain).count == leaks(changed).count)
    }

    @Test func `redaction does not change which leak a report belongs to`() throws {
        let (redacted, plain) = (try RunningCollector(), try RunningCollector())
        let one = reporter(redacted)
        let other = reporter(plain) { $0.redaction = .none }
        let texts = DetectorText.all.map(\.message)
        for text in texts {
            one.record(message: text)
            other.record(message: text)
        }
        expectAllAccepted(one, count: texts.count)
        expectAllAccepted(other, count: texts.count)
        #expect(
            try Set(leaks(redacted).compactMap { $0["id"] as? String })
                == Set(leaks(plain).compactMap { $0["id"] as? String }))
    }

    /// Returns `true` if the collector accepted the body completely, including explanations.
    private func isCompletelyAccepted(_ answer: HTTPResponse) throws -> Bool {
        let json = try answer.json
        return answer.status == 200 && json["rejected_count"] as? Int == 0
            && json["rejected_explanations"] == nil
    }

    /// Posts the bodies of `curl … /api/v1/reports … -d '…'`, and the blocks of JSON that are a report or contain reports.
    @Test func `each request body that the guides show is accepted`() throws {
        let running = try RunningCollector()
        let folder = Self.top.appendingPathComponent("docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".md")
        }
        var (bodies, explanations) = (0, 0)
        for file in names.map(folder.appendingPathComponent) + [Self.top.appendingPathComponent("README.md")]
        {
            let text = try String(contentsOf: file, encoding: .utf8)
            for block in text.components(separatedBy: "```").filter({
                $0.hasPrefix("json\n")
                    && ($0.contains("\"reports\": [{") || $0.hasPrefix("json\n{\"class\""))
            }) {
                let answer = try running.post(String(block.dropFirst(5)))
                #expect(try isCompletelyAccepted(answer), "\(block): \(answer.text)")
                bodies += 1
                explanations += block.contains("\"why\"") ? 1 : 0
            }
            let joined = text.replacingOccurrences(of: "\\\n", with: "")
            for line in joined.components(separatedBy: "\n") where line.contains("/api/v1/reports") {
                guard let start = line.range(of: "-d '"), let end = line.lastIndex(of: "'"),
                    start.upperBound < end
                else {
                    continue
                }
                let type = line.contains("text/plain") ? "text/plain" : "application/json"
                let answer = try running.post(String(line[start.upperBound..<end]), type)
                #expect(try isCompletelyAccepted(answer), "\(line): \(answer.text)")
                bodies += 1
            }
        }
        #expect(bodies >= 4 && explanations >= 1)
    }
}

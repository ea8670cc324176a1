import LeakCollectorSupport
import Foundation
import LeakGrammar
import LeakMessage
import Testing

@testable import LeakReporter

/// Reports that do not identify their leak, and reports from which `beforeSend` removes the identifying fields, sent to
/// a collector.
@Suite struct LeakIdentityTests {
    typealias Change = @Sendable (inout LeakReport) -> Void

    private let running: RunningCollector

    init() throws { running = try RunningCollector() }

    private func reporter(app: String, beforeSend change: Change? = nil) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: running.address, key: RunningCollector.key,
            app: AppInfo(id: app, module: "Shop", version: "5.2.0"), install: .given("i1"))
        configuration.storage = .memory
        if let change {
            configuration.beforeSend = { report in
                var report = report
                change(&report)
                return report
            }
        }
        return LeakReporter(configuration)
    }

    private func expectAllAccepted(_ reporter: LeakReporter, count: Int, _ name: String = "") {
        #expect(reporter.flush(timeout: generousSeconds))
        let statistics = reporter.statistics
        #expect(statistics.sent == count && statistics.dropped == [:], "\(name): \(statistics)")
        #expect(statistics.lastFailure == nil, "\(name)")
    }

    private func titles(app: String) throws -> [String] {
        let leaks = try running.json("/api/v1/leaks?app=\(app)&state=any&limit=200")["leaks"]
        return try #require(leaks as? [[String: Any]]).compactMap { $0["title"] as? String }.sorted()
    }

    private static func report(_ change: Change) -> LeakReport {
        var report = LeakReport()
        change(&report)
        return report
    }

    /// The detector's fingerprint of a private type contains the class, and so does every explanation.
    @Test func `a class that beforeSend removes is in no fingerprint and no explanation`() {
        let original = Self.report {
            $0.className = "Shop.Cart"
            $0.stack = ["Shop.Root", "Shop.Cart"]
            $0.fingerprint = ["Cart.swift", "Shop.Cart"]
            $0.explanation = RetainExplanation()
        }
        let changes: [Change] = [
            { ($0.className, $0.stack) = (nil, []) },
            { ($0.className, $0.stack, $0.fingerprint) = (nil, [], ["mine"]) },
        ]
        for change in changes {
            var changed = original
            change(&changed)
            let sent = changed.identified(as: original)
            #expect(sent.explanation == nil)
            #expect(!sent.fingerprint.isEmpty && !sent.fingerprint.contains { $0.contains("Cart") })
        }
        #expect(original.identified(as: original) == original)
    }

    @Test func `an empty text and a text of spaces are the same leak`() throws {
        let reporter = reporter(app: "a")
        reporter.record(message: "")
        reporter.record(message: " ")
        expectAllAccepted(reporter, count: 2)
        #expect(try titles(app: "a") == ["(empty text)"])
    }

    @Test func `an error without a domain is identified by its type and code`() throws {
        let reporter = reporter(app: "a")
        let codes = [Int.min, -1, 0, 1, 7, Int.max]
        for code in codes { reporter.record(error: NSError(domain: "", code: code)) }
        expectAllAccepted(reporter, count: codes.count)
        let titles = try titles(app: "a")
        #expect(titles.count == codes.count && titles.allSatisfy { $0.contains("NSError ") }, "\(titles)")
    }

    private static let unnamed: [(title: String, report: LeakReport)] = [
        ("(empty text)", LeakReport()),
        ("(empty text)", report { $0.className = "" }),
        ("(empty text)", report { $0.message = "" }),
        ("(empty text)", report { $0.reason = "dismissed" }),
        ("error 0", report { $0.error = ReportedError(domain: "", code: 0) }),
        (
            "error 3",
            report {
                let text = CustomKey(ReportedError.descriptionKey, .string(""))
                $0.error = ReportedError(domain: "", code: 3, userInfo: [text])
            }
        ),
        ("Cart", report { $0.stack = ["Shop.Main", "Shop.Cart"] }),
    ]

    @Test func `reports that identify no leak are accepted`() throws {
        let reporter = reporter(app: "a")
        for (_, report) in Self.unnamed {
            reporter.record(leak: report)
            reporter.record(freed: report)
        }
        reporter.record(leak: Self.report { $0.stack = LeakReporter.callStack() })
        expectAllAccepted(reporter, count: Self.unnamed.count * 2 + 1)
        let titles = try titles(app: "a")
        #expect(Set(Self.unnamed.map(\.title)).isSubset(of: titles), "\(titles)")
        #expect(titles.count == 5)
    }

    private enum Failure: Error { case first, second }

    private struct Explained: LocalizedError { let errorDescription: String? }

    private static let texts = [
        "", "something leaked", "VIEW STILL IN MEMORY <UITextField: 0x1f; text = 'Jane'>",
        "Retain Cycle: (\n    \"-> Shop.A \",\n    \"-> b -> Shop.B \"\n)",
        "No class\n0  Shop  0x0000000102a1c4d8 load() + 24\n1  Shop  0x0000000102a1d000 open() + 8",
        "No class\n0  Shop  0x0000000102a1c4d8 save() + 24\n1  Shop  0x0000000102a1d000 close() + 8",
    ]

    private static let errors: [any Error] = [
        Failure.first, Failure.second, NSError(domain: "dom", code: 4), NSError(domain: "dom", code: 5),
        NSError(domain: "", code: 8), NSError(domain: "", code: 9), Explained(errorDescription: "a text"),
        Explained(errorDescription: "another text"),
        Explained(errorDescription: "VIEWCONTROLLER STILL IN MEMORY <Shop.Cart: 0x7f88acc69260>"),
    ]

    private static let reports: [LeakReport] = [
        report { $0.className = "Shop.Home" },
        report { ($0.className, $0.stack) = ("Shop.Home", ["Shop.Main", "Shop.Home"]) },
        report { ($0.className, $0.children) = ("UINavigationController", ["Shop.Login"]) },
        report { ($0.className, $0.children) = ("UINavigationController", ["Shop.Basket"]) },
        report { ($0.className, $0.message) = ("Shop.Pay", "leaked") },
        report { ($0.className, $0.message) = ("Shop.Basket", "leaked") },
        report { $0.cycle = ["Shop.C", "Shop.D"] },
        report { ($0.cycle, $0.message) = (["Shop.E", "Shop.F"], "leaked") },
        report { $0.fingerprint = ["mine"] },
        report { ($0.message, $0.error) = ("text of both", ReportedError(domain: "dom", code: 6)) },
    ]

    /// The number of texts, errors and reports above. Each is a different leak.
    private static let leakCount = texts.count + errors.count + reports.count

    private static func recordAll(_ reporter: LeakReporter) {
        for text in texts { reporter.record(message: text) }
        for error in errors { reporter.record(error: error) }
        for report in reports { reporter.record(leak: report) }
    }

    private static let changes: [(name: String, change: Change)] = [
        ("message", { $0.message = nil }),
        ("empty message", { $0.message = "" }),
        ("error", { $0.error = nil }),
        ("text and error", { ($0.message, $0.error) = (nil, nil) }),
        ("empty error", { $0.error = $0.error.map { _ in ReportedError(domain: "", code: 0) } }),
        ("userInfo", { $0.error?.userInfo = [] }),
        ("class", { $0.className = nil }),
        ("class and texts", { ($0.className, $0.message, $0.error) = ("", "", nil) }),
        ("cycle", { $0.cycle = [] }),
        ("all", { $0 = LeakReport() }),
    ]

    @Test(arguments: changes.indices)
    func `leaks are still distinguished if beforeSend removes parts of their reports`(index: Int) throws {
        let (name, change) = Self.changes[index]
        let plain = reporter(app: "plain")
        let changed = reporter(app: "changed", beforeSend: change)
        for reporter in [plain, changed] {
            Self.recordAll(reporter)
            Self.recordAll(reporter)
            expectAllAccepted(reporter, count: Self.leakCount * 2, name)
        }
        #expect(try titles(app: "plain").count == Self.leakCount)
        let titles = try titles(app: "changed")
        #expect(titles.count == Self.leakCount, "\(name): \(titles)")
    }

    @Test
    func `if beforeSend removes a cycle, reports that start it at different objects are still one leak`()
        throws
    {
        let reporter = reporter(app: "a") { $0 = LeakReport() }
        for cycle in [["Shop.A", "Shop.B"], ["Shop.B", "Shop.A"]] {
            reporter.record(leak: Self.report { $0.cycle = cycle })
        }
        expectAllAccepted(reporter, count: 2)
        #expect(try titles(app: "a").count == 1)
    }

    @Test func `if beforeSend removes a fingerprint, the class identifies the leak`() throws {
        let reporter = reporter(app: "a") { $0.fingerprint = [] }
        for part in ["one", "two"] {
            reporter.record(leak: Self.report { ($0.className, $0.fingerprint) = ("Shop.Cart", [part]) })
            reporter.record(leak: Self.report { $0.fingerprint = [part] })
        }
        expectAllAccepted(reporter, count: 4)
        let titles = try titles(app: "a")
        #expect(titles.count == 3 && titles.contains("Cart"), "\(titles)")
    }

    @Test func `a freed object is sent as freed, even if beforeSend removes the text that says so`() throws {
        let device = SimulatedDevice { report in
            var report = report
            report.message = nil
            return report
        }
        device.record(
            Self.report {
                $0.className = "Shop.Cart"
                $0.message = "LEAKED VIEWCONTROLLER DEINNITED <Shop.Cart: 0x1f>\n\nDeinnited after 8.912s."
            })
        device.commit()
        device.advance(byMilliseconds: 60_000)
        let document = try WireReader.read(try #require(device.batch()).body, as: .json)
        #expect(document.report(at: 0).event == .freed)
    }

    @Test func `nothing that beforeSend removes is sent in a fingerprint`() throws {
        let device = SimulatedDevice(beforeSend: { _ in LeakReport() })
        let reports = [
            Self.report { ($0.className, $0.stack) = ("Secret.Cart", ["Secret.Main", "Secret.Cart"]) },
            Self.report { $0.cycle = ["Secret.A", "Secret.B"] },
            Self.report { $0.message = "the secret of Jane" },
            Self.report { $0.error = ReportedError(domain: "secret.domain", code: 4_711) },
            Self.report { $0.fingerprint = ["secret"] },
        ]
        for report in reports { device.record(report) }
        device.commit()
        device.advance(byMilliseconds: 60_000)
        let batch = try #require(device.batch())
        let text = String(decoding: batch.body, as: UTF8.self)
        #expect(!text.lowercased().contains("secret") && !text.contains("Jane") && !text.contains("4711"))
        let document = try WireReader.read(batch.body, as: .json)
        #expect(document.reports.count == reports.count && document.rejected.isEmpty)
    }

    @Test func `a fingerprint or class that beforeSend sets identifies the leak`() throws {
        let reporter = reporter(app: "a") { report in
            if report.error == nil { report.fingerprint = ["mine"] } else { report.className = "Mine" }
            (report.message, report.error) = (nil, nil)
        }
        for text in ["one", "two"] {
            reporter.record(message: text)
            reporter.record(error: Explained(errorDescription: text))
        }
        expectAllAccepted(reporter, count: 4)
        #expect(try titles(app: "a") == ["Mine", "mine"])
    }
}

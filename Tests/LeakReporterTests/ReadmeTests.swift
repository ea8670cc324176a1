import LeakDetectorTexts
import LeakGrammar
import LeakCollectorSupport
import Dispatch
import Foundation
import LeakDetector
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

/// Compiles the Swift lines of README.md, docs/GETTING-STARTED.md and docs/FORWARDING.md unchanged, and sends their reports to
/// a collector, which must accept them.
@Suite struct ReadmeTests {
    private let running: RunningCollector
    private let transport = FakeTransport.forwardingToRealCollector()

    init() throws { running = try RunningCollector() }

    private func makeReporter(_ other: FakeTransport? = nil) -> LeakReporter {
        let transport = other ?? transport
        var configuration = LeakReporter.Configuration(
            endpoint: running.address, key: RunningCollector.key, install: .none)
        configuration.storage = .memory
        return LeakReporter(configuration) { transport }
    }

    /// Sends all reports, none of which the collector may reject.
    private func expectAllAccepted(from reporter: LeakReporter, by other: FakeTransport? = nil) throws {
        #expect(reporter.flush(timeout: generousSeconds))
        let rejectedParts = try (other ?? transport).rejectedParts()
        #expect(rejectedParts == [])
        let statistics = reporter.statistics
        #expect(statistics.dropped == [:] && statistics.lastFailure == nil && statistics.waiting == 0)
    }

    /// Returns the only report that the collector received.
    private func receivedReport(from reporter: LeakReporter) throws -> [String: Any] {
        try expectAllAccepted(from: reporter)
        let reports = try transport.batches().flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        #expect(reports.count == 1)
        return try #require(reports.first)
    }

    /// Returns the texts that all versions of the detector print.
    private static func texts(of detector: DetectorMessage.Detector) -> [String] {
        DetectorText.all.map(\.message).filter { DetectorMessage($0).detector == detector }
    }

    /// Forwards each text of a detector with its documented line. Expects that the collector receives it without text that
    /// users typed.
    private func expectArrival(
        of detector: DetectorMessage.Detector, _ passOn: (LeakReporter, String) -> Void
    ) throws {
        let texts = Self.texts(of: detector)
        #expect(texts.count >= 5)
        for text in texts {
            let transport = FakeTransport.forwardingToRealCollector()
            let reporter = makeReporter(transport)
            passOn(reporter, text)
            try expectAllAccepted(from: reporter, by: transport)
            let reports = try transport.batches().flatMap { $0["reports"] as? [[String: Any]] ?? [] }
            var report = LeakReport()
            report.message = text
            #expect(reports.map { $0["message"] as? String } == [report.redactedForSending().message])
        }
    }

    /// Returns the message that the collector reads from the text that it received.
    private func read(from reporter: LeakReporter) throws -> DetectorMessage {
        DetectorMessage(try #require(receivedReport(from: reporter)["message"] as? String))
    }

    private static func text(of file: String) throws -> String {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: top.appendingPathComponent(file), encoding: .utf8)
    }

    @Test(arguments: [("README.md", 6), ("docs/GETTING-STARTED.md", 9), ("docs/FORWARDING.md", 7)])
    func `each Swift line of the README and of the first guides is compiled`(page: String, atLeast: Int)
        throws
    {
        let code = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let lines = Self.swiftLines(of: try Self.text(of: page))
        #expect(lines.count >= atLeast)
        for line in lines { #expect(code.contains(line), "\(line)") }
    }

    @Test(arguments: ["README.md", "docs/GETTING-STARTED.md"])
    func `the lines for Package_swift name this package and its products`(page: String) throws {
        let block = try #require(
            Self.text(of: page).components(separatedBy: "```swift\n// Package.swift\n").last?
                .components(separatedBy: "```").first)
        let manifest = try Self.text(of: "Package.swift")
        let names = block.split(separator: "\"").filter { $0.hasPrefix("Leak") }
        #expect(names == ["LeakReporter", "LeakDetector"])
        for name in names { #expect(manifest.contains(".library(name: \"\(name)\"")) }
        // SwiftPM names the package of a path dependency after the last folder of the path.
        #expect(block.contains(".package(path: \"../leak-collector\")"))
        #expect(block.components(separatedBy: "package: \"leak-collector\"").count == 3)
        #expect(manifest.contains("name: \"leak-collector\""))
    }

    /// Returns the lines of Swift blocks, the code in the last column of a table, and code on a separate line. Leaves out lines
    /// for Package.swift.
    private static func swiftLines(of page: String) -> [String] {
        var lines: [String] = []
        var isSwift = false
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isSwift = line == "```swift"
            } else if line == "// Package.swift" {
                isSwift = false
            } else if isSwift {
                lines.append(line.trimmingCharacters(in: .whitespaces))
            } else if line.hasPrefix("`reporter") || line.hasPrefix("| ") && line.contains("eporter.record(")
            {
                let cell = line.components(separatedBy: "| ").last ?? line
                lines.append(cell.components(separatedBy: "`").dropFirst().first ?? "")
            }
        }
        return lines.filter { !$0.isEmpty }
    }

    @Test func `the README's example creates the reporter`() {
        // swift-format-ignore
        let reporter = LeakReporter(.init(
            endpoint: "https://leaks.example.com", key: "INGEST-KEY",
            app: .init(id: "com.acme.shop", module: "Shop", version: "5.2.0", build: "812")))
        #expect(!reporter.statistics.isStopped)
    }

    /// This code is compiled but not called, because it would write to the home folder of the user who runs the tests.
    private func start() {
        let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "INGEST-KEY"))
        reporter.startSession()
    }

    private class UIViewController {}
    private class UIView {}

    @Test func `texts of LeakedViewControllerDetector 1_4 and later are forwarded`() throws {
        enum LeakedViewControllerDetector {
            enum Action { case falsePositive, showAlert, showAlertWithoutScreenshot, dontShowAlert }

            static func onDetect(
                detectionDelay: Double = 1, callback: (UIViewController?, UIView?, String) -> Action
            ) {
                #expect(callback(nil, nil, text.with { $0 }) == .dontShowAlert)
            }

            static let text = Guarded("")
        }
        try expectArrival(of: .leakedViewControllerDetector) { reporter, text in
            LeakedViewControllerDetector.text.with { $0 = text }
            // swift-format-ignore
            LeakedViewControllerDetector.onDetect { _, _, message in reporter.record(message: message); return .dontShowAlert }
        }
    }

    @Test func `texts of LeakedViewControllerDetector 1_0 to 1_3 are forwarded`() throws {
        enum LeakedViewControllerDetector {
            static func onDetect(
                detectionDelay: Double = 1, callback: (UIViewController?, UIView?, String) -> Bool?
            ) {
                #expect(callback(nil, nil, text.with { $0 }) == false)
            }

            static let text = Guarded("")
        }
        try expectArrival(of: .leakedViewControllerDetector) { reporter, text in
            LeakedViewControllerDetector.text.with { $0 = text }
            // swift-format-ignore
            LeakedViewControllerDetector.onDetect { _, _, message in reporter.record(message: message); return false }
        }
    }

    @Test func `texts of LeakedViewControllerDetector 0_7 are forwarded`() throws {
        enum LeakedViewControllerDetector {
            static func onDetect(
                debugDelay: Double = 0.1, releaseDelay: Double = 1,
                callback: (UIViewController?, String) -> Bool?
            ) {
                #expect(callback(nil, text.with { $0 }) == false)
            }

            static let text = Guarded("")
        }
        try expectArrival(of: .leakedViewControllerDetector) { reporter, text in
            LeakedViewControllerDetector.text.with { $0 = text }
            // swift-format-ignore
            LeakedViewControllerDetector.onDetect { _, message in reporter.record(message: message); return false }
        }
    }

    /// Replaces DeallocationChecker 3: reports one screen that was freed and one screen that leaked.
    private final class DeallocationChecker: Sendable {
        enum LeakState { case leaked, notLeaked }
        typealias Callback = (LeakState, UIViewController.Type) -> Void
        enum Handler { case alert, precondition, callback(Callback) }

        static let shared = DeallocationChecker()

        func setup(with handler: Handler) {
            guard case .callback(let callback) = handler else { return }
            callback(.notLeaked, UIViewController.self)
            callback(.leaked, Shop.Cart.self)
        }
    }

    private enum Shop { class Cart: UIViewController {} }

    @Test func `a forwarded report of DeallocationChecker 3 names a nested class with its outer class`()
        throws
    {
        let reporter = makeReporter()
        // swift-format-ignore
        DeallocationChecker.shared.setup(with: .callback { state, type in if state == .leaked { reporter.record(message: "\(String(reflecting: type)) not deallocated after being dismissed") } })
        let message = try read(from: reporter)
        #expect(message.detector == .deallocationChecker)
        #expect(message.className == "LeakReporterTests.ReadmeTests.Shop.Cart")
    }

    /// Replaces the Objective-C runtime. It calls the new implementation of the method as the library would call its alert.
    @Test func `a report of MLeaksFinder 1 is forwarded with the path of owners`() throws {
        typealias Block = @convention(block) (AnyObject, String, String, AnyObject?, String?) -> Void
        struct Method {}
        struct IMP { let block: Block }
        func NSSelectorFromString(_ name: String) -> String { name }
        func NSClassFromString(_ name: String) -> AnyClass? { name == "MLeaksMessenger" ? UIView.self : nil }
        func class_getClassMethod(_ type: AnyClass?, _ selector: String) -> Method? {
            let colons = selector.filter { $0 == ":" }.count
            return type != nil && colons == 4 ? Method() : nil
        }
        func imp_implementationWithBlock(_ block: @escaping Block) -> IMP { IMP(block: block) }
        func method_setImplementation(_ method: Method, _ implementation: IMP) -> IMP {
            // The path of owners as `-[NSArray description]` formats it.
            let path = "(\n    MyTableViewController,\n    UITableView,\n    \"Shop.CartCell\"\n)"
            implementation.block(UIView(), "Memory Leak", path, nil, nil)
            return implementation
        }
        let reporter = makeReporter()
        // swift-format-ignore
        _ = class_getClassMethod(NSClassFromString("MLeaksMessenger"), NSSelectorFromString("alertWithTitle:message:delegate:additionalButtonTitle:")).map { method_setImplementation($0, imp_implementationWithBlock({ _, title, message, _, _ in reporter.record(message: "\(title): \(message)") } as @convention(block) (AnyObject, String, String, AnyObject?, String?) -> Void)) }
        let message = try read(from: reporter)
        #expect(message.detector == .mLeaksFinder)
        #expect(message.stack == ["MyTableViewController", "UITableView", "Shop.CartCell"])
    }

    private final class ViewModel: Sendable {}

    @Test func `a report of the SwiftUI article's expectDeallocation is forwarded`() throws {
        func expectDeallocation(_ object: AnyObject, _ reporter: LeakReporter) {
            reporter.record(message: "Expected deallocation of \(object)")
        }
        let reporter = makeReporter()
        expectDeallocation(ViewModel(), reporter)
        let message = try read(from: reporter)
        #expect(message.detector == .expectDeallocation)
        #expect(message.className == "LeakReporterTests.ReadmeTests.ViewModel")
    }

    @Test func `an NSError with the text of a detector is forwarded`() throws {
        let text = try #require(Self.texts(of: .leakedViewControllerDetector).first)
        let error = NSError(domain: "com.acme.shop", code: 8, userInfo: [NSLocalizedDescriptionKey: text])
        let reporter = makeReporter()
        reporter.record(error: error)
        let arrived = try #require(receivedReport(from: reporter)["error"] as? [String: Any])
        #expect(arrived["domain"] as? String == "com.acme.shop")
        #expect((arrived["userInfo"] as? [String: Any])?[NSLocalizedDescriptionKey] as? String == text)
    }

    @Test func `a session is sent with the counts of checks and leaks that the app passed`() throws {
        let (closedScreens, leaks) = (12, 1)
        let reporter = makeReporter()
        reporter.record(session: EndedSession(id: UUID().uuidString, checks: closedScreens, leaks: leaks))
        try expectAllAccepted(from: reporter)
        let session = try #require((transport.batches().first?["sessions"] as? [[String: Any]])?.first)
        #expect((session["checks"] as? Int, session["leaks"] as? Int) == (12, 1))
    }

    @Test func `findings of a LeakDetector that the app created are forwarded`() throws {
        let reporter = makeReporter()
        let viewModel = ViewModel()
        let detector = LeakDetector(report: reporter.record)
        detector.expectDeallocation(of: viewModel)
        #expect(eventually { reporter.statistics.sent + reporter.statistics.waiting == 1 })
        #expect(
            try receivedReport(from: reporter)["class"] as? String
                == "LeakReporterTests.ReadmeTests.ViewModel")
        withExtendedLifetime(viewModel) {}
    }

    @Test func `the detector of this package reports leaks and counts of checks`() throws {
        let reporter = makeReporter()
        let viewModel = ViewModel()

        let detector = LeakDetector.start(.report(reporter.record(leak:)))
        reporter.startSession(checks: { detector.takeChecks() })
        detector.expectDeallocation(of: viewModel, reason: "screen closed")

        #expect(eventually { reporter.statistics.sent + reporter.statistics.waiting == 1 })
        reporter.endSession()
        try expectAllAccepted(from: reporter)
        let batches = try transport.batches()
        let name = "LeakReporterTests.ReadmeTests.ViewModel"
        let reports = batches.flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        #expect(reports.map { $0["class"] as? String } == [name])
        let checks = batches.flatMap { $0["checks"] as? [[String: Any]] ?? [] }
        #expect(checks.map { $0["class"] as? String } == [name])
        let sessions = batches.flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
        #expect(sessions.map { $0["leaks"] as? Int } == [1])
        withExtendedLifetime(viewModel) {}
    }
}

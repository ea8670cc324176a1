import LeakCollectorSupport
import Foundation
import LeakDetector
import LeakMessage
import LeakReporter
import Observation
import RetainPaths
import Testing

private final class CartModel {}
private final class Screen {}
private final class ImageCache {}

private final class CartScreen {
    @Deallocating var model = CartModel()
}

@Observable private final class CartStore {
    @ObservationIgnored @Deallocating var model = CartModel()
}

/// Objects that stay until the process ends.
@MainActor private var kept: [AnyObject] = []

/// An app that contains each line of the code in docs/DETECTOR.md.
@MainActor private final class GuideApp {
    let running: RunningCollector
    let reporter: LeakReporter
    var shownCount = 0

    init() throws {
        running = try RunningCollector()
        var configuration = LeakReporter.Configuration(
            endpoint: running.address, key: RunningCollector.key,
            app: AppInfo(id: "com.acme.shop", module: "Shop", version: "5.2.0"), install: .none)
        configuration.storage = .memory
        reporter = LeakReporter(configuration)
    }

    func keep<Kept: AnyObject>(_ object: Kept) -> Kept {
        kept.append(object)
        return object
    }

    func leakInEachWay() {
        let detector = LeakDetector.start(.report(reporter.record(leak:)))
        reporter.startSession(checks: { detector.takeChecks() })
        do {
            let model = keep(CartModel())
            detector.expectDeallocation(of: model, reason: "screen closed")
        }
        do {
            let model = keep(CartModel())
            let screen = Screen()
            detector.expectDeallocation(of: model, owner: screen)
        }
        do {
            let model = keep(CartModel())
            let watcher = LeakWatcher()
            watcher.expectDeallocation(of: model)
        }
        _ = keep(CartScreen().model)
        _ = keep(CartStore().model)
        do {
            let object = keep(CartModel())
            detector.expectDeallocation(of: object)
            detector.cameBack(object)
        }
        do {
            let object = keep(ImageCache())
            detector.ignore(object)
            detector.expectDeallocation(of: object)
        }
    }

    func leakWithClosure() {
        // swift-format-ignore
        LeakDetector.start(.custom(
            onDetect: { finding in
                if finding.isInstance(of: ImageCache.self) { return .ignore }        // this one is meant to stay
                self.shownCount += 1
                if finding.className == "Shop.Tracker" { return .ignoreClass }
                return .showAlert                                         // report it, and show it in debug builds
            },
            report: reporter.record(leak:)))
        LeakDetector.shared?.expectDeallocation(of: keep(ImageCache()))
        LeakDetector.shared?.expectDeallocation(of: keep(Screen()))
    }

    func leakOnPurpose() async {
        // swift-format-ignore
        switch await LeakDetector.selfTest() {
        case .works(let leak, let freed): reporter.record(leak: leak); reporter.record(leak: freed)
        case let failure: print("leaks are not noticed: \(failure)")
        }
    }

    func explain() {
        LeakDetector.start(.log, explainer: RetainPathFinder())
    }

    func switchOff() {
        guard let detector = LeakDetector.shared else { return }
        detector.changeSuppression { $0.classes.insert("Cart") }
        detector.explainsLeaks = false
        detector.pause()
        detector.resume()
        detector.stop()
    }

    /// Waits until the detector has evaluated all expected objects.
    func waitUntilEvaluated() async {
        while let counts = LeakDetector.shared?.counts, counts.outstanding > 0 {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Compiles the Swift lines of docs/DETECTOR.md and of the landing page of LeakDetector unchanged, and sends their reports to a
/// collector.
@Suite struct DetectorGuideTests {
    @Test(arguments: [
        ("docs/DETECTOR.md", 25), ("Sources/LeakDetector/LeakDetector.docc/LeakDetector.md", 15),
    ])
    func `each Swift line of the guide to LeakDetector is compiled`(page: String, atLeast: Int) throws {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let code = try String(contentsOf: here, encoding: .utf8)
        let guide = try String(contentsOf: top.appendingPathComponent(page), encoding: .utf8)
        let lines = Self.swiftLines(of: guide).filter { !Self.needsUIKit($0) }
        #expect(lines.count >= atLeast)
        for line in lines { #expect(code.contains(line), "\(line)") }
    }

    /// Returns the lines of Swift blocks, and the calls in the text.
    private static func swiftLines(of page: String) -> [String] {
        var lines: [String] = []
        for (number, part) in page.components(separatedBy: "```").enumerated() {
            if !number.isMultiple(of: 2) {
                guard part.hasPrefix("swift\n") else { continue }
                lines += part.components(separatedBy: "\n").dropFirst()
            } else {
                let spans = part.components(separatedBy: "`").enumerated().filter {
                    !$0.offset.isMultiple(of: 2)
                }
                lines += spans.map(\.element).filter { span in
                    ["detector.", "watcher.", "let watcher", "@Deallocating var"].contains(
                        where: span.hasPrefix)
                }
            }
        }
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .map { $0.replacingOccurrences(of: "@Observable ", with: "@Observable private ") }
    }

    /// Returns `true` if the line needs UIKit. `Checks` compiles such lines.
    private static func needsUIKit(_ line: String) -> Bool {
        ["finding.view", "watchViewControllers", "checkDeallocation", "of: window"].contains(
            where: line.contains)
    }

    @Test func `the collector accepts each report of the guide's examples`() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let app = try GuideApp()
            app.leakInEachWay()
            await app.waitUntilEvaluated()
            #expect(LeakDetector.shared?.counts.leaked == 5)
            app.switchOff()
            app.leakWithClosure()
            await app.waitUntilEvaluated()
            while app.shownCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
            await app.leakOnPurpose()
            app.switchOff()
            app.reporter.endSession()
            #expect(app.reporter.flush(timeout: 60))
            let statistics = app.reporter.statistics
            #expect(statistics.sent == 8)
            #expect(statistics.dropped == [:])
            #expect(statistics.lastFailure == nil)
        }
    }
}

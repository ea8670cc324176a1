import LeakCollectorSupport
import Foundation
import LeakDetector
import LeakMessage
import RetainPaths
import Testing

@testable import LeakReporter

private final class CartModel {
    var onPaid: (() -> Void)?
}

/// Returns a model that stays in memory, because it is in a cycle.
private func makeModel() -> CartModel {
    let model = CartModel()
    model.onPaid = { _ = model }
    return model
}

/// The example of docs/CAUSES.md.
private func printCause(of explanation: RetainExplanation) {
    // swift-format-ignore
    if let cause = explanation.cause {        // explanation: RetainExplanation
        print(cause.identifier)               // stored_closure
        print(cause.explanation)              // The object keeps a closure, and the closure captures the object.
        print(cause.remedy)                   // onPaid = { [weak self] in … }
        print(cause.isCertain)                // false: its closure has no name
    }
}

/// Compiles the Swift lines of docs/RETAINPATHS.md, docs/SYMBOLS.md, docs/CAUSES.md and the landing page of RetainPaths
/// unchanged, and sends their reports to a collector, which must accept them.
@Suite struct ExplainedGuideTests {
    @Test(arguments: [
        ("docs/RETAINPATHS.md", 11), ("docs/SYMBOLS.md", 4), ("docs/CAUSES.md", 6),
        ("Sources/RetainPaths/RetainPaths.docc/RetainPaths.md", 11),
    ])
    func `each Swift line of the guides to explanations is compiled`(page: String, count: Int) throws {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        // The tests are compiled with strict memory safety, which needs `unsafe` in some lines. The guides leave it out.
        let code = try String(contentsOf: here, encoding: .utf8).replacing("unsafe ", with: "")
        let text = try String(contentsOf: top.appendingPathComponent(page), encoding: .utf8)
        let blocks = text.components(separatedBy: "```").filter { $0.hasPrefix("swift\n") }
        let lines = blocks.flatMap { $0.components(separatedBy: "\n").dropFirst() }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        #expect(lines.count == count)
        for line in lines { #expect(code.contains(line), "\(line)") }
    }

    private static func reporter(_ running: RunningCollector, _ transport: FakeTransport) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: running.address, key: RunningCollector.key,
            app: AppInfo(id: "com.acme.shop", module: "Shop", version: "5.2.0"), install: .none)
        configuration.storage = .memory
        return LeakReporter(configuration) { transport }
    }

    private static func leak(_ running: RunningCollector) throws -> [String: Any] {
        let list = try running.json("/api/v1/leaks?app=com.acme.shop")
        let leaks = try #require(list["leaks"] as? [[String: Any]])
        #expect(leaks.count == 1)
        return try running.json("/api/v1/leaks/\(try #require(leaks.first?["id"] as? String))")
    }

    @Test func `the collector accepts the stack that an app captures`() throws {
        let running = try RunningCollector()
        let transport = FakeTransport.forwardingToRealCollector()
        let reporter = Self.reporter(running, transport)
        var report = LeakReport()
        report.className = "Shop.CartModel"
        report.stack = LeakReporter.callStack()
        reporter.record(leak: report)
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(try transport.rejectedParts() == [])
        #expect(reporter.statistics.sent == 1 && reporter.statistics.dropped == [:])
        let leak = try Self.leak(running)
        #expect(report.stack.count > 1 && (leak["stack"] as? [String])?.isEmpty == false, "\(leak)")
    }

    #if os(Linux) && arch(x86_64)
        /// The detector drops an explanation that takes longer than two seconds, so this test uses the finder directly.
        @Test func `the collector accepts explanations of RetainPathFinder`() throws {
            let running = try RunningCollector()
            let transport = FakeTransport.forwardingToRealCollector()
            let reporter = Self.reporter(running, transport)
            #expect(eventually { reporter.takesExplanations })
            var leak = LeakReport()
            leak.className = "Shop.CartModel"
            reporter.record(leak: leak)
            // swift-format-ignore
            if let finder = RetainPathFinder() {
                let object = unsafe Unmanaged.passRetained(makeModel())     // no variable holds it as well
                print(unsafe finder.explain(object.toOpaque(), callerReferences: 1).summary ?? "unknown")
                reporter.record(leak, explanation: unsafe finder.explain(object.toOpaque(), callerReferences: 1))
                unsafe object.release()
            }
            #expect(eventually { reporter.flush(timeout: generousSeconds) })
            #expect(try transport.rejectedParts() == [])
            #expect(reporter.statistics.sent == 1 && reporter.statistics.droppedExplanations == 0)
            let reason = try #require(try Self.leak(running)["why"] as? [String: Any])
            #expect(reason["explained"] as? Int == 1)
            let variants = try #require(reason["variants"] as? [[String: Any]])
            #expect(
                variants.first?["text"] as? String == "CartModel.onPaid → closure → CartModel", "\(reason)")
        }
    #endif

    @Test func `the collector accepts reports of a detector with an explainer`() async {
        await #expect(processExitsWith: .success) {
            let running = try RunningCollector()
            let transport = FakeTransport.forwardingToRealCollector()
            let reporter = ExplainedGuideTests.reporter(running, transport)
            // swift-format-ignore
            LeakDetector.start(.log, explainer: RetainPathFinder())     // writes each leak, then its path
            LeakDetector.shared?.stop()
            // swift-format-ignore
            LeakDetector.start(
                .report(
                    reporter.record(leak:), onExplain: reporter.record(_:explanation:),
                    wantsExplanations: { reporter.takesExplanations }),     // collector --explanations no turns it off
                explainer: RetainPathFinder())
            LeakDetector.shared?.expectDeallocation(of: makeModel())
            #expect(eventually { LeakDetector.shared?.counts.leaked == 1 })
            #expect(eventually { reporter.statistics.sent + reporter.statistics.waiting == 1 })
            #expect(reporter.flush(timeout: generousSeconds))
            #expect(try transport.rejectedParts() == [])
            #expect(reporter.statistics.sent == 1 && reporter.statistics.dropped == [:])
        }
    }
}

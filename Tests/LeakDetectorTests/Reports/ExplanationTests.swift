import Dispatch
import Foundation
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

/// Explanations why a leaked object is still in memory. They are reported after the leak, never instead of it.
@Suite struct ExplanationTests {
    /// Returns a cycle. If it is created with `isOpen: false`, it returns only after the test has called ``open()``.
    private final class Explainer: LeakExplainer {
        let asked = Guarded([UInt]())
        private let isOpen: Guarded<Bool>
        private let wasMisused = Guarded(false)

        init(isOpen: Bool = true) { self.isOpen = Guarded(isOpen) }

        func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation {
            asked.with { $0.append(UInt(bitPattern: object)) }
            wasMisused.with { $0 = $0 || Thread.isMainThread || callerReferences != 0 }
            _ = isOpen.wait { $0 ? true : nil }
            return ExplanationTests.cycle
        }

        func advice(on explanation: RetainExplanation) -> String? {
            explanation == ExplanationTests.cycle ? ExplanationTests.advice : nil
        }

        func open() {
            isOpen.with { $0 = true }
            isOpen.wakeAll()
        }

        var count: Int { asked.with { $0.count } }
        var wasCalledCorrectly: Bool { !wasMisused.with { $0 } }
    }

    private static var cycle: RetainExplanation {
        var explanation = RetainExplanation()
        explanation.confidence = .proven
        explanation.path = RetainPath(
            references: [
                RetainReference(owner: "Shop.Page", field: "onTap", kind: .property, isClosure: true)
            ],
            target: "Shop.Page", isCycle: true)
        return explanation
    }

    @Test func `a leak is reported before it is explained, and the explanation has the report's id`()
        async throws
    {
        let explainer = Explainer(isOpen: false)
        let bench = Bench(explainer: explainer)
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Page"])
        try await until { explainer.count == 1 }
        #expect(bench.explanations.isEmpty)
        explainer.open()
        try await until {
            bench.advance(by: 0)
            return bench.explanations.count == 1
        }
        #expect(bench.explanations.first?.id == bench.reports.first?.id)
        #expect(explainer.asked.with { $0 } == [UInt(bitPattern: ObjectIdentifier(page))])
        #expect(explainer.wasCalledCorrectly)
        withExtendedLifetime(page) {}
    }

    @Test func `leaks with the same class, call site and owners are explained once`() async throws {
        let explainer = Explainer()
        let bench = Bench(explainer: explainer)
        let pages = (0..<200).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page, file: "App/Cart.swift", line: 7) }
        let others: [Page] = [Page(), Page(), Sheet()]
        bench.detector.expectDeallocation(of: others[0], file: "App/Cart.swift", line: 8)
        bench.detector.expectDeallocation(of: others[1], path: ["Tab"], file: "App/Cart.swift", line: 7)
        bench.detector.expectDeallocation(of: others[2], file: "App/Cart.swift", line: 7)
        bench.advance(by: 2_000)
        #expect(bench.reports.count == 203)
        try await until {
            bench.advance(by: 0)
            return bench.explanations.count == 4
        }
        #expect(explainer.count == 4)
        withExtendedLifetime((pages, others)) {}
    }

    @Test func `ignored objects are not explained, and nothing is explained while explanations are off`()
        async throws
    {
        let explainer = Explainer()
        let bench = Bench(explainer: explainer) { $0.object is Sheet ? .ignore : .report }
        let objects: [Page] = [Sheet(), Page(), Page()]
        bench.detector.expectDeallocation(of: objects[0])
        bench.advance(by: 2_000)
        #expect(bench.detector.explainsLeaks)
        bench.detector.explainsLeaks = false
        bench.detector.expectDeallocation(of: objects[1])
        bench.advance(by: 2_000)
        bench.detector.explainsLeaks = true
        bench.detector.expectDeallocation(of: objects[2])
        bench.advance(by: 2_000)
        try await until {
            bench.advance(by: 0)
            return bench.explanations.count == 1
        }
        #expect(explainer.asked.with { $0 } == [UInt(bitPattern: ObjectIdentifier(objects[2]))])
        withExtendedLifetime(objects) {}
    }

    @Test func `nothing is explained while wantsExplanations returns false`() async throws {
        let explainer = Explainer()
        let isWanted = Guarded(false)
        let bench = Bench(explainer: explainer, wantsExplanations: { isWanted.with { $0 } })
        let objects = [Page(), Page()]
        bench.detector.expectDeallocation(of: objects[0])
        bench.advance(by: 2_000)
        isWanted.with { $0 = true }
        bench.detector.expectDeallocation(of: objects[1])
        bench.advance(by: 2_000)
        try await until {
            bench.advance(by: 0)
            return bench.explanations.count == 1
        }
        #expect(explainer.asked.with { $0 } == [UInt(bitPattern: ObjectIdentifier(objects[1]))])
        #expect(bench.reports.count == 2)
        withExtendedLifetime(objects) {}
    }

    @Test func `a leak that waits for its explanation is not explained if explanations are no longer wanted`()
        async throws
    {
        let explainer = Explainer(isOpen: false)
        let isWanted = Guarded(true)
        let queue = ExplanationQueue(explainer, isWanted: { isWanted.with { $0 } }, now: { 0 })
        for leak in 1...3 { queue.explain("\(leak)", UInt(leak * 16)) { _ in } }
        try await until { explainer.count == 1 }
        isWanted.with { $0 = false }
        explainer.open()
        try await until { queue.isIdle }
        #expect(explainer.count == 1)
    }

    @Test(arguments: ["freed", "in use", "ignored", "stopped"])
    func `an explanation is dropped if its object was freed, used or ignored, or the detector stopped`(
        fate: String
    ) async throws {
        let explainer = Explainer(isOpen: false)
        let bench = Bench(explainer: explainer)
        var page: Page? = Page()
        let other = Sheet()
        bench.detector.expectDeallocation(of: page!)
        bench.advance(by: 2_000)
        try await until { explainer.count == 1 }
        switch fate {
        case "freed": page = nil
        case "in use": bench.detector.cameBack(page!)
        case "ignored": bench.detector.ignore(page!)
        default: break
        }
        bench.detector.expectDeallocation(of: other)
        bench.advance(by: 2_000)
        if fate == "stopped" { bench.detector.stop() }
        explainer.open()
        let queue = try #require(bench.detector.notifier.explanations)
        try await until { queue.isIdle }
        bench.advance(by: 0)
        #expect(bench.explanations.count == (fate == "stopped" ? 0 : 1))
        // A waiting explanation is not computed after the detector stops.
        #expect(explainer.count == (fate == "stopped" ? 1 : 2))
        #expect(bench.explanations.allSatisfy { $0.className == "LeakDetectorTests.Sheet" })
        withExtendedLifetime((page, other)) {}
    }

    @Test func `if an object is freed before its leak is explained, the leak's next object is explained`()
        async throws
    {
        let explainer = Explainer(isOpen: false)
        let bench = Bench(explainer: explainer)
        var pages: [Page?] = [Page(), Page()]
        bench.detector.expectDeallocation(of: pages[0]!, line: 7)
        bench.advance(by: 2_000)
        try await until { explainer.count == 1 }
        pages[0] = nil
        explainer.open()
        let queue = try #require(bench.detector.notifier.explanations)
        try await until { queue.isIdle }
        bench.advance(by: 0)
        #expect(bench.explanations.isEmpty)
        bench.detector.expectDeallocation(of: pages[1]!, line: 7)
        bench.advance(by: 2_000)
        try await until {
            bench.advance(by: 0)
            return bench.explanations.count == 1
        }
        withExtendedLifetime(pages) {}
    }

    @Test func `a leak is explained later if explanations were off at its turn`() async throws {
        let explainer = Explainer(isOpen: false)
        let isWanted = Guarded(true)
        let queue = ExplanationQueue(explainer, isWanted: { isWanted.with { $0 } }, now: { 0 })
        let delivered = Guarded([String]())
        func explain(_ leak: String) { queue.explain(leak, 8) { _ in delivered.with { $0.append(leak) } } }
        explain("first")
        try await until { explainer.count == 1 }
        explain("waits")
        isWanted.with { $0 = false }
        explainer.open()
        try await until { queue.isIdle }
        isWanted.with { $0 = true }
        explain("waits")
        try await until { queue.isIdle }
        #expect(delivered.with { $0 } == ["first", "waits"])
    }

    @Test func `a leak whose explanation cannot be used is explained at most five times`() async throws {
        let explainer = Explainer()
        let queue = ExplanationQueue(explainer, now: { 0 })
        for _ in 0..<8 {
            queue.explain("fleeting", 8) { _ in queue.retry("fleeting") }
            try await until { queue.isIdle }
        }
        #expect(explainer.count == ExplanationQueue.attemptLimit)
    }

    // MARK: Explainers that fail

    private struct ThreadEndingExplainer: LeakExplainer {
        let asked = Guarded(0)
        func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation {
            asked.with { $0 += 1 }
            pthread_exit(nil)
        }
    }

    @Test func `an explainer that never returns delays no report`() async throws {
        let explainer = Explainer(isOpen: false)
        let bench = Bench(explainer: explainer)
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        try await until { explainer.count == 1 }
        let sheets = (0..<100).map { _ in Sheet() }
        for (line, sheet) in sheets.enumerated() {
            bench.detector.expectDeallocation(of: sheet, line: UInt(line))
        }
        bench.advance(by: 2_000)
        #expect(bench.reports.count == 101)
        explainer.open()
        withExtendedLifetime((page, sheets)) {}
    }

    @Test func `an explainer that ends its thread delays no report`() async throws {
        let explainer = ThreadEndingExplainer()
        let bench = Bench(explainer: explainer)
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        try await until { explainer.asked.with { $0 } == 1 }
        let sheet = Sheet()
        bench.detector.expectDeallocation(of: sheet)
        bench.advance(by: 2_000)
        #expect(bench.reports.count == 2)
        withExtendedLifetime((page, sheet)) {}
    }

    @Test func `an explanation after the deadline is dropped, and later leaks are explained`() async throws {
        let time = Guarded<Int64>(0)
        let explainer = Explainer(isOpen: false)
        let queue = ExplanationQueue(explainer) { time.with { $0 } }
        let delivered = Guarded([String]())
        func explain(_ leak: String) { queue.explain(leak, 8) { _ in delivered.with { $0.append(leak) } } }
        explain("slow")
        try await until { explainer.count == 1 }
        explain("waits")
        time.with { $0 += ExplanationQueue.deadlineMilliseconds + 1 }
        explain("finds the explainer busy for too long")
        explainer.open()
        explain("slow")
        try await until {
            explain("later")
            return delivered.with { !$0.isEmpty }
        }
        #expect(delivered.with { $0 } == ["later"])
        #expect(explainer.count == 2)
    }

    @Test(arguments: ["switched off", "stopped", "late"])
    func `a leak that was dropped from the queue of explanations can be explained later`(cause: String)
        async throws
    {
        let time = Guarded<Int64>(0)
        let explainer = Explainer(isOpen: false)
        let queue = ExplanationQueue(explainer) { time.with { $0 } }
        let delivered = Guarded([String]())
        func explain(_ leak: String) { queue.explain(leak, 8) { _ in delivered.with { $0.append(leak) } } }
        explain("first")
        try await until { explainer.count == 1 }
        explain("dropped")
        switch cause {
        case "switched off":
            queue.isOn = false
            queue.isOn = true
        case "stopped": queue.discardWaitingLeaks()
        default:
            time.with { $0 += ExplanationQueue.deadlineMilliseconds + 1 }
            explain("finds the explainer busy for too long")
        }
        explainer.open()
        try await until { queue.isIdle }
        explain("dropped")
        try await until { queue.isIdle }
        #expect(delivered.with { $0.last } == "dropped")
        #expect(explainer.count == 2)
    }

    @Test func `at most thirty-two leaks wait for an explainer`() async throws {
        let explainer = Explainer(isOpen: false)
        let queue = ExplanationQueue(explainer, now: { 0 })
        let delivered = Guarded(0)
        queue.explain("first", 8) { _ in delivered.with { $0 += 1 } }
        try await until { explainer.count == 1 }
        for leak in 0..<100 { queue.explain("\(leak)", 8) { _ in delivered.with { $0 += 1 } } }
        explainer.open()
        try await until { delivered.with { $0 } == 1 + ExplanationQueue.waitingLimit }
    }

    // MARK: Texts

    private static func explanation(_ change: (inout RetainExplanation) -> Void) -> RetainExplanation {
        var explanation = cycle
        change(&explanation)
        return explanation
    }

    private static let advice =
        "Cause: Closure that captures its owner. Write instead:\n    onTap = { [weak self] in … }"

    static let texts: [(RetainExplanation, String?)] = [
        (RetainExplanation(), nil),
        (cycle, "Shop.Page is kept by a cycle: Page.onTap → closure → Page"),
        (
            explanation {
                $0.confidence = .suspected
                $0.unexplainedReferences = 2
                $0.cost = .init(bytes: 4_260_000, objects: 1, isAtLeast: true)
            },
            "Shop.Page is probably kept by a cycle: Page.onTap → closure → Page; 2 other references could not be explained; "
                + "with it at least 4.2 MB in 1 object would be freed"
        ),
        (
            explanation {
                $0.furtherCycles = [$0.path!]
                $0.cost = .init(bytes: 12_345, objects: 7, isAtLeast: false)
            },
            "Shop.Page is kept by a cycle: Page.onTap → closure → Page; and by a cycle: Page.onTap → closure → Page; "
                + "with it 12.3 KB in 7 objects would be freed"
        ),
        (
            explanation {
                $0.path = nil
                $0.unexplainedReferences = 1
                $0.cost = .init(bytes: 48, objects: 1, isAtLeast: false)
            },
            "Shop.Page is kept by 1 reference from objects that were not searched; no cycle was found; with it 48 bytes in 1 object would be freed"
        ),
    ]

    @Test(arguments: texts)
    func `the text of an explanation is a sentence, followed by the advice`(
        explanation: RetainExplanation, text: String?
    ) {
        var report = LeakReport()
        report.className = "Shop.Page"
        #expect(FindingText.explanation(report, explanation, advice: nil) == text)
        #expect(
            FindingText.explanation(report, explanation, advice: Self.advice)
                == text.map { "\($0)\n\(Self.advice)" })
    }

    #if os(macOS) || os(Linux)
        @Test func `in log mode the detector writes to standard error what keeps a leaked object`()
            async throws
        {
            let result = try #require(
                await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    let explainer = Explainer()
                    let detector = LeakDetector(
                        .log, explainer: explainer, queue: DispatchQueue(label: "log"))
                    let page = Page()
                    detector.expectDeallocation(of: page, after: 0)
                    while explainer.count == 0 { try await Task.sleep(nanoseconds: 10_000_000) }
                    try await Task.sleep(nanoseconds: 500_000_000)
                    withExtendedLifetime(page) {}
                })
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(
                text.contains(
                    "LeakDetectorTests.Page is kept by a cycle: Page.onTap → closure → Page\n\(Self.advice)"))
        }
    #endif

    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<6_000 where !condition() { try await Task.sleep(nanoseconds: 10_000_000) }
        try #require(condition())
    }
}

import Foundation
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

@Suite struct LeakNotifierTests {
    @Test
    func `an ignored object is not reported, now or when it is freed, but other objects of its class are`() {
        let asked = Guarded(0)
        let bench = Bench { _ in
            asked.with { count in
                count += 1
                return count == 1 ? .ignore : .report
            }
        }
        var first: Page? = Page()
        let second = Page()
        bench.detector.expectDeallocation(of: first!)
        bench.advance(by: 2_000)
        bench.detector.expectDeallocation(of: first!)
        bench.advance(by: 2_000)
        #expect(bench.lines.isEmpty)
        #expect(asked.with { $0 } == 1, "the closure is called once for each object")
        bench.detector.expectDeallocation(of: second)
        bench.advance(by: 2_000)
        first = nil
        bench.advance(by: 100_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.detector.counts.leaked == 1)
        #expect(bench.detector.counts.suppressed == 1)
        withExtendedLifetime(second) {}
    }

    @Test func `no object of an ignored class is reported`() {
        let bench = Bench { $0.object is Sheet ? .report : .ignoreClass }
        let pages = (0..<3).map { _ in Page() }
        for page in pages {
            bench.detector.expectDeallocation(of: page)
            bench.advance(by: 2_000)
        }
        #expect(bench.findings.count == 1)
        let sheet = Sheet()
        bench.detector.expectDeallocation(of: sheet)
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Sheet"], "a subclass is a class of its own")
        #expect(bench.detector.counts.suppressed == 3)
        withExtendedLifetime((pages, sheet)) {}
    }

    @Test func `leaks of suppressed classes are counted and not reported`() {
        let bench = Bench(suppression: .init(classes: ["Page"]))
        let pages = [Page(), Sheet()]
        for page in pages { bench.detector.expectDeallocation(of: page) }
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Sheet"])
        #expect(bench.detector.counts.suppressed == 1)
        withExtendedLifetime(pages) {}
    }

    @Test func `a finding gives access to its object without retaining it`() throws {
        let bench = Bench()
        var page: Page? = Page()
        bench.detector.expectDeallocation(
            of: page!, path: ["Tab", "Cart"], reason: "popped", file: "App/Cart.swift", line: 7)
        bench.advance(by: 2_000)
        let finding = try #require(bench.findings.first)
        #expect(finding.object === page)
        #expect(finding.className == "LeakDetectorTests.Page")
        #expect(
            finding.text
                == "LeakDetectorTests.Page is still in memory 1.5 s after it should have been freed (popped): "
                + "Tab → Cart → LeakDetectorTests.Page, expected at App/Cart.swift:7")
        page = nil
        #expect(finding.object == nil)
    }

    @Test func `the report that an object was freed has the id, stack and keys of its leak`() throws {
        let bench = Bench()
        var page: Page? = Page()
        bench.detector.expectDeallocation(of: page!, path: ["Cart"], reason: "popped")
        bench.advance(by: 4_000)
        page = nil
        bench.advance(by: 2_000)
        let (leak, freed) = try (#require(bench.reports.first), #require(bench.reports.last))
        #expect(bench.lines == ["leak Page", "freed Page 3500"])
        #expect(leak.id == freed.id && leak.stack == freed.stack && leak.keys == freed.keys)
        #expect(freed.waitedMilliseconds == nil && freed.alive == 0)
    }

    /// A subject that describes itself as a view inside of UIKit controllers.
    private final class SystemView: Subject, @unchecked Sendable {
        // `@unchecked Sendable` is safe: no property changes after `init`.
        private let page = Page()
        private let owners: [String]
        init(_ owners: [String]) { self.owners = owners }

        var object: AnyObject? { page }
        func readState() -> ObjectState { .retained(ObjectIdentifier(page)) }
        func description(in context: ExpectationContext) -> ObjectDescription {
            ObjectDescription(kind: .view, type: Page.self, owners: owners, children: [Sheet.self])
        }
    }

    @Test func `a report contains the kind, owners and children by which a subject describes itself`() throws
    {
        let bench = Bench()
        bench.detector.checkers.onAnyQueue.expect(
            subject: SystemView(["UINavigationController"]), ExpectationContext(type: Page.self), after: 0)
        bench.advance(by: 1_000)
        let report = try #require(bench.reports.first)
        #expect(report.kind == .view)
        #expect(report.stack == ["UINavigationController", "LeakDetectorTests.Page"])
        #expect(report.children == ["LeakDetectorTests.Sheet"])
    }

    @Test(arguments: [([10, 3], true), ([11, 0], false)])
    func `a leak is marked as a known system leak only in the system versions that have it`(
        version: [Int], isKnown: Bool
    ) throws {
        let known = KnownSystemLeak(
            className: "LeakDetectorTests.Page", versions: ([10, 0], [11, 0]), reason: "iOS 10 keeps pages.")
        let bench = Bench(system: OperatingSystem(name: "iOS", version: version), known: [known])
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        let mark = bench.reports.first?.keys.first { $0.name == "known_system_leak" }
        #expect(mark?.value == (isKnown ? .string("iOS 10 keeps pages.") : nil))
        withExtendedLifetime(page) {}
    }

    #if os(macOS) || os(Linux)
        /// Tests a debug build; `detector-bench --assert` shows the same for a build with -O.
        @Test func `in assert mode a leak stops the process with a message that names class and path`()
            async throws
        {
            let result = try #require(
                await #expect(
                    processExitsWith: .failure, observing: [\.standardErrorContent]
                ) {
                    let detector = LeakDetector(.assert, queue: DispatchQueue(label: "assert"))
                    let page = Page()
                    detector.expectDeallocation(of: page, after: 0, path: ["Tab"], reason: "popped")
                    try await Task.sleep(nanoseconds: 60_000_000_000)
                    withExtendedLifetime(page) {}
                })
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("LeakDetectorTests.Page is still in memory"))
            #expect(text.contains("(popped): Tab → LeakDetectorTests.Page"))
        }

        @Test
        func
            `in log mode a line is written to standard error for a leak, and another when its object is freed`()
            async throws
        {
            let result = try #require(
                await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    let detector = LeakDetector(.log, queue: DispatchQueue(label: "log"))
                    var page: Page? = Page()
                    detector.expectDeallocation(of: page!, after: 0)
                    while detector.counts.leaked == 0 { try await Task.sleep(nanoseconds: 10_000_000) }
                    page = nil
                    while detector.counts.freed == 0 { try await Task.sleep(nanoseconds: 10_000_000) }
                    try await Task.sleep(nanoseconds: 500_000_000)
                })
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("LeakDetector: LeakDetectorTests.Page is still in memory"))
            #expect(text.contains("LeakDetector: LeakDetectorTests.Page was freed after"))
        }

        @Test func `in log mode the detector keeps working if standard error is full`() async {
            await #expect(processExitsWith: .success) {
                var ends: [Int32] = [0, 0]
                guard unsafe pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) == STDERR_FILENO else { exit(2) }
                // Fills the pipe, so that the next write to it blocks.
                guard fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else { exit(3) }
                let text = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
                while unsafe write(ends[1], text, text.count) > 0 {}
                guard fcntl(ends[1], F_SETFL, 0) == 0 else { exit(4) }
                let detector = LeakDetector(.log, queue: DispatchQueue(label: "log"))
                let pages = [Page(), Page()]
                detector.expectDeallocation(of: pages[0], after: 0)
                while detector.counts.leaked < 1 { try await Task.sleep(nanoseconds: 10_000_000) }
                detector.expectDeallocation(of: pages[1], after: 0)
                while detector.counts.leaked < 2 { try await Task.sleep(nanoseconds: 10_000_000) }
                withExtendedLifetime(pages) { exit(0) }
            }
        }
    #endif
}

import LeakMessage
import Testing

@testable import LeakDetector

#if canImport(Observation)
    import Observation
#endif

@Suite struct OwnersTests {
    private let bench = Bench()

    @Test func `objects that outlive their watcher are reported`() {
        let (page, sheet) = (Page(), Sheet())
        do {
            let watcher = LeakWatcher(bench.detector)
            watcher.expectDeallocation(of: page, path: ["Cart"], reason: "closed")
            watcher.expectDeallocation(of: sheet)
            bench.advance(by: 60_000)
            #expect(bench.lines.isEmpty, "the watcher still exists")
            withExtendedLifetime(watcher) {}
        }
        bench.advance(by: 2_000)
        #expect(Set(bench.lines) == ["leak Page", "leak Sheet"])
        let report = bench.reports.first { $0.reason == "closed" }
        #expect(report?.stack.map { $0.split(separator: ".").last } == ["Cart", "Page"])
        withExtendedLifetime((page, sheet)) {}
    }

    /// SwiftUI calls `onAppear` each time a view appears.
    @Test func `an object that is watched several times is reported once`() {
        let page = Page()
        do {
            let watcher = LeakWatcher(bench.detector)
            for _ in 0..<5 { watcher.expectDeallocation(of: page) }
        }
        bench.advance(by: 10_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.detector.counts.checked == 1)
        withExtendedLifetime(page) {}
    }

    @Test func `a watcher does not retain its objects`() {
        let watcher = LeakWatcher(bench.detector)
        weak var trace: Page?
        do {
            let page = Page()
            trace = page
            watcher.expectDeallocation(of: page)
        }
        #expect(trace == nil)
        withExtendedLifetime(watcher) {}
    }

    @Test func `objects that were freed before their watcher are counted as checked, and are not reported`() {
        do {
            let watcher = LeakWatcher(bench.detector)
            for _ in 0..<50 { watcher.expectDeallocation(of: Page()) }
        }
        bench.advance(by: 2_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 50)
    }

    private final class Screen {
        @Deallocating var page: Page
        init(_ page: Page, _ detector: LeakDetector) {
            _page = Deallocating(wrappedValue: page, path: ["Screen"], detector: detector)
        }
    }

    @Test func `the value of a Deallocating property is reported if it outlives its owner`() throws {
        let page = Page()
        do { _ = Screen(page, bench.detector) }
        bench.advance(by: 2_000)
        let report = try #require(bench.reports.first)
        #expect(bench.lines == ["leak Page"])
        #expect(report.reason == "owner deallocated")
        #expect(report.stack.first == "Screen")
        withExtendedLifetime(page) {}
    }

    @Test func `the value of a Deallocating property counts as checked if it is freed with its owner`() {
        do { _ = Screen(Page(), bench.detector).page }
        bench.advance(by: 2_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `a replaced value of a Deallocating property is reported if it stays`() throws {
        let old = Page()
        let screen = Screen(old, bench.detector)
        screen.page = screen.page
        bench.advance(by: 5_000)
        #expect(bench.lines.isEmpty, "the value was replaced by itself")
        screen.page = Sheet()
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.reports.first?.reason == "replaced")
        withExtendedLifetime((old, screen)) {}
    }

    private final class Model {
        var name = "Ada"
        let id = 7
    }

    @Test func `members of a Deallocating property's value can be used through its wrapper`() {
        let wrapper = Deallocating(wrappedValue: Model(), detector: bench.detector)
        #expect(wrapper.name == "Ada")
        #expect(wrapper.id == 7)
        wrapper.name = "Grace"
        #expect(wrapper.wrappedValue.name == "Grace")
        #expect(wrapper.projectedValue === wrapper)
    }

    #if os(macOS) || os(Linux)
        /// Runs in a separate process, because no other test may have started the shared detector.
        @Test func `watchers and wrappers use the shared detector, and do nothing before it was started`()
            async
        {
            await #expect(processExitsWith: .success) {
                #expect(LeakDetector.shared == nil)
                #expect(await LeakDetector.selfTest() == .notStarted)
                let page = Page()
                LeakWatcher().expectDeallocation(of: page)
                LeakDetector.expectDeallocation(of: page)
                _ = Deallocating(wrappedValue: page)
                let detector = LeakDetector.start(.report { _ in })
                #expect(detector.counts.outstanding == 0)
                #expect(LeakDetector.start(.assert) === detector, "a second start returns the first detector")
                LeakWatcher().expectDeallocation(of: page)
                LeakDetector.expectDeallocation(of: page)
                _ = Deallocating(wrappedValue: page)
                #expect(detector.counts.outstanding == 3)
                withExtendedLifetime(page) {}
            }
        }
    #endif

    #if canImport(Observation)
        @Observable
        final class Observed {
            var name = "Ada"
        }

        @available(macOS 14, iOS 17, tvOS 17, *)
        @Test func `changes of an observable value can be observed through its Deallocating wrapper`() {
            let wrapper = Deallocating(wrappedValue: Observed(), detector: bench.detector)
            let seen = Flag()
            withObservationTracking {
                _ = wrapper.name
            } onChange: {
                seen.raise()
            }
            wrapper.name = "Grace"
            #expect(seen.isRaised)
        }
    #endif
}

private final class Flag: @unchecked Sendable {
    // `Sendable` is unchecked: a flag is raised and read on one thread.
    private(set) var isRaised = false
    func raise() { isRaised = true }
}

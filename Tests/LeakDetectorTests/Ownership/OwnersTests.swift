import LeakMessage
import Testing

@testable import LeakDetector

#if canImport(Observation)
    import Observation
#endif

@Suite struct OwnersTests {
    private let bench = Bench()

    @Test func `objects of a watcher should be freed with it`() {
        let (page, sheet) = (Page(), Sheet())
        do {
            let watcher = LeakWatcher(bench.detector)
            watcher.expectDeallocation(of: page, path: ["Cart"], reason: "closed")
            watcher.expectDeallocation(of: sheet)
            bench.wait(60_000)
            #expect(bench.lines.isEmpty, "its time has not come")
            withExtendedLifetime(watcher) {}
        }
        bench.wait(2_000)
        #expect(Set(bench.lines) == ["leak Page", "leak Sheet"])
        let report = bench.reports.first { $0.reason == "closed" }
        #expect(report?.stack.map { $0.split(separator: ".").last } == ["Cart", "Page"])
        withExtendedLifetime((page, sheet)) {}
    }

    /// SwiftUI calls `onAppear` whenever a view appears again.
    @Test func `an object that is watched often is reported once`() {
        let page = Page()
        do {
            let watcher = LeakWatcher(bench.detector)
            for _ in 0..<5 { watcher.expectDeallocation(of: page) }
        }
        bench.wait(10_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.detector.counts.checked == 1)
        withExtendedLifetime(page) {}
    }

    @Test func `a watcher retains nothing, and objects that were freed before it are counted as checked`() {
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

    @Test func `objects that were freed before their watcher are passed checks`() {
        do {
            let watcher = LeakWatcher(bench.detector)
            for _ in 0..<50 { watcher.expectDeallocation(of: Page()) }
        }
        bench.wait(2_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 50)
    }

    private final class Screen {
        @Deallocating var page: Page
        init(_ page: Page, _ detector: LeakDetector) {
            _page = Deallocating(wrappedValue: page, path: ["Screen"], detector: detector)
        }
    }

    @Test func `a property's value should be freed with its owner`() throws {
        let page = Page()
        do { _ = Screen(page, bench.detector) }
        bench.wait(2_000)
        let report = try #require(bench.reports.first)
        #expect(bench.lines == ["leak Page"])
        #expect(report.reason == "owner deallocated")
        #expect(report.stack.first == "Screen")
        withExtendedLifetime(page) {}
    }

    @Test func `a property's value that is freed with its owner is checked`() {
        do { _ = Screen(Page(), bench.detector).page }
        bench.wait(2_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `a replaced value should be freed`() throws {
        let old = Page()
        let screen = Screen(old, bench.detector)
        screen.page = screen.page
        bench.wait(5_000)
        #expect(bench.lines.isEmpty, "it took its own place")
        screen.page = Sheet()
        bench.wait(2_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.reports.first?.reason == "replaced")
        withExtendedLifetime((old, screen)) {}
    }

    private final class Model {
        var name = "Ada"
        let id = 7
    }

    @Test func `members of the value are members of the wrapper`() {
        let wrapper = Deallocating(wrappedValue: Model(), detector: bench.detector)
        #expect(wrapper.name == "Ada")
        #expect(wrapper.id == 7)
        wrapper.name = "Grace"
        #expect(wrapper.wrappedValue.name == "Grace")
        #expect(wrapper.projectedValue === wrapper)
    }

    #if os(macOS) || os(Linux)
        /// Runs in a separate process, because no other test may have started the shared detector.
        @Test func `owners do nothing without a detector, and work with the shared detector`() async {
            await #expect(processExitsWith: .success) {
                #expect(LeakDetector.shared == nil)
                #expect(await LeakDetector.selfTest() == .notStarted)
                let page = Page()
                LeakWatcher().expectDeallocation(of: page)
                LeakDetector.expectDeallocation(of: page)
                _ = Deallocating(wrappedValue: page)
                let detector = LeakDetector.start(.report { _ in })
                #expect(detector.counts.outstanding == 0)
                #expect(LeakDetector.start(.assert) === detector, "the first call counts")
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
        @Test func `changes of an observable value are seen through the wrapper`() {
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

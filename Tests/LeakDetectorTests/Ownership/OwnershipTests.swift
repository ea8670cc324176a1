import Dispatch
import LeakMessage
import Testing

@testable import LeakDetector

/// Objects that pass from owner to owner.
@Suite struct OwnershipTests {
    private let bench = Bench()

    private final class Screen {
        @Deallocating var page: Page
        init(_ page: Page, _ detector: LeakDetector, reason: String? = "owner deallocated") {
            _page = Deallocating(wrappedValue: page, reason: reason, detector: detector)
        }
    }

    @Test func `a replaced value that is assigned again within its grace period is not reported`() {
        let (first, second) = (Page(), Sheet())
        let screen = Screen(first, bench.detector)
        screen.page = second
        bench.advance(by: 700)
        screen.page = first
        bench.advance(by: 60_000)
        #expect(bench.lines == ["leak Sheet"])
        withExtendedLifetime((first, second, screen)) {}
    }

    @Test func `a value that is assigned again, or an object that is watched again, is not reported`() {
        let (page, sheet) = (Page(), Sheet())
        let screen = Screen(page, bench.detector), watcher = LeakWatcher(bench.detector)
        watcher.expectDeallocation(of: sheet)
        for object in [page, sheet] { bench.detector.expectDeallocation(of: object) }
        bench.advance(by: 300)
        screen.page = page
        watcher.expectDeallocation(of: sheet)
        bench.advance(by: 60_000)
        #expect(bench.lines.isEmpty)
        withExtendedLifetime((page, sheet, screen, watcher)) {}
    }

    @Test func `a reported value that is assigned again is reported as back in use, and may leak again`() {
        let (first, second) = (Page(), Sheet())
        var screen: Screen? = Screen(first, bench.detector, reason: "screen closed")
        screen?.page = second
        bench.advance(by: 5_000)
        screen?.page = first
        bench.advance(by: 5_000)
        #expect(bench.lines == ["leak Page", "came back Page 3500", "leak Sheet"])
        #expect(bench.reports.first?.reason == "replaced")
        screen = nil
        bench.advance(by: 2_000)
        #expect(bench.lines.last == "leak Page")
        #expect(bench.lines.count == 4)
        #expect(bench.reports.last?.reason == "screen closed")
        #expect(bench.reports.last?.id != bench.reports.first?.id)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `an object with a second watcher is reported for the second watcher, not for the first`() {
        let page = Page()
        do {
            let watcher = LeakWatcher(bench.detector)
            watcher.expectDeallocation(of: page, reason: "first closed")
        }
        bench.advance(by: 700)
        do {
            let next = LeakWatcher(bench.detector)
            next.expectDeallocation(of: page, reason: "second closed")
            bench.advance(by: 60_000)
            #expect(bench.lines.isEmpty)
            withExtendedLifetime(next) {}
        }
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.reports.first?.reason == "second closed")
        withExtendedLifetime(page) {}
    }

    /// The screens overlap: the second screen appears before the first is freed.
    @Test func `an object with several owners is reported only after the last of them was freed`() {
        let page = Page()
        var first: LeakWatcher? = LeakWatcher(bench.detector)
        var second: LeakWatcher? = LeakWatcher(bench.detector)
        first?.expectDeallocation(of: page, reason: "first closed")
        second?.expectDeallocation(of: page, reason: "second closed")
        first = nil
        bench.advance(by: 60_000)
        #expect(bench.lines.isEmpty)
        var screen: Screen? = Screen(page, bench.detector, reason: "third closed")
        second = nil
        bench.advance(by: 60_000)
        #expect(bench.lines.isEmpty)
        #expect(screen?.page === page)
        screen = nil
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.reports.first?.reason == "third closed")
        withExtendedLifetime(page) {}
    }

    @Test
    func `a reported object with a new owner is back in use, and may leak again with that owner's reason`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page, reason: "cart closed")
        bench.advance(by: 5_000)
        do {
            let watcher = LeakWatcher(bench.detector)
            watcher.expectDeallocation(of: page, reason: "orders closed")
            bench.advance(by: 60_000)
            #expect(bench.lines == ["leak Page", "came back Page 3500"])
            withExtendedLifetime(watcher) {}
        }
        bench.advance(by: 2_000)
        #expect(bench.lines.last == "leak Page")
        #expect(bench.reports.map(\.reason) == ["cart closed", "cart closed", "orders closed"])
        #expect(bench.detector.counts.cameBack == 1)
        withExtendedLifetime(page) {}
    }

    /// The watcher does not retain its forty objects, so many of them have the same address, one after another.
    @Test func `an owner of a freed object does not own another object at its address`() {
        let watcher = LeakWatcher(bench.detector)
        var pages: [Page] = []
        for _ in 0..<40 { watcher.expectDeallocation(of: Page()) }
        for _ in 0..<40 {
            let page = Page()
            pages.append(page)
            do { _ = Screen(page, bench.detector) }
        }
        bench.advance(by: 10_000)
        #expect(bench.lines.count == 40)
        withExtendedLifetime((watcher, pages)) {}
    }

    @Test func `a value whose wrapper was discarded unused counts as checked only if it stays`() {
        for _ in 0..<100 { _ = Screen(Page(), bench.detector) }
        bench.advance(by: 10_000)
        #expect(bench.detector.counts.checked == 0)
        #expect(bench.detector.takeChecks().isEmpty)
        let page = Page()
        do { _ = Screen(page, bench.detector) }
        bench.advance(by: 10_000)
        #expect(bench.lines == ["leak Page"], "an object that stays is reported")
        #expect(bench.detector.counts.checked == 1)
        withExtendedLifetime(page) {}
    }

    @Test func `objects that have owners on eight threads are reported once each`() {
        final class Shared: Sendable {}
        let objects = (0..<50).map { _ in Shared() }
        let detector = bench.detector
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for object in objects {
                let watcher = LeakWatcher(detector)
                watcher.expectDeallocation(of: object)
                _ = Deallocating(wrappedValue: object, detector: detector).wrappedValue
            }
        }
        bench.advance(by: 60_000)
        #expect(bench.lines.filter { $0 == "leak Shared" }.count == 50)
        #expect(bench.detector.counts.outstanding == 0)
        withExtendedLifetime(objects) {}
    }
}

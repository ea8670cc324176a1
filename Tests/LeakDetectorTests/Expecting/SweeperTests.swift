import LeakMessage
import Testing
import Threads

@testable import LeakDetector

/// With real objects, on a clock that the tests move.
@Suite struct SweeperTests {
    private let bench = Bench()

    @Test func `what stays is told after its grace period and a second look`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.wait(1_499)
        #expect(bench.lines.isEmpty)
        bench.wait(1)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `nothing waits, nobody is woken`() {
        bench.wait(3_600_000)
        #expect(bench.clock.woken.with { $0 } == 0)
        bench.detector.expectDeallocation(of: Page())
        bench.wait(3_600_000)
        #expect(bench.clock.woken.with { $0 } == 1)
        #expect(bench.clock.isIdle)
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `objects that are due together are one wake-up`() {
        for _ in 0..<1_000 { bench.detector.expectDeallocation(of: Page()) }
        bench.wait(10_000)
        #expect(bench.clock.woken.with { $0 } == 1)
        #expect(bench.detector.takeChecks().map(\.count) == [1_000])
    }

    @Test func `a longer grace period is kept, whatever is due meanwhile`() {
        let (page, sheet) = (Page(), Sheet())
        bench.detector.expectDeallocation(of: page, after: 60)
        bench.detector.expectDeallocation(of: sheet, after: 0.05)
        bench.wait(10_000)
        #expect(bench.lines == ["leak Sheet"])
        bench.wait(50_400)
        #expect(bench.lines == ["leak Sheet"])
        bench.wait(200)
        #expect(bench.lines == ["leak Sheet", "leak Page"])
        withExtendedLifetime((page, sheet)) {}
    }

    @Test func `the background does not count`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.wait(500)
        bench.detector.pause()
        bench.wait(3_600_000)
        #expect(bench.lines.isEmpty)
        bench.detector.resume()
        bench.wait(900)
        #expect(bench.lines.isEmpty)
        bench.wait(200)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `what is expected in the background waits for the foreground`() {
        let page = Page()
        bench.detector.pause()
        bench.detector.expectDeallocation(of: page)
        bench.wait(60_000)
        #expect(bench.lines.isEmpty)
        bench.detector.resume()
        bench.wait(1_600)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    /// The main thread hangs for four seconds, and the object goes 1.2 s after that.
    @Test func `a blocked queue does not eat the grace period`() {
        var page: Page? = Page()
        bench.detector.expectDeallocation(of: page!)
        bench.wait(1_100, stall: 4_000)
        bench.wait(1_100)
        #expect(bench.lines.isEmpty)
        page = nil
        bench.wait(10_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `an object that is ignored is never told, and its place in memory is free for others`() {
        let page = Page()
        bench.detector.ignore(page)
        bench.detector.expectDeallocation(of: page)
        bench.wait(10_000)
        #expect(bench.lines.isEmpty)
        // Of a thousand new objects some get the place of one that went.
        for _ in 0..<1_000 { bench.detector.ignore(Page()) }
        let pages = (0..<100).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        bench.wait(10_000)
        #expect(bench.lines.count == 100)
        withExtendedLifetime((page, pages)) {}
    }

    @Test func `what is said to be in use is expected no more`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.wait(700)
        bench.detector.cameBack(page)
        bench.wait(10_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts == LeakDetector.Counts())
        bench.detector.expectDeallocation(of: page)
        bench.wait(10_000)
        #expect(bench.lines == ["leak Page"], "what is expected after that counts")
        bench.detector.cameBack(page)
        bench.wait(0)
        #expect(bench.lines == ["leak Page", "came back Page 8500"])
        #expect(bench.detector.counts.cameBack == 1)
        bench.detector.expectDeallocation(of: page)
        bench.wait(10_000)
        #expect(bench.lines.count == 3, "it may leak again")
        withExtendedLifetime(page) {}
    }

    @Test func `what is kept by an object that was reported is not, until that one went`() {
        final class Owner {
            let page = Page()
        }
        var owner: Owner? = Owner()
        let page = owner!.page
        bench.detector.expectDeallocation(of: page, owner: owner)
        bench.detector.expectDeallocation(of: owner!)
        bench.wait(5_000)
        #expect(bench.lines == ["leak Owner"])
        owner = nil
        bench.wait(10_000)
        #expect(bench.lines.map { $0.prefix(9) } == ["leak Owne", "freed Own", "leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `beyond the cap what is expected is dropped and counted`() {
        var limits = LeakDetector.Limits()
        limits.outstanding = 10
        let bench = Bench(limits: limits)
        for _ in 0..<15 { bench.detector.expectDeallocation(of: Page()) }
        #expect(bench.detector.counts.dropped == 5)
        bench.wait(2_000)
        #expect(bench.detector.counts.outstanding == 0)
        #expect(bench.detector.counts.checked == 10)
    }
}

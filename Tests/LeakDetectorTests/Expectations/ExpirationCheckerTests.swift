import Dispatch
import LeakMessage
import Testing
import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@testable import LeakDetector

/// Tests checks of real objects, with a clock that the tests advance.
@Suite struct ExpirationCheckerTests {
    private let bench = Bench()

    @Test func `an object that stays is reported after its grace period and a second check`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 1_499)
        #expect(bench.lines.isEmpty)
        bench.advance(by: 1)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `without waiting objects there are no wake-ups`() {
        bench.advance(by: 3_600_000)
        #expect(bench.clock.wakeUpCount.with { $0 } == 0)
        bench.detector.expectDeallocation(of: Page())
        bench.advance(by: 3_600_000)
        #expect(bench.clock.wakeUpCount.with { $0 } == 1)
        #expect(bench.clock.timers == (0, 1))
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `objects that are due together cause one wake-up`() {
        for _ in 0..<1_000 { bench.detector.expectDeallocation(of: Page()) }
        bench.advance(by: 10_000)
        #expect(bench.clock.wakeUpCount.with { $0 } == 1)
        #expect(bench.detector.takeChecks().map(\.count) == [1_000])
    }

    @Test
    func `an object with a longer grace period is checked when it is due, even if others are due earlier`() {
        let (page, sheet) = (Page(), Sheet())
        bench.detector.expectDeallocation(of: page, after: 60)
        bench.detector.expectDeallocation(of: sheet, after: 0.05)
        bench.advance(by: 10_000)
        #expect(bench.lines == ["leak Sheet"])
        bench.advance(by: 50_400)
        #expect(bench.lines == ["leak Sheet"])
        bench.advance(by: 200)
        #expect(bench.lines == ["leak Sheet", "leak Page"])
        withExtendedLifetime((page, sheet)) {}
    }

    @Test func `time in the background is not part of the grace period`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 500)
        bench.detector.pause()
        bench.advance(by: 3_600_000)
        #expect(bench.lines.isEmpty)
        bench.detector.resume()
        bench.advance(by: 900)
        #expect(bench.lines.isEmpty)
        bench.advance(by: 200)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `an expectation that begins in the background is checked only in the foreground`() {
        let page = Page()
        bench.detector.pause()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 60_000)
        #expect(bench.lines.isEmpty)
        bench.detector.resume()
        bench.advance(by: 1_600)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    /// The queue hangs for four seconds, and the object is freed about a second after that.
    @Test func `time in which the queue is blocked is not part of the grace period`() {
        var page: Page? = Page()
        bench.detector.expectDeallocation(of: page!)
        bench.advance(by: 1_100, stall: 4_000)
        bench.advance(by: 1_100)
        #expect(bench.lines.isEmpty)
        page = nil
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.checked == 1)
    }

    @Test func `an ignored object is never reported, but new objects at addresses of freed ones are`() {
        let page = Page()
        bench.detector.ignore(page)
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
        // Some of a thousand new objects get the address of a deallocated object.
        for _ in 0..<1_000 { bench.detector.ignore(Page()) }
        let pages = (0..<100).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        bench.advance(by: 10_000)
        #expect(bench.lines.count == 100)
        withExtendedLifetime((page, pages)) {}
    }

    @Test func `an object that is marked as in use is not expected any more`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 700)
        bench.detector.cameBack(page)
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts == LeakDetector.Counts())
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 10_000)
        #expect(bench.lines == ["leak Page"], "a later expectation of the object counts")
        bench.detector.cameBack(page)
        bench.advance(by: 0)
        #expect(bench.lines == ["leak Page", "came back Page 8500"])
        #expect(bench.detector.counts.cameBack == 1)
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 10_000)
        #expect(bench.lines.count == 3, "it may leak again")
        withExtendedLifetime(page) {}
    }

    @Test func `parts of a reported object are not reported until it is freed`() {
        final class Owner {
            let page = Page()
        }
        var owner: Owner? = Owner()
        let page = owner!.page
        bench.detector.expectDeallocation(of: page, owner: owner)
        bench.detector.expectDeallocation(of: owner!)
        bench.advance(by: 5_000)
        #expect(bench.lines == ["leak Owner"])
        owner = nil
        bench.advance(by: 10_000)
        #expect(bench.lines.map { $0.prefix(9) } == ["leak Owne", "freed Own", "leak Page"])
        withExtendedLifetime(page) {}
    }

    /// Forty objects leak and are freed one after another. Freed memory is soon allocated again, so many of them have the same
    /// address.
    @Test func `an object is reported as freed even if another object already has its address`() {
        var last: Page?
        for _ in 0..<40 {
            last = nil
            last = Page()
            bench.detector.expectDeallocation(of: last!)
            bench.advance(by: 1_600)
        }
        last = nil
        bench.advance(by: 100_000)
        #expect(bench.lines.filter { $0 == "leak Page" }.count == 40)
        #expect(bench.lines.filter { $0.hasPrefix("freed") }.count == 40)
        #expect(bench.detector.counts.freed == 40)
    }

    @Test func `a freed owner is not mistaken for another object at its address`() {
        final class Owner {}
        let child = Page()
        var others: [Owner] = []
        do {
            let owner = Owner()
            bench.detector.ignore(owner)
            bench.detector.expectDeallocation(of: child, owner: owner)
        }
        for _ in 0..<1_000 { others.append(Owner()) }
        for other in others { bench.detector.ignore(other) }
        bench.advance(by: 5_000)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime((child, others)) {}
    }

    @Test func `many expectations with different times share one timer`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page, after: 86_400)
        for _ in 0..<100 {
            bench.detector.expectDeallocation(of: Page())
            bench.advance(by: 2_000)
        }
        #expect(bench.clock.timers == (1, 1))
        withExtendedLifetime(page) {}
    }

    @Test func `waiting objects cause no wake-ups in the background`() {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.detector.pause()
        bench.advance(by: 10_000)
        let woken = bench.clock.wakeUpCount.with { $0 }
        #expect(woken <= 1)
        bench.advance(by: 3_600_000)
        #expect(bench.clock.wakeUpCount.with { $0 } == woken)
        withExtendedLifetime(page) {}
    }

    /// The queue hangs for four seconds while another thread continues to expect objects.
    @Test
    func `time in which the queue is blocked is not part of the grace period of objects from other threads`()
    {
        var page: Page? = Page()
        bench.detector.expectDeallocation(of: page!)
        for _ in 0..<20 {
            bench.clock.block(for: 200)
            bench.detector.expectDeallocation(of: Page())
        }
        bench.advance(by: 900)
        #expect(bench.lines.isEmpty)
        page = nil
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
    }

    /// The time that an app's `deinit` takes during a check does not shorten the grace period of other objects.
    @Test func `a long check does not use up the grace period of other objects`() {
        final class Slow: Subject, @unchecked Sendable {
            // `Sendable` is unchecked: the object is used on one thread.
            let clock: VirtualClock
            init(_ clock: VirtualClock) { self.clock = clock }
            var object: AnyObject? { nil }
            func readState() -> ObjectState {
                clock.block(for: 10_000)
                return .gone
            }
            func description(in context: ExpectationContext) -> ObjectDescription {
                ObjectDescription(type: Slow.self)
            }
        }
        var page: Page? = Page()
        bench.detector.checkers.onAnyQueue.expect(
            subject: Slow(bench.clock), ExpectationContext(type: Slow.self), after: 0.1)
        bench.detector.expectDeallocation(of: page!)
        bench.advance(by: 100)
        bench.advance(by: 500)
        #expect(bench.lines.isEmpty)
        page = nil
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
    }

    /// A check can run the app's code: the `deinit` of an object, which may expect another object.
    @Test func `the detector holds no lock while it checks an object`() {
        final class Calling: Subject, @unchecked Sendable {
            // `@unchecked Sendable` is safe: no property changes after `init`.
            let detector: LeakDetector
            init(_ detector: LeakDetector) { self.detector = detector }
            var object: AnyObject? { nil }
            func readState() -> ObjectState {
                detector.expectDeallocation(of: Page())
                return .gone
            }
            func description(in context: ExpectationContext) -> ObjectDescription {
                ObjectDescription(type: Calling.self)
            }
        }
        bench.detector.checkers.onAnyQueue.expect(
            subject: Calling(bench.detector), ExpectationContext(type: Calling.self), after: 0)
        bench.advance(by: 10_000)
        #expect(bench.detector.counts.checked == 2)
    }

    @Test func `the reported waiting time does not depend on when the check ran`() throws {
        let page = Page()
        bench.advance(by: 50)
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 5_000)
        let waited = try #require(bench.reports.first?.waitedMilliseconds)
        #expect((1_450...1_600).contains(waited))
        withExtendedLifetime(page) {}
    }

    @Test func `a stopped detector reports nothing and accepts no expectations`() {
        let pages = [Page(), Page()]
        bench.detector.expectDeallocation(of: pages[0])
        bench.advance(by: 2_000)
        bench.detector.expectDeallocation(of: pages[1])
        bench.detector.stop()
        bench.detector.expectDeallocation(of: pages[1])
        bench.advance(by: 100_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.detector.counts.outstanding == 0)
        #expect(bench.detector.counts.leaked == 1)
        #expect(bench.clock.timers.set == 0)
        withExtendedLifetime(pages) {}
    }

    @Test func `a session never has a negative number of leaks`() throws {
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        #expect(bench.detector.takeSession()?.leaks == 1)
        bench.detector.ignore(page)
        bench.detector.expectDeallocation(of: Page())
        bench.advance(by: 2_000)
        #expect(bench.detector.takeSession()?.leaks == 0)
        withExtendedLifetime(page) {}
    }

    @Test func `a detector that is stopped during a check does nothing more`() {
        final class Stopping: Subject, @unchecked Sendable {
            // `@unchecked Sendable` is safe: no property changes after `init`.
            let detector: LeakDetector
            init(_ detector: LeakDetector) { self.detector = detector }
            var object: AnyObject? { nil }
            func readState() -> ObjectState {
                detector.stop()
                return .gone
            }
            func description(in context: ExpectationContext) -> ObjectDescription {
                ObjectDescription(type: Stopping.self)
            }
        }
        let pages = (0..<100).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        for _ in 0..<100 { bench.detector.expectDeallocation(of: Page()) }
        bench.detector.checkers.onAnyQueue.expect(
            subject: Stopping(bench.detector), ExpectationContext(type: Stopping.self), after: nil)
        bench.advance(by: 100_000)
        #expect(bench.lines.isEmpty)
        #expect(bench.detector.counts.outstanding == 0)
        #expect(bench.clock.timers.set == 0)
        withExtendedLifetime(pages) {}
    }

    @Test func `a detector reports nothing more after its own callback has stopped it`() {
        let stop = Guarded<(@Sendable () -> Void)?>(nil)
        let bench = Bench { _ in
            stop.with { $0 }?()
            return .report
        }
        let detector = bench.detector
        stop.with { $0 = { detector.stop() } }
        let pages = (0..<100).map { _ in Page() }
        for page in pages { detector.expectDeallocation(of: page) }
        bench.advance(by: 100_000)
        #expect(bench.findings.count == 1)
        stop.with { $0 = nil }
        withExtendedLifetime(pages) {}
    }

    /// The next screen gets the address of the freed screen, while an object that the first screen owned is still waiting.
    @Test func `a part whose owner was freed does not wait for another object at the owner's address`() {
        final class Owner {
            let room = [UInt8](repeating: 0, count: 3)
        }
        let children = (0..<200).map { _ in Page() }
        var owners: [Owner] = []
        for child in children.prefix(100) {
            let owner = Owner()
            bench.detector.expectDeallocation(of: child, owner: owner)
            bench.detector.expectDeallocation(of: owner)
        }
        for child in children.suffix(100) {
            owners.append(Owner())
            bench.detector.expectDeallocation(of: child, owner: owners.last)
        }
        bench.advance(by: 10_000)
        #expect(bench.lines.count == 200)
        withExtendedLifetime((children, owners)) {}
    }

    @Test func `if two objects own each other, one of them is reported`() {
        let pages = [Page(), Page()]
        bench.detector.expectDeallocation(of: pages[1], owner: pages[0])
        bench.detector.expectDeallocation(of: pages[0], owner: pages[1])
        bench.detector.expectDeallocation(of: pages[1], owner: pages[0])
        bench.advance(by: 10_000)
        #expect(bench.lines.count == 1, "one of them stands for both")
        #expect(bench.detector.counts.outstanding == 0)
        withExtendedLifetime(pages) {}
    }

    @Test func `when an owner comes back, its earlier parts are not reported, but parts expected later are`()
    {
        let (page, other, owner) = (Page(), Page(), Sheet())
        bench.detector.expectDeallocation(of: page, owner: owner)
        bench.detector.expectDeallocation(of: owner)
        bench.detector.cameBack(owner)
        #expect(bench.detector.counts.outstanding == 1)
        bench.detector.expectDeallocation(of: other, owner: owner)
        bench.advance(by: 10_000)
        #expect(bench.lines == ["leak Page"], "the page that was expected after the owner came back")
        withExtendedLifetime((page, other, owner)) {}
    }

    /// An owner that is deallocated inside the lock of the detector, or on the thread that calls `cameBack`, may hang the app.
    @Test func `an owner that one thread releases is freed there, even while another thread calls cameBack`()
    {
        final class Owner: Sendable {
            let home: String
            let foreign: Guarded<Int>
            init(_ home: String, _ foreign: Guarded<Int>) { (self.home, self.foreign) = (home, foreign) }
            deinit {
                if home != "\(pthread_self())" { foreign.with { $0 += 1 } }
            }
        }
        let (foreign, isDone) = (Guarded(0), Guarded(false))
        let bench = bench
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                let home = "\(pthread_self())"
                for round in 0..<20_000 {
                    let part = Page()
                    var owner: Owner? = Owner(home, foreign)
                    bench.detector.expectDeallocation(of: part, owner: owner)
                    // Varies the delay, so that the release coincides with every step of the other thread.
                    for _ in 0..<(round % 97 * 20) {}
                    owner = nil
                    bench.detector.cameBack(part)
                    if round % 20 == 0 { bench.advance(by: 2_000) }
                }
                isDone.with { $0 = true }
            } else {
                let (owner, page) = (Sheet(), Page())
                while !isDone.with({ $0 }) {
                    bench.detector.expectDeallocation(of: page, owner: owner)
                    bench.detector.cameBack(owner)
                }
            }
        }
        #expect(foreign.with { $0 } == 0)
    }

    /// While the queue is blocked, objects that a check retained cannot be released.
    @Test func `repeated lookups of an object retain it only once`() {
        let (owner, part, detail) = (Page(), Page(), Page())
        for _ in 0..<1_000 {
            bench.detector.expectDeallocation(of: detail, owner: part)
            bench.detector.expectDeallocation(of: part, owner: owner)
            bench.detector.cameBack(owner)
        }
        #expect((1...3).contains(bench.detector.checkers.onAnyQueue.retainedObjectCount))
        bench.advance(by: 1)
        #expect(bench.detector.checkers.onAnyQueue.retainedObjectCount == 0)
        withExtendedLifetime((owner, part, detail)) {}
    }

    /// Deallocated objects do not count towards the limit of ignored objects.
    @Test func `after 180,000 ignored objects were freed, another object can still be ignored`() {
        for _ in 0..<3 {
            var pages = (0..<60_000).map { _ in Page() }
            for page in pages { bench.detector.ignore(page) }
            pages = []
        }
        let sheet = Sheet()
        bench.detector.ignore(sheet)
        bench.detector.expectDeallocation(of: sheet)
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
        withExtendedLifetime(sheet) {}
    }

    @Test func `after 20,000 objects came back, the return of another object is still recorded`() {
        bench.detector.expectDeallocation(of: Page(), after: 600)
        let pages = (0..<20_000).map { _ in Page() }
        for page in pages { bench.detector.cameBack(page) }
        let sheet = Sheet()
        bench.detector.expectDeallocation(of: sheet)
        bench.detector.cameBack(sheet)
        bench.advance(by: 10_000)
        #expect(bench.lines.isEmpty)
        withExtendedLifetime((pages, sheet)) {}
    }

    /// The children were checked in the first session, in which their owner was reported instead of them.
    @Test func `a session in which checked objects are reported later has no more leaks than checks`() {
        var owner: Sheet? = Sheet()
        let children = [Page(), Page()]
        for child in children { bench.detector.expectDeallocation(of: child, owner: owner) }
        bench.detector.expectDeallocation(of: owner!)
        bench.advance(by: 5_000)
        #expect(bench.detector.takeSession()?.leaks == 1)
        owner = nil
        bench.advance(by: 100_000)
        let second = bench.detector.takeSession()
        #expect(second?.checks == 2 && second?.leaks == 2)
        #expect(bench.detector.takeSession() == nil)
        withExtendedLifetime(children) {}
    }
}

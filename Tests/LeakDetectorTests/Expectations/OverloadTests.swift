import Dispatch
import LeakMessage
import Testing

@testable import LeakDetector

/// More objects than the detector can expect at the same time.
@Suite struct OverloadTests {
    private let bench = Bench()

    private func bench(of outstanding: Int, checkedTypes: Int = 1_000) -> Bench {
        var limits = LeakDetector.Limits()
        limits.outstanding = outstanding
        limits.checkedTypes = checkedTypes
        return Bench(limits: limits)
    }

    @Test func `freed objects do not count towards the limit of expected objects`() throws {
        for _ in 0..<12_000 { bench.detector.expectDeallocation(of: Page()) }
        let sheet = Sheet()
        bench.detector.expectDeallocation(of: sheet)
        #expect(bench.detector.counts.dropped == 0)
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Sheet"])
        #expect(bench.detector.counts.checked == 12_001)
        let session = try #require(bench.detector.takeSession())
        #expect((session.checks, session.leaks, session.unseen) == (12_001, 1, 0))
        withExtendedLifetime(sheet) {}
    }

    @Test func `freed objects that had owners do not count towards the limit of expected objects`() {
        let bench = bench(of: 100)
        let owner = Sheet()
        for _ in 0..<1_000 { bench.detector.expectDeallocation(of: Page(), owner: owner) }
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 3_000)
        #expect(bench.lines == ["leak Page"])
        #expect(bench.detector.counts.dropped == 0)
        #expect(bench.detector.counts.checked == 1_001)
        withExtendedLifetime((owner, page)) {}
    }

    /// The thread that expects an object also removes freed objects, even while the detector's queue cannot run.
    @Test func `freed objects do not count towards the limit of expected objects while the queue is blocked`()
        async
    {
        let queue = DispatchQueue(label: "blocked")
        queue.suspend()
        let (leaks, told) = AsyncStream.makeStream(of: String.self)
        let detector = LeakDetector(queue: queue) { told.yield($0.className ?? "") }
        for _ in 0..<12_000 { detector.expectDeallocation(of: Page()) }
        let sheet = Sheet()
        detector.expectDeallocation(of: sheet)
        #expect(detector.counts.dropped == 0)
        queue.resume()
        for await name in leaks {
            #expect(name == "LeakDetectorTests.Sheet")
            break
        }
        withExtendedLifetime(sheet) {}
    }

    @Test func `if too many objects leak, a fair sample is reported and all other leaks are counted`() throws
    {
        let bench = bench(of: 1_000)
        let pages = (0..<20_000).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        #expect(bench.detector.counts.outstanding <= 1_000)
        bench.advance(by: 2_000)
        let counts = bench.detector.counts
        // The reported leaks fill at least a quarter of the limit of 1,000 expected objects.
        #expect((250...1_000).contains(counts.leaked))
        #expect(counts.leaked + counts.dropped == 20_000)
        // Early and late objects are reported equally often: the count of each quarter is within six standard deviations.
        let places = Dictionary(uniqueKeysWithValues: pages.enumerated().map { (ObjectIdentifier($1), $0) })
        let told = bench.findings.compactMap { $0.object.flatMap { places[ObjectIdentifier($0)] } }
        #expect(told.count == counts.leaked)
        let quarter = Double(told.count) / 4
        for part in 0..<4 {
            let count = told.count { $0 / 5_000 == part }
            #expect(abs(Double(count) - quarter) < 6 * quarter.squareRoot(), "part \(part)")
        }
        let session = try #require(bench.detector.takeSession())
        #expect(session.unseen == counts.dropped)
        #expect(bench.detector.takeChecks().map(\.unseen) == [counts.dropped])
        withExtendedLifetime(pages) {}
    }

    @Test func `after an overload all new expectations are checked`() {
        let bench = bench(of: 100)
        let crowd = (0..<2_000).map { _ in Page() }
        for page in crowd { bench.detector.expectDeallocation(of: page) }
        bench.advance(by: 10_000)
        let before = bench.detector.counts
        let pages = (0..<100).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        bench.advance(by: 10_000)
        #expect(bench.detector.counts.leaked == before.leaked + 100)
        #expect(bench.detector.counts.dropped == before.dropped)
        withExtendedLifetime((crowd, pages)) {}
    }

    @Test func `a session says how many objects were left out, even if no object was checked`() throws {
        let bench = bench(of: 0)
        for _ in 0..<7 { bench.detector.expectDeallocation(of: Page()) }
        let session = try #require(bench.detector.takeSession())
        #expect((session.checks, session.leaks, session.unseen) == (0, 0, 7))
        #expect(bench.detector.takeSession() == nil)
    }

    @Test func `left-out objects of classes beyond the limit of classes are counted together as class other`()
    {
        let bench = bench(of: 0, checkedTypes: 1)
        for _ in 0..<3 { bench.detector.expectDeallocation(of: Page()) }
        for _ in 0..<4 { bench.detector.expectDeallocation(of: Sheet()) }
        #expect(
            bench.detector.takeChecks() == [
                ClassChecks(className: "LeakDetectorTests.Page", count: 0, unseen: 3),
                ClassChecks(className: "other", count: 0, unseen: 4),
            ])
        #expect(bench.detector.takeChecks().isEmpty)
    }

    @Test
    func `objects that an early check retained are released on the queue, and are not reported as leaks`() {
        let bench = bench(of: 8)
        weak var trace: Page?
        do {
            let pages = (0..<8).map { _ in Page() }
            trace = pages[0]
            for page in pages { bench.detector.expectDeallocation(of: page, after: 0) }
            bench.advance(by: 100)
            // All eight objects wait for their second check.
            for _ in 0..<20 { bench.detector.expectDeallocation(of: Page()) }
            bench.clock.block(for: 10_000)
        }
        bench.advance(by: 10_000)
        #expect(trace == nil)
        #expect(bench.lines.isEmpty)
    }

    @Test func `objects from eight threads are counted exactly, even under overload`() {
        final class Item: Sendable {}
        let bench = bench(of: 1_000)
        let detector = bench.detector
        let items = (0..<8).map { _ in (0..<2_000).map { _ in Item() } }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for item in items[thread] {
                detector.expectDeallocation(of: item)
                detector.expectDeallocation(of: Item())
            }
        }
        bench.advance(by: 10_000)
        let counts = detector.counts
        #expect(counts.outstanding == 0)
        #expect(counts.checked + counts.dropped == 32_000)
        withExtendedLifetime(items) {}
    }
}

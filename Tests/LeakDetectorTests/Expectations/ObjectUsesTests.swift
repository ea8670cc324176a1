import Testing

@testable import LeakDetector

@Suite struct ObjectUsesTests {
    private let objects = (0...ObjectUses.limit).map { _ in Object() }
    private func identity(_ index: Int) -> ObjectIdentifier { ObjectIdentifier(objects[index]) }

    private final class Object {}

    private func fullUses(at now: Int) -> ObjectUses {
        var uses = ObjectUses()
        for index in 0..<ObjectUses.limit {
            uses.add(identity(index), index, at: now, forgettingAfter: 1_000)
        }
        return uses
    }

    @Test func `at the limit of recorded uses, only objects that are already recorded are updated`() {
        var uses = fullUses(at: 0)
        uses.add(identity(7), 200_000, at: 1, forgettingAfter: 1_000)
        uses.add(identity(ObjectUses.limit), 200_001, at: 1, forgettingAfter: 1_000)
        #expect(uses.sequence(of: identity(7)) == 200_000)
        #expect(uses.sequence(of: identity(ObjectUses.limit)) == nil)
        #expect(uses.lastUnrecordedSequence == 200_001)
    }

    @Test func `an object whose use may be unrecorded is not reported, and is counted as dropped`() {
        let bench = Bench()
        let pages = (0..<ObjectUses.limit).map { _ in Object() }, page = Page(), waiting = Page()
        bench.detector.expectDeallocation(of: page)
        for page in pages { bench.detector.cameBack(page) }
        bench.detector.cameBack(page)
        bench.detector.expectDeallocation(of: waiting)
        bench.advance(by: 5_000)
        #expect(bench.lines == ["leak Page"], "the page that was expected after the use")
        #expect(bench.detector.counts.dropped == 1)
        #expect(bench.detector.counts.outstanding == 0)
        withExtendedLifetime((pages, page, waiting)) {}
    }

    @Test func `at the limit of recorded uses, old uses are removed to make room for a new use`() {
        var uses = fullUses(at: 0)
        uses.add(identity(ObjectUses.limit), 200_000, at: 1_001, forgettingAfter: 1_000)
        #expect(uses.sequence(of: identity(ObjectUses.limit)) == 200_000)
        #expect(uses.sequence(of: identity(0)) == nil)
    }

    /// With a removal at each use, this test would take minutes.
    @Test func `a million uses beyond the limit of recorded uses take little time`() {
        var uses = fullUses(at: 0)
        for _ in 0..<1_000_000 { uses.add(identity(ObjectUses.limit), 1, at: 50, forgettingAfter: 1_000) }
        #expect(uses.sequence(of: identity(ObjectUses.limit)) == nil)
    }
}

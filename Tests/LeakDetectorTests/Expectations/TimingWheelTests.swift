import Testing

@testable import LeakDetector

@Suite struct TimingWheelTests {
    @Test(arguments: [
        (0, 0), (1, 100), (99, 100), (100, 100), (101, 200), (6_400, 6_400), (100_000_050, 100_000_100),
    ])
    func `a time is rounded up to the next tick`(due: Int, tick: Int) {
        var ring = TimingWheel<String>()
        ring.insert("a", dueAt: due)
        #expect(ring.nextDue == tick)
        #expect(ring.takeDue(at: tick - 1).isEmpty)
        #expect(ring.takeDue(at: tick) == ["a"])
        #expect(ring.nextDue == nil)
        #expect(ring.count == 0)
    }

    @Test func `what is due later in the same bucket stays`() {
        var ring = TimingWheel<Int>()
        for round in [2, 0, 1] { ring.insert(round, dueAt: 500 + round * 6_400) }
        #expect(ring.takeDue(at: 500) == [0])
        #expect(ring.nextDue == 6_900)
        #expect(ring.takeDue(at: 6_899).isEmpty)
        #expect(ring.takeDue(at: 6_900) == [1])
        #expect(ring.takeDue(at: 1_000_000) == [2])
    }

    @Test func `what became due long ago comes in order of time`() {
        var ring = TimingWheel<Int>()
        let times = [9_000, 100, 6_500, 6_400, 300, 20_000, 12_900]
        for time in times { ring.insert(time, dueAt: time) }
        #expect(ring.takeDue(at: 13_000) == [100, 300, 6_400, 6_500, 9_000, 12_900])
        #expect(ring.nextDue == 20_000)
        #expect(ring.count == 1)
    }

    @Test func `what is put in late is due with the next tick`() {
        var ring = TimingWheel<String>()
        _ = ring.takeDue(at: 10_000)
        ring.insert("late", dueAt: 3)
        #expect(ring.nextDue == 10_100)
        #expect(ring.takeDue(at: 10_100) == ["late"])
    }

    /// Compares the wheel with a plain list that is searched each time.
    @Test func `gives what a sorted list gives`() {
        var random = SystemRandomNumberGenerator()
        var ring = TimingWheel<Int>()
        var list: [Int: Int] = [:]
        var now = 0
        for number in 0..<5_000 {
            let due = now + Int.random(in: 0...20_000, using: &random)
            ring.insert(number, dueAt: due)
            list[number] = (due + 99) / 100 * 100
            now += Int.random(in: 0...60, using: &random)
            let taken = ring.takeDue(at: now)
            for number in taken {
                let due = list.removeValue(forKey: number) ?? .max
                // An element inserted at the tick that was just taken waits for the next one.
                #expect(due <= now)
            }
        }
        now += 100
        _ = ring.takeDue(at: now).map { list.removeValue(forKey: $0) }
        #expect(list.values.allSatisfy { $0 > now })
        #expect(ring.count == list.count)
        #expect(ring.nextDue == list.values.min())
    }
}

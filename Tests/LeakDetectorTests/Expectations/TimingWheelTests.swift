import Testing

@testable import LeakDetector

@Suite struct TimingWheelTests {
    @Test(arguments: [
        (0, 0), (1, 100), (99, 100), (100, 100), (101, 200), (6_400, 6_400), (100_000_050, 100_000_100),
    ])
    func `the due time in the timing wheel is rounded up to the next tick`(due: Int, tick: Int) {
        var wheel = TimingWheel<String>()
        wheel.insert("a", dueAt: due)
        #expect(wheel.nextDue == tick)
        #expect(wheel.takeDue(at: tick - 1).isEmpty)
        #expect(wheel.takeDue(at: tick) == ["a"])
        #expect(wheel.nextDue == nil)
        #expect(wheel.count == 0)
    }

    @Test func `elements that are due later stay in their bucket of the timing wheel`() {
        var wheel = TimingWheel<Int>()
        for round in [2, 0, 1] { wheel.insert(round, dueAt: 500 + round * 6_400) }
        #expect(wheel.takeDue(at: 500) == [0])
        #expect(wheel.nextDue == 6_900)
        #expect(wheel.takeDue(at: 6_899).isEmpty)
        #expect(wheel.takeDue(at: 6_900) == [1])
        #expect(wheel.takeDue(at: 1_000_000) == [2])
    }

    @Test func `elements of the timing wheel that are long overdue are returned in order of time`() {
        var wheel = TimingWheel<Int>()
        let times = [9_000, 100, 6_500, 6_400, 300, 20_000, 12_900]
        for time in times { wheel.insert(time, dueAt: time) }
        #expect(wheel.takeDue(at: 13_000) == [100, 300, 6_400, 6_500, 9_000, 12_900])
        #expect(wheel.nextDue == 20_000)
        #expect(wheel.count == 1)
    }

    @Test func `elements that are overdue when they are inserted are due at the timing wheel's next tick`() {
        var wheel = TimingWheel<String>()
        _ = wheel.takeDue(at: 10_000)
        wheel.insert("late", dueAt: 3)
        #expect(wheel.nextDue == 10_100)
        #expect(wheel.takeDue(at: 10_100) == ["late"])
    }

    /// Compares the wheel with a plain list that is searched each time.
    @Test func `the timing wheel returns the same elements as a sorted list`() {
        var random = SystemRandomNumberGenerator()
        var wheel = TimingWheel<Int>()
        var list: [Int: Int] = [:]
        var now = 0
        for number in 0..<5_000 {
            let due = now + Int.random(in: 0...20_000, using: &random)
            wheel.insert(number, dueAt: due)
            list[number] = (due + 99) / 100 * 100
            now += Int.random(in: 0...60, using: &random)
            let taken = wheel.takeDue(at: now)
            for number in taken {
                let due = list.removeValue(forKey: number) ?? .max
                // An element inserted at the tick that was just taken waits for the next tick.
                #expect(due <= now)
            }
        }
        now += 100
        _ = wheel.takeDue(at: now).map { list.removeValue(forKey: $0) }
        #expect(list.values.allSatisfy { $0 > now })
        #expect(wheel.count == list.count)
        #expect(wheel.nextDue == list.values.min())
    }
}

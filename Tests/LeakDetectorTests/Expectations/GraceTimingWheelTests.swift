import LeakSeededRandom
import Testing

@testable import LeakDetector

@Suite struct GraceTimingWheelTests {
    private func call(_ grace: Int, line: UInt = 1, path: [String] = [], reason: String? = nil)
        -> CallTable.Call
    {
        CallTable.Call(
            context: ExpectationContext(type: Page.self, path: path, reason: reason, file: "f", line: line),
            graceMilliseconds: grace)
    }

    /// Compares the wheel with a plain list, for grace periods below, above and far beyond the 3.2 seconds that the wheel
    /// spans.
    @Test(arguments: 1...20)
    func `the timing wheel returns the same objects as a list`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var wheel = GraceTimingWheel()
        var list: [(due: Int, line: UInt)] = []
        var pages: [Page] = []
        var now = 0
        for step in 1...400 {
            let grace = [0, 1, 99, 100, 101, 900, 6_399, 6_400, 6_500, 70_000].randomElement(using: &random)!
            pages.append(Page())
            let due = wheel.insert(pages.last!, call(grace, line: UInt(step)), at: now)
            #expect(due >= now + grace && due % 100 == 0)
            list.append((due, UInt(step)))
            now += Int.random(in: 0...300, using: &random)
            #expect(wheel.nextDue == list.map(\.due).min())
            let dueLines = list.filter { $0.due <= now }.map(\.line).sorted()
            list.removeAll { $0.due <= now }
            var taken: [UInt] = []
            for chunk in wheel.takeDue(at: now) {
                for index in 0..<chunk.count {
                    #expect(chunk.object(at: index) != nil)
                    let callNumber = chunk.callNumber(at: index)
                    taken.append(wheel.call(callNumber).context.line)
                    wheel.release(callNumber, count: 1)
                }
            }
            #expect(taken.sorted() == dueLines)
        }
        withExtendedLifetime(pages) {}
    }

    @Test func `a weak reference of the timing wheel has 16 bytes`() {
        #expect(MemoryLayout<WeakChunk.Element>.stride == 16)
    }

    @Test func `equal expectDeallocation calls are stored once, and different calls separately`() {
        var table = CallTable()
        let calls = [
            call(1), call(2), call(1, line: 2), call(1, path: ["A"]), call(1, path: ["A", "B"]),
            call(1, reason: "popped"),
        ]
        let callNumbers = calls.map { table.number(of: $0) }
        #expect(Set(callNumbers).count == calls.count)
        #expect(calls.map { table.number(of: $0) } == callNumbers)
        for (callNumber, call) in zip(callNumbers, calls) { #expect(table[callNumber] == call) }
    }

    /// Calls whose paths are always different do not fill the memory.
    @Test func `the call table gives the number of an unused entry to a later expectDeallocation call`() {
        var table = CallTable()
        var callNumbers: Set<UInt32> = []
        for number in 0..<10_000 {
            let callNumber = table.number(of: call(1, path: ["\(number)"]))
            callNumbers.insert(callNumber)
            table.release(callNumber, count: 1)
        }
        #expect(callNumbers.count < 600)
    }
}

import Testing

@testable import LeakStore

@Suite struct ReservoirTests {
    @Test func `the reservoir keeps every report with the same chance`() {
        let (reports, seeds) = (160, 2_000)
        var kept = [Int](repeating: 0, count: reports)
        for seed in 0..<seeds {
            let reservoir = Reservoir(seed: UInt64(seed))
            var slots = [Int](repeating: 0, count: Reservoir.size)
            for ordinal in 1...reports {
                if let slot = reservoir.slot(forReport: ordinal, of: LeakID(high: 5, low: 9)) {
                    slots[slot] = ordinal
                }
            }
            for ordinal in slots { kept[ordinal - 1] += 1 }
        }
        // Each report is kept in a tenth of the runs: 200 times, with a standard deviation of 13.
        #expect(kept.allSatisfy { abs($0 - seeds / 10) < 70 })
    }

    @Test func `the first sixteen reports are stored in the reservoir in order`() {
        let slots = (1...16).map { Reservoir(seed: 1).slot(forReport: $0, of: LeakID(high: 1, low: 1)) }
        #expect(slots == Array(0..<16))
    }
}

import LeakStatistics
import Testing

/// Proportions, their intervals and Fisher's test: cases that can be checked by hand, and edge cases.
@Suite struct ProportionTests {
    @Test(arguments: [(0.0144, 207), (0.144, 20), (0.5, 5), (1, 1), (0.000_1, 29_956)])
    func `enough trials without an event exclude a former rate with 95 percent confidence`(
        rate: Double, trials: Int
    ) {
        #expect(Proportion.trialsWithoutEvents(excluding: rate, confidence: 0.95) == trials)
    }

    @Test func `no number of trials without an event excludes a former rate of zero`() {
        #expect(Proportion.trialsWithoutEvents(excluding: 0, confidence: 0.95) == nil)
    }

    @Test func `without events the upper bound is about three divided by the number of trials`() {
        let bound = Proportion(events: 0, trials: 4_812).exactUpperBound(confidence: 0.95)
        #expect(abs(bound - 0.000_622_4) < 0.000_000_1)
    }

    @Test func `without trials every interval is from 0 to 1, and no rise is found`() {
        let none = Proportion(events: 0, trials: 0)
        #expect(none.wilsonInterval(confidence: 0.95) == 0...1)
        #expect(none.exactInterval(confidence: 0.95) == 0...1)
        #expect(none.exactUpperBound(confidence: 0.95) == 1)
        let some = Proportion(events: 3, trials: 10)
        #expect(FisherTest.probabilityOfRise(from: none, to: some) == 1)
        #expect(FisherTest.probabilityOfRise(from: some, to: none) == 1)
    }

    @Test
    func
        `the interval of dependent trials is that of fewer independent trials, whose number may be fractional`()
    {
        let few = Proportion(events: 6, trials: 60).wilsonInterval(confidence: 0.95)
        #expect(Proportion(events: 60, trials: 600).wilsonInterval(confidence: 0.95, effect: 10) == few)
        // One of 64 devices has all leaks.
        let interval = Proportion(events: 100, trials: 6_400).wilsonInterval(confidence: 0.95, effect: 101.6)
        #expect(interval.lowerBound > 0.001 && interval.upperBound > 0.08)
    }

    @Test func `more events than trials are treated as one event in each trial, and negative numbers as 0`() {
        #expect(Proportion(events: 12, trials: 10) == Proportion(events: 10, trials: 10))
        #expect(Proportion(events: -1, trials: -5) == Proportion(events: 0, trials: 0))
    }

    /// R. A. Fisher, The Design of Experiments (1935), chapter II.
    @Test
    func
        `Fisher's exact test gives 1/70 for the example in Fisher's book, a taster who names eight cups correctly`()
    {
        let p = FisherTest.probabilityOfRise(
            from: Proportion(events: 0, trials: 4), to: Proportion(events: 4, trials: 4))
        #expect(abs(p - 1.0 / 70) < 1e-12)
    }

    @Test func `Fisher's test is exact for millions of trials too`() {
        let first = Proportion(events: 50_000, trials: 100_000_000)
        let same = FisherTest.probabilityOfRise(from: first, to: first)
        #expect((0.49...0.52).contains(same))
        let doubled = Proportion(events: 100_000, trials: 100_000_000)
        #expect(FisherTest.probabilityOfRise(from: first, to: doubled) < 1e-300)
    }
}

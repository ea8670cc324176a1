import LeakSeededRandom
import Testing

@testable import LeakStatistics

/// The test for a rise of the rates of several classes together.
@Suite struct StratifiedCountsTests {
    private func counts(events: Int, trials: Int, _ random: inout SeededRandom) -> BucketedCounts {
        var counts = BucketedCounts()
        for number in 0..<trials {
            counts.add(events: number < events ? 1 : 0, trials: 1, bucket: random.below(64))
        }
        return counts
    }

    @Test func `for one class, the test of several classes gives the probability of the test of one class`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            let first = counts(events: random.number(0...30), trials: random.number(30...900), &random)
            let second = counts(events: random.number(0...30), trials: random.number(30...900), &random)
            let expected = BucketedCounts.probabilityOfRise(from: first, to: second)
            let found = StratifiedCounts([.init(first: first, second: second)]).probabilityOfRise
            // Above 5 % the exact test is skipped.
            #expect(abs(found - expected) < 1e-12 || (expected > 0.05 && found == 1))
        }
    }

    @Test func `Fisher's test of very many events is bounded in time, and close to the exact test`() {
        let (first, second) = (
            Proportion(events: 1_000_000, trials: 100_000_000),
            Proportion(events: 1_004_000, trials: 100_000_000)
        )
        let exact = FisherTest.probabilityOfRise(from: first, to: second)
        let normal = FisherTest.probabilityOfRise(from: [first], to: [second])
        #expect(exact > 0.001 && exact < 0.01 && abs(normal / exact - 1) < 0.01)
        // The exact sums would have more terms than fit into memory.
        let huge = Proportion(events: 1 << 51, trials: 1 << 52)
        let strata = [Proportion](repeating: huge, count: 100)
        #expect(abs(FisherTest.probabilityOfRise(from: huge, to: huge) - 0.5) < 0.01)
        #expect(abs(FisherTest.probabilityOfRise(from: strata, to: strata) - 0.5) < 0.01)
    }

    @Test func `Fisher's test of several classes adds up all combinations of events`() {
        /// The probability of `k` events in the second proportion, by Vandermonde's identity.
        func probability(_ k: Int, of events: Int, _ n: Int, _ m: Int) -> Double {
            func choose(_ n: Int, _ k: Int) -> Double {
                k < 0 || k > n ? 0 : (0..<k).reduce(1) { $0 * Double(n - $1) / Double($1 + 1) }
            }
            return choose(m, k) * choose(n, events - k) / choose(n + m, events)
        }
        var random = SeededRandom(seed: 6)
        for _ in 0..<100 {
            let pairs = (0..<3).map { _ in
                let trials = (random.number(1...12), random.number(1...12))
                return (
                    Proportion(events: random.number(0...trials.0), trials: trials.0),
                    Proportion(events: random.number(0...trials.1), trials: trials.1)
                )
            }
            let observed = pairs.reduce(0) { $0 + $1.1.events }
            var expected = 0.0
            func add(_ index: Int, _ sum: Int, _ product: Double) {
                guard index < pairs.count else {
                    if sum >= observed { expected += product }
                    return
                }
                let (first, second) = pairs[index]
                for k in 0...second.trials {
                    add(
                        index + 1, sum + k,
                        product
                            * probability(k, of: first.events + second.events, first.trials, second.trials))
                }
            }
            add(0, 0, 1)
            let found = FisherTest.probabilityOfRise(from: pairs.map(\.0), to: pairs.map(\.1))
            #expect(abs(found - expected) < 1e-10)
            let alone = FisherTest.probabilityOfRise(from: [pairs[0].0], to: [pairs[0].1])
            #expect(abs(alone - FisherTest.probabilityOfRise(from: pairs[0].0, to: pairs[0].1)) < 1e-10)
        }
    }

    @Test func `users who open leaky screens more often do not cause a rise`() {
        var random = SeededRandom(seed: 7)
        let classes = StratifiedCounts([
            .init(
                first: counts(events: 200, trials: 1_000, &random),
                second: counts(events: 800, trials: 4_000, &random)),
            .init(
                first: counts(events: 40, trials: 4_000, &random),
                second: counts(events: 10, trials: 1_000, &random)),
        ])
        #expect(classes.probabilityOfRise == 1)
        #expect(
            FisherTest.probabilityOfRise(
                from: Proportion(events: 240, trials: 5_000), to: Proportion(events: 810, trials: 5_000))
                < 1e-9)
    }

    @Test func `the needed growth of trials suffices, and a smaller growth does not`() throws {
        func classes(_ trials: Int) -> StratifiedCounts {
            let buckets = { (number: Int) in [Int](repeating: number, count: BucketedCounts.bucketCount) }
            let stratum = StratifiedCounts.Stratum(
                first: BucketedCounts(events: buckets(1), trials: buckets(100)),
                second: BucketedCounts(events: buckets(0), trials: buckets(trials)))
            return StratifiedCounts([stratum, stratum])
        }
        func growth(_ trials: Int) throws -> Double {
            try #require(classes(trials).neededGrowth(minRise: 0.001, significance: 0.01, power: 0.95))
        }
        let needed = try growth(2)
        #expect(needed > 5)
        #expect(try growth(Int((2 * needed).rounded(.up)) + 1) == 1)
        #expect(try growth(Int(2 * needed) - 1) > 1)
        // A rise that the baseline's own checks cannot show is not found with any number of checks.
        #expect(classes(100).neededGrowth(minRise: 0.001, significance: 1e-60, power: 0.95) == nil)
    }
}

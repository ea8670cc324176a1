import LeakSeededRandom
import LeakStatistics
import Testing

/// The test for a rise of a rate, from counts in buckets of installs.
@Suite struct BucketedCountsTests {
    /// Returns the counts of a fleet of devices with different rates.
    ///
    /// - Parameter leaky: the share of devices that leak at every close; the others do not leak.
    private func fleet(
        devices: Int, closes: Int, leaky: Double, _ random: inout SeededRandom
    ) -> BucketedCounts {
        var counts = BucketedCounts()
        for _ in 0..<devices {
            let leaks = Double.random(in: 0..<1, using: &random) < leaky
            counts.add(
                events: leaks ? closes : 0, trials: closes,
                bucket: BucketedCounts.bucket(ofInstall: random.next()))
        }
        return counts
    }

    @Test func `devices that leak at every close cause few false alarms, but many in Fisher's test`() {
        var random = SeededRandom(seed: 3)
        var (alarms, naive) = (0, 0)
        for _ in 0..<1_000 {
            let first = fleet(devices: 200, closes: 20, leaky: 0.1, &random)
            let second = fleet(devices: 200, closes: 20, leaky: 0.1, &random)
            if BucketedCounts.probabilityOfRise(from: first, to: second) < 0.01 { alarms += 1 }
            if FisherTest.probabilityOfRise(from: first.total, to: second.total) < 0.01 { naive += 1 }
        }
        #expect(alarms <= 20)
        #expect(naive >= 200)
    }

    @Test func `a doubled rate on many devices is found`() {
        var random = SeededRandom(seed: 4)
        var found = 0
        for _ in 0..<200 {
            let first = fleet(devices: 1_500, closes: 2, leaky: 0.05, &random)
            let second = fleet(devices: 1_500, closes: 2, leaky: 0.1, &random)
            if BucketedCounts.probabilityOfRise(from: first, to: second) < 0.01 { found += 1 }
        }
        #expect(found >= 190)
    }

    @Test func `no rise is found if all counts are in one bucket, or if the rate falls`() {
        var (one, two) = (BucketedCounts(), BucketedCounts())
        one.add(events: 0, trials: 1_000, bucket: 5)
        two.add(events: 900, trials: 1_000, bucket: 5)
        #expect(BucketedCounts.probabilityOfRise(from: one, to: two) == 1)
        for bucket in 0..<64 {
            one.add(events: 10, trials: 100, bucket: bucket)
            two.add(events: 5, trials: 100, bucket: bucket)
        }
        two = BucketedCounts()
        for bucket in 0..<64 { two.add(events: bucket % 3, trials: 100, bucket: bucket) }
        #expect(BucketedCounts.probabilityOfRise(from: one, to: two) > 0.5)
    }

    @Test func `equal rates in every bucket leave the result of Fisher's test unchanged`() {
        var (one, two) = (BucketedCounts(), BucketedCounts())
        for bucket in 0..<64 {
            one.add(events: 1, trials: 100, bucket: bucket)
            two.add(events: 3, trials: 100, bucket: bucket)
        }
        let fisher = FisherTest.probabilityOfRise(from: one.total, to: two.total)
        #expect(BucketedCounts.probabilityOfRise(from: one, to: two) == fisher && fisher < 1e-6)
    }
}

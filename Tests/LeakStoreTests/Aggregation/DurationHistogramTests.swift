import LeakSeededRandom
import Testing

@testable import LeakStore

@Suite struct DurationHistogramTests {
    /// Half the width of a bucket: a bucket is at most as wide as a sixteenth of its lower bound.
    private static let maxRelativeError = 1.0 / 32

    @Test
    func `the median of a single duration differs from it by at most 1/32, at every position in its bucket`()
        throws
    {
        var durations = Array(0...2_000)
        for shift in 11..<35 {
            let power = 1 << shift
            for part in 0..<64 { durations += [power + power * part / 64, power + power * part / 64 - 1] }
        }
        for milliseconds in durations where milliseconds <= DurationHistogram.longestMilliseconds {
            var histogram = DurationHistogram()
            histogram.add(milliseconds: milliseconds)
            let median = try #require(histogram.percentile(0.5))
            #expect(abs(Double(median - milliseconds)) <= Self.maxRelativeError * Double(milliseconds))
        }
    }

    @Test func `two merged histograms equal one histogram of all their durations`() {
        var (one, other, both) = (DurationHistogram(), DurationHistogram(), DurationHistogram())
        for (milliseconds, count) in [(3, 2), (70, 1), (1_000, 9)] {
            one.add(milliseconds: milliseconds, count: count)
            both.add(milliseconds: milliseconds, count: count)
        }
        for (milliseconds, count) in [(0, 1), (70, 4), (9_000_000, 1)] {
            other.add(milliseconds: milliseconds, count: count)
            both.add(milliseconds: milliseconds, count: count)
        }
        one.merge(other)
        #expect(one == both && one.count == 18)
        one.merge(DurationHistogram())
        #expect(one == both)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `percentiles differ by at most 1/32 from those of the sorted durations`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var histogram = DurationHistogram()
        var all: [Int] = []
        for _ in 0..<2_000 {
            let duration =
                1 << Int.random(in: 0..<24, using: &random) + Int.random(in: 0..<5_000, using: &random)
            histogram.add(milliseconds: duration)
            all.append(duration)
        }
        all.sort()
        let percentiles = try #require(histogram.percentiles)
        for (given, rank) in [(percentiles.p50, 1_000), (percentiles.p90, 1_800)] {
            let exact = Double(all[rank - 1])
            #expect(abs(Double(given) - exact) <= Self.maxRelativeError * exact)
        }
        #expect(DurationHistogram(bytes: histogram.bytes) == histogram)
    }

    @Test
    func `the count of a histogram is the number of added durations, even if a duration is out of range`() {
        var histogram = DurationHistogram()
        #expect(histogram.percentiles == nil)
        histogram.add(milliseconds: 5, count: 90)
        histogram.add(milliseconds: 7_000_000, count: 10)
        histogram.add(milliseconds: -3, count: 0)
        histogram.add(milliseconds: .max, count: 1)
        #expect(histogram.count == 101)
        #expect(histogram.percentile(0.5) == 5)
        #expect(histogram.percentile(0.89) == 5)
    }

    @Test(arguments: [[0x80], [3], [3, 0], [3, 1, 0, 1], [0xFF, 0xFF, 0xFF, 0x7F, 1]] as [[UInt8]])
    func `bytes that are not a histogram of the current format are refused`(bytes: [UInt8]) {
        #expect(DurationHistogram(bytes: bytes) == nil)
    }
}

import Testing

@testable import LeakStore

@Suite struct DurationHistogramTests {
    @Test(arguments: [0, 1, 15, 31, 32, 33, 63, 64, 65, 999, 1_000, 14_000, 86_400_000, 31_622_400_000])
    func `gives one duration back within 5 %`(milliseconds: Int) throws {
        var histogram = DurationHistogram()
        histogram.add(milliseconds: milliseconds)
        let median = try #require(histogram.percentile(0.5))
        #expect(abs(Double(median - milliseconds)) <= 0.05 * Double(milliseconds))
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `percentiles are within 5 % of the sorted list's`(seed: UInt64) throws {
        var random = Seeded(state: seed)
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
            #expect(abs(Double(given) - exact) <= 0.05 * exact)
        }
        #expect(DurationHistogram(bytes: histogram.bytes) == histogram)
    }

    @Test func `counts as many as were added`() {
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
    func `refuses bytes that it did not write`(bytes: [UInt8]) {
        #expect(DurationHistogram(bytes: bytes) == nil)
    }
}

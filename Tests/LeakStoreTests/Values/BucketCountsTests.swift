import LeakSeededRandom
import Testing

@testable import LeakStore

@Suite struct BucketCountsTests {
    @Test(
        arguments: [
            ([:], 0), ([0: 1], 1), ([63: 1], 3), ([0: 1, 1: 2], 2), ([0: 1, 2: 1], 4), ([5: 300], 4),
        ] as [([Int: Int], Int)])
    func `bucket counts are stored in the expected number of bytes, and read back`(
        counts: [Int: Int], size: Int
    ) throws {
        let buckets = BucketCounts(counts.map { BucketCounts.Part(bucket: $0.key, count: $0.value) })
        #expect(buckets.bytes.count == size)
        #expect(try #require(BucketCounts(bytes: buckets.bytes)) == buckets)
    }

    @Test func `random bucket counts are read back from their bytes, and random bytes cause no crash`()
        throws
    {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            let parts = (0..<Int.random(in: 0...70, using: &random)).map { _ in
                BucketCounts.Part(
                    bucket: random.below(64),
                    count: Int.random(in: 0...(1 << random.below(40)), using: &random))
            }
            let counts = BucketCounts(parts)
            #expect(counts.total == parts.reduce(0) { $0 + $1.count })
            #expect(BucketCounts(bytes: counts.bytes) == counts)
            // Random bytes are read or refused, and never trap.
            _ = BucketCounts(bytes: (0..<random.below(80)).map { _ in UInt8(random.below(256)) })
        }
    }

    @Test func `bucket counts and their total never exceed the largest total`() {
        var counts = BucketCounts([.init(bucket: 3, count: .max), .init(bucket: 3, count: .max)])
        counts.add(counts)
        #expect(counts.counts[3] == Total.largest)
        #expect(counts.total == Total.largest)
    }

    @Test(
        arguments: [
            [0], [0, 64], [0, 63, 1], [UInt8](repeating: 1, count: 65), [0x80],
        ] as [[UInt8]])
    func `bytes that are not bucket counts of the current format are refused`(bytes: [UInt8]) {
        #expect(BucketCounts(bytes: bytes) == nil)
    }
}

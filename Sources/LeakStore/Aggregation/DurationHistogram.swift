/// A histogram of durations in milliseconds, precise to within 1/32 (3.2 %): 16 buckets for every power of two.
package struct DurationHistogram: Hashable, Sendable {
    /// 366 days; longer durations count as 366 days.
    static let longestMilliseconds = 366 * 24 * 3_600_000
    /// Each duration below this number of milliseconds has a bucket of its own.
    private static let exactBelow = 1 << (subBits + 1)
    /// Each power of two has 2^`subBits` buckets.
    private static let subBits = 4

    /// Bucket number and count, ascending by number.
    private var buckets: [(number: Int, count: Int)] = []

    package init() {}

    package static func == (one: Self, other: Self) -> Bool {
        one.buckets.elementsEqual(other.buckets) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for bucket in buckets {
            hasher.combine(bucket.number)
            hasher.combine(bucket.count)
        }
    }

    package mutating func add(milliseconds: Int, count: Int = 1) {
        guard count > 0 else { return }
        add(bucket: Self.bucket(of: min(max(milliseconds, 0), Self.longestMilliseconds)), count: count)
    }

    private mutating func add(bucket number: Int, count: Int) {
        let index = buckets.firstIndex { $0.number >= number } ?? buckets.count
        if index < buckets.count, buckets[index].number == number {
            buckets[index].count.addBounded(count)
        } else {
            buckets.insert((number, count), at: index)
        }
    }

    package mutating func merge(_ other: Self) {
        for bucket in other.buckets { add(bucket: bucket.number, count: bucket.count) }
    }

    /// Subtracts the counts of another histogram; no count becomes negative.
    package mutating func subtract(_ other: Self) {
        let counts = Dictionary(other.buckets.map { ($0.number, $0.count) }) { $1 }
        buckets = buckets.map { ($0.number, $0.count - (counts[$0.number] ?? 0)) }.filter { $0.count > 0 }
    }

    package var count: Int { buckets.reduce(into: 0) { $0.addBounded($1.count) } }

    /// Reduces all counts in proportion, so that their sum is `newCount`.
    ///
    /// - Parameter newCount: at most ``count``.
    package mutating func scale(to newCount: Int) {
        let counts = ForgottenReports.scaled(buckets.map(\.count), toSum: newCount)
        buckets = zip(buckets, counts).map { ($0.number, $1) }.filter { $0.count > 0 }
    }

    package var isEmpty: Bool { buckets.isEmpty }

    /// Returns the nearest-rank percentile in milliseconds; `nil` if the histogram is empty.
    ///
    /// - Parameter fraction: from 0 to 1.
    func percentile(_ fraction: Double) -> Int? {
        let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
        var cumulativeCount = 0
        for bucket in buckets {
            cumulativeCount.addBounded(bucket.count)
            if cumulativeCount >= rank { return Self.middle(of: bucket.number) }
        }
        return nil
    }

    package var percentiles: Percentiles? {
        guard let p50 = percentile(0.5), let p90 = percentile(0.9) else { return nil }
        return Percentiles(p50: p50, p90: p90)
    }

    /// The starts of the ranges that pages show, in milliseconds.
    private static let rangeStarts = [
        0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000, 3_600_000,
    ]

    /// Counts in the ranges that pages show, from the first to the last range with a count.
    package var ranges: [LeakDetail.LivedRange] {
        var counts = [Int](repeating: 0, count: Self.rangeStarts.count)
        for bucket in buckets {
            let middle = Self.middle(of: bucket.number)
            guard let range = Self.rangeStarts.lastIndex(where: { $0 <= middle }) else { continue }
            counts[range].addBounded(bucket.count)
        }
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 })
        else { return [] }
        return (first...last).map { index in
            LeakDetail.LivedRange(
                from: Self.rangeStarts[index],
                to: index + 1 < Self.rangeStarts.count ? Self.rangeStarts[index + 1] : nil,
                count: counts[index])
        }
    }

    /// The stored form of the histogram: for each bucket, its number minus the number of the previous bucket, and its count, as
    /// varints.
    package var bytes: [UInt8] {
        var writer = PackedWriter()
        var previous = 0
        for bucket in buckets {
            writer.append(bucket.number - previous)
            writer.append(bucket.count)
            previous = bucket.number
        }
        return writer.bytes
    }

    /// Parses ``bytes``; `nil` for invalid bytes.
    package init?(bytes: [UInt8]) {
        var reader = PackedReader(bytes)
        var number = 0
        while !reader.isAtEnd {
            guard let step = reader.number(), let count = reader.number(), count > 0 else { return nil }
            guard step > 0 || buckets.isEmpty, step <= Self.lastBucket - number else { return nil }
            number += step
            buckets.append((number, count))
        }
    }

    private static let lastBucket = bucket(of: longestMilliseconds)

    private static func bucket(of milliseconds: Int) -> Int {
        guard milliseconds >= exactBelow else { return milliseconds }
        let shift = Int.bitWidth - 1 - milliseconds.leadingZeroBitCount - subBits
        return shift << subBits + milliseconds >> shift
    }

    private static func middle(of bucket: Int) -> Int {
        guard bucket >= exactBelow else { return bucket }
        let shift = bucket >> subBits - 1
        return (bucket - shift << subBits) << shift + (1 << shift) / 2
    }
}

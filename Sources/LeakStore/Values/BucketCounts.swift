internal import LeakStatistics

/// Counts that are split into 64 buckets by a hash of the install, so that differences between devices can be measured.
///
/// A bucket holds many devices, so counts by bucket identify no install, and the erasure of an install leaves them as they are.
package struct BucketCounts: Hashable, Sendable {
    package static let bucketCount = BucketedCounts.bucketCount

    /// A count in one bucket.
    package struct Part: Hashable, Sendable {
        package var bucket: Int
        package var count: Int

        package init(bucket: Int, count: Int) {
            self.bucket = bucket
            self.count = count
        }
    }

    /// By bucket.
    package private(set) var counts = [Int](repeating: 0, count: bucketCount)

    package init() {}

    package init(_ parts: [Part]) {
        self.init()
        for part in parts { counts[part.bucket].addBounded(part.count) }
    }

    /// Returns the bucket of an install. Senders without an install id share the first one, as if they were one device.
    package static func bucket(ofInstall hash: UInt64?) -> Int {
        hash.map { BucketedCounts.bucket(ofInstall: $0) } ?? 0
    }

    package var total: Int { counts.reduce(into: 0) { $0.addBounded($1) } }

    package mutating func add(_ other: BucketCounts) {
        for bucket in counts.indices { counts[bucket].addBounded(other.counts[bucket]) }
    }

    /// Varints, where a zero is followed by the number of zeros after it; zeros at the end are left out.
    package var bytes: [UInt8] {
        var writer = PackedWriter()
        var bucket = 0
        while let next = counts[bucket...].firstIndex(where: { $0 > 0 }) {
            if next > bucket {
                writer.append(0)
                writer.append(next - bucket - 1)
            }
            writer.append(counts[next])
            bucket = next + 1
        }
        return writer.bytes
    }

    /// Reads ``bytes`` back; `nil` for anything else.
    package init?(bytes: [UInt8]) {
        var reader = PackedReader(bytes)
        var bucket = 0
        while !reader.isAtEnd {
            guard bucket < Self.bucketCount, let count = reader.number() else { return nil }
            if count > 0 {
                counts[bucket] = Total.bounded(count)
                bucket += 1
            } else {
                guard let zeros = reader.number(), zeros < Self.bucketCount - bucket else { return nil }
                bucket += zeros + 1
            }
        }
    }
}

extension [BucketCounts.Part] {
    /// Adds a count to its bucket. There are at most 64 parts, and mostly few.
    package mutating func add(_ count: Int, in bucket: Int) {
        if let known = lastIndex(where: { $0.bucket == bucket }) {
            self[known].count.addBounded(count)
        } else {
            append(BucketCounts.Part(bucket: bucket, count: count))
        }
    }

    package mutating func add(_ parts: [BucketCounts.Part]) {
        for part in parts { add(part.count, in: part.bucket) }
    }
}

internal import LeakStatistics

/// Counts that are split into 64 buckets by a hash of the install, so that differences between devices can be measured.
///
/// The counts contain no id and no hash of an install, so the erasure of an install does not change them.
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

    /// One count for each bucket.
    package private(set) var counts = [Int](repeating: 0, count: bucketCount)

    package init() {}

    package init(_ parts: [Part]) {
        self.init()
        for part in parts { counts[part.bucket].addBounded(part.count) }
    }

    /// Returns the bucket of an install. Senders without an install id share the first bucket, as if they were one device.
    package static func bucket(ofInstall hash: UInt64?) -> Int {
        hash.map { BucketedCounts.bucket(ofInstall: $0) } ?? 0
    }

    package var total: Int { counts.reduce(into: 0) { $0.addBounded($1) } }

    package mutating func add(_ other: BucketCounts) {
        for bucket in counts.indices { counts[bucket].addBounded(other.counts[bucket]) }
    }

    /// Subtracts counts; no count becomes negative.
    package mutating func subtract(_ other: BucketCounts) {
        for bucket in counts.indices { counts[bucket] = max(0, counts[bucket] - other.counts[bucket]) }
    }

    /// The counts in their stored form: varints, where a zero is followed by the number of zeros after it. Zeros at the end are
    /// left out.
    package var bytes: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.maxBytes) { buffer, size in
            size = unsafe counts.withUnsafeBufferPointer { counts in
                unsafe Self.write(counts, to: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    /// Parses ``bytes``; `nil` for bytes of another format.
    package init?(bytes: [UInt8]) {
        let isRead = unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe bytes.withUnsafeBytes { bytes in unsafe Self.add(bytes, to: counts) }
        }
        guard isRead else { return nil }
    }

    /// Maximum number of bytes of 64 counts: 8 for each count, and 2 for a run of zeros before it.
    static let maxBytes = bucketCount * 10

    /// Writes counts as ``bytes``, and returns the number of bytes.
    ///
    /// - Parameter buffer: has room for ``maxBytes``.
    @unsafe
    static func write(
        _ counts: UnsafeBufferPointer<Int>, to buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var size = 0
        func append(_ number: Int) {
            var remainingBits = UInt64(number)
            while remainingBits >= 0x80 {
                unsafe buffer[size] = UInt8(truncatingIfNeeded: remainingBits) | 0x80
                size += 1
                remainingBits >>= 7
            }
            unsafe buffer[size] = UInt8(remainingBits)
            size += 1
        }
        var zeros = 0
        for bucket in 0..<bucketCount {
            let count = unsafe counts[bucket]
            guard count > 0 else {
                zeros += 1
                continue
            }
            if zeros > 0 {
                append(0)
                append(zeros - 1)
                zeros = 0
            }
            append(count)
        }
        return size
    }

    /// Adds counts that ``write(_:to:)`` has written.
    ///
    /// - Returns: `false` for other bytes.
    @unsafe
    static func add(_ bytes: UnsafeRawBufferPointer, to counts: UnsafeMutableBufferPointer<Int>) -> Bool {
        var position = 0
        func number() -> Int? {
            var result: UInt64 = 0
            for shift in stride(from: 0, to: 63, by: 7) {
                guard position < bytes.count else { return nil }
                let byte = unsafe bytes[position]
                position += 1
                result |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte & 0x80 == 0 { return Int(result) }
            }
            return nil
        }
        var bucket = 0
        while position < bytes.count {
            guard bucket < bucketCount, let count = number() else { return false }
            if count > 0 {
                unsafe counts[bucket].addBounded(count)
                bucket += 1
            } else {
                guard let zeros = number(), zeros < bucketCount - bucket else { return false }
                bucket += zeros + 1
            }
        }
        return true
    }
}

extension [BucketCounts.Part] {
    /// Adds a count to its bucket. There are at most 64 parts, and mostly few.
    package mutating func add(_ count: Int, in bucket: Int) {
        if let index = lastIndex(where: { $0.bucket == bucket }) {
            self[index].count.addBounded(count)
        } else {
            append(BucketCounts.Part(bucket: bucket, count: count))
        }
    }

    package mutating func add(_ parts: [BucketCounts.Part]) {
        for part in parts { add(part.count, in: part.bucket) }
    }
}

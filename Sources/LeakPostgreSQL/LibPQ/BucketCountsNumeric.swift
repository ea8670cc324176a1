#if PostgreSQL
    internal import LeakStore

    /// ``BucketCounts`` as one `numeric`, which PostgreSQL adds up with `+`: twelve decimal digits for each bucket, the last bucket
    /// first.
    ///
    /// In binary form, a `numeric` begins with four 16-bit numbers: the number of digits, the power of the first digit, the
    /// sign and the scale. Sign and scale are 0 here. The digits of base 10,000 follow, three for each bucket.
    enum BucketCountsNumeric {
        private static let digitsPerBucket = 3
        private static let base = 10_000
        private static let headBytes = 8
        /// SQL for 10^12. Once all buckets of a number have this total together, no more counts are added to the number, because
        /// one bucket could overflow into the next. No app has nearly so many counts.
        static let totalLimitSQL = "1000000000000"
        /// SQL for 10^12, the base in which each bucket is one digit of the number.
        private static let bucketBase = "1\(String(repeating: "0", count: 12))::numeric"

        static func bytes(of counts: BucketCounts) -> [UInt8] {
            var bytes: [UInt8] = []
            let digits = BucketCounts.bucketCount * digitsPerBucket
            for number in [digits, digits - 1, 0, 0] { append(number, to: &bytes) }
            for count in counts.counts.reversed() {
                let count = min(count, base * base * base - 1)
                append(count / (base * base), to: &bytes)
                append(count / base % base, to: &bytes)
                append(count % base, to: &bytes)
            }
            return bytes
        }

        /// Reads a number in binary form, in which PostgreSQL leaves out the zero digits at both ends; `nil` for a number that
        /// does not represent ``BucketCounts``.
        static func counts(_ bytes: [UInt8]) -> BucketCounts? {
            guard bytes.count >= headBytes, bytes.count.isMultiple(of: 2) else { return nil }
            let words = stride(from: 0, to: bytes.count, by: 2).map {
                Int(bytes[$0]) << 8 | Int(bytes[$0 + 1])
            }
            let (count, power) = (words[0], Int(Int16(truncatingIfNeeded: words[1])))
            guard words[2] == 0, words.count == 4 + count else { return nil }
            guard count > 0 else { return BucketCounts() }
            guard power < BucketCounts.bucketCount * digitsPerBucket, power >= count - 1 else { return nil }
            var parts: [BucketCounts.Part] = []
            for (index, digit) in words[4...].enumerated() where digit > 0 {
                guard digit < base else { return nil }
                let position = power - index
                let scale = [1, base, base * base][position % digitsPerBucket]
                parts.append(BucketCounts.Part(bucket: position / digitsPerBucket, count: digit * scale))
            }
            return BucketCounts(parts)
        }

        /// Returns SQL that adds two numbers, bucket by bucket. The SQL gives the first number alone if the total has reached
        /// ``totalLimitSQL``.
        ///
        /// - Parameter totalSQL: SQL for a total that is at least the sum of all buckets of both numbers.
        static func sumSQL(_ first: String, _ second: String, totalSQL: String) -> String {
            "case when \(totalSQL) < \(totalLimitSQL) then \(first) + \(second) else \(first) end"
        }

        /// Returns SQL for the total of all buckets of a number.
        static func totalSQL(ofColumn column: String) -> String {
            """
            (select sum(mod(div(\(column), power(\(bucketBase), bucket)), \(bucketBase)))
             from generate_series(0, \(BucketCounts.bucketCount - 1)) as bucket)
            """
        }

        private static func append(_ number: Int, to bytes: inout [UInt8]) {
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
    }
#endif

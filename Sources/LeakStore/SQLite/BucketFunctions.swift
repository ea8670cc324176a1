internal import CLeakSQLite

/// Adds SQL functions for ``BucketCounts/bytes``: `add_buckets(a, b)` adds two values bucket by bucket, and `bucket_total(a)`
/// returns the total of all buckets.
@unsafe
func addBucketFunctions(to database: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    unsafe sqlite3_create_function_v2(
        database, "add_buckets", 2, flags, nil,
        { context, _, values in
            // The second value is empty for a leak that has only reports of freed objects: the sum is the first value.
            if unsafe sqlite3_value_bytes(values?[1]) == 0 {
                return unsafe sqlite3_result_value(context, values?[0])
            }
            unsafe withCounts(values, number: 2) { counts in
                guard let counts = unsafe counts else {
                    return unsafe sqlite3_result_error(context, "counts by bucket cannot be read", -1)
                }
                unsafe withUnsafeTemporaryAllocation(byteCount: BucketCounts.maxBytes, alignment: 1) {
                    buffer in
                    let size = unsafe BucketCounts.write(UnsafeBufferPointer(counts), to: buffer)
                    unsafe sqlite3_result_blob(context, buffer.baseAddress, Int32(size), transientDestructor)
                }
            }
        }, nil, nil, nil)
    unsafe sqlite3_create_function_v2(
        database, "bucket_total", 1, flags, nil,
        { context, _, values in
            // Returns more than any total for damaged bytes, so that a check of rows finds them.
            unsafe withCounts(values, number: 1) { counts in
                guard let counts = unsafe counts else {
                    return unsafe sqlite3_result_int64(context, .max)
                }
                var total = 0
                for bucket in 0..<BucketCounts.bucketCount { unsafe total.addBounded(counts[bucket]) }
                unsafe sqlite3_result_int64(context, Int64(total))
            }
        }, nil, nil, nil)
}

/// Calls `body` with the sum of the values, or with `nil` if a value cannot be read.
@unsafe
private func withCounts(
    _ values: UnsafeMutablePointer<OpaquePointer?>?, number: Int,
    _ body: (UnsafeMutableBufferPointer<Int>?) -> Void
) {
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: BucketCounts.bucketCount) { counts in
        unsafe counts.initialize(repeating: 0)
        for index in 0..<number {
            let value = unsafe values?[index]
            let count = unsafe Int(sqlite3_value_bytes(value))
            let bytes = unsafe UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: count)
            guard unsafe count == 0 || BucketCounts.add(bytes, to: counts) else { return body(nil) }
        }
        unsafe body(counts)
    }
}

internal import CLeakSQLite

/// Adds functions of ``BucketCounts`` to SQL: `add_buckets(a, b)` is the sum of two, and `bucket_total(a)` their total.
@unsafe
func addBucketFunctions(to database: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    unsafe sqlite3_create_function_v2(
        database, "add_buckets", 2, flags, nil,
        { context, _, values in
            guard let first = unsafe BucketCounts(values?[0]), let second = unsafe BucketCounts(values?[1])
            else {
                return unsafe sqlite3_result_error(context, "counts by bucket cannot be read", -1)
            }
            var sum = first
            sum.add(second)
            let bytes = sum.bytes
            unsafe bytes.withUnsafeBytes { bytes in
                // SQLite copies the bytes. A pointer to no bytes would be null.
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return unsafe sqlite3_result_zeroblob(context, 0)
                }
                unsafe sqlite3_result_blob(
                    context, start, Int32(bytes.count), copied)
            }
        }, nil, nil, nil)
    unsafe sqlite3_create_function_v2(
        database, "bucket_total", 1, flags, nil,
        { context, _, values in
            guard let counts = unsafe BucketCounts(values?[0]) else {
                return unsafe sqlite3_result_error(context, "counts by bucket cannot be read", -1)
            }
            unsafe sqlite3_result_int64(context, Int64(counts.total))
        }, nil, nil, nil)
}

extension BucketCounts {
    @unsafe
    fileprivate init?(_ value: OpaquePointer?) {
        let count = unsafe Int(sqlite3_value_bytes(value))
        guard count > 0, let start = unsafe sqlite3_value_blob(value) else {
            self.init()
            return
        }
        self.init(bytes: unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
    }
}

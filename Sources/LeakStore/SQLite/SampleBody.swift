internal import CLeakSQLite
internal import LeakGzip

/// The column `body` of `sample`: the JSON of a report, or its gzip member if the JSON has at least ``minBytesToCompress``
/// bytes and the member is shorter.
///
/// A report with a call stack has 3 KB, and only one fits into a page. Compressed, six fit, and a commit writes a fifth of the
/// bytes.
enum SampleBody {
    /// Minimum number of bytes of a JSON that is compressed. Several shorter JSON texts fit into a page.
    static let minBytesToCompress = 1_024
    /// Maximum number of bytes that are inflated, which is more than any sample has.
    private static let limits = Inflater.Limits(outputBytes: 1 << 20, bytesBeforeRatio: 1 << 20)

    /// Returns the body for the JSON of a report: its gzip member if that is shorter.
    static func packed(_ json: [UInt8], by deflater: inout Deflater) -> [UInt8] {
        guard json.count >= minBytesToCompress else { return json }
        let member = deflater.deflate(json)
        return member.count < json.count ? member : json
    }

    /// Returns the JSON of a body; `nil` for a damaged gzip member. A JSON never begins with the first byte of a member.
    static func json(_ body: [UInt8]) -> [UInt8]? {
        guard body.first == 0x1F else { return body }
        var inflater = Inflater(limits: limits)
        var json: [UInt8] = []
        do {
            try inflater.inflate(body, into: &json)
            try inflater.finish()
        } catch {
            return nil
        }
        return json
    }

    /// Adds the SQL function `sample_json(body)`. It returns `null` for a damaged body.
    @unsafe
    static func addFunction(to database: OpaquePointer) {
        unsafe sqlite3_create_function_v2(
            database, "sample_json", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, values in
                let value = unsafe values?[0]
                let count = unsafe Int(sqlite3_value_bytes(value))
                let bytes = unsafe UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: count)
                guard unsafe bytes.first == 0x1F else { return unsafe sqlite3_result_value(context, value) }
                guard let json = unsafe SampleBody.json([UInt8](bytes)) else {
                    return unsafe sqlite3_result_null(context)
                }
                unsafe json.withUnsafeBytes { json in
                    unsafe sqlite3_result_blob(
                        context, json.baseAddress, Int32(json.count), transientDestructor)
                }
            }, nil, nil, nil)
    }
}

internal import CLeakSQLite

/// One prepared statement, bound and stepped by one thread at a time.
@safe
final class Statement: StoredRow {
    private let handle: OpaquePointer
    private let sql: String
    /// The path of the database.
    let database: String
    private let damageMonitor: DamageMonitor?
    /// `true` once the names of the columns were compared with those that a ``StoreRead`` expects.
    var isChecked = false

    init(
        _ sql: String, on connection: OpaquePointer, path: String, _ damageMonitor: DamageMonitor? = nil
    ) throws(StoreError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            connection, SQLDialect.sqlite.sql(sql), -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw unsafe .sqlite(
                code, message: String(cString: sqlite3_errmsg(connection)), path: path, sql: sql,
                damageMonitor)
        }
        unsafe self.handle = handle
        self.sql = sql
        database = path
        self.damageMonitor = damageMonitor
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds values to the `?` placeholders, from the first on.
    func bind<each Value: Bindable>(_ values: repeat each Value) throws(StoreError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            let code = unsafe value.bind(to: handle, at: index)
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// Binds values to the `?` placeholders of a composed statement, from the first on.
    func bind(all values: [any Bindable]) throws(StoreError) {
        for (index, value) in values.enumerated() {
            let code = unsafe value.bind(to: handle, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// Binds a value to one `?` placeholder, counted from 1.
    func bind(_ value: some Bindable, at index: Int) throws(StoreError) {
        let code = unsafe value.bind(to: handle, at: Int32(index))
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Binds values to the placeholders `?1`, `?2` …
    func bind(_ values: [StoreValue]) throws(StoreError) {
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let number): try bind(number, at: index + 1)
            case .text(let text): try bind(text, at: index + 1)
            case .bytes(let bytes): try bind(bytes, at: index + 1)
            case .id(let id): try bind(id.bytes, at: index + 1)
            case .integers(let numbers): try bind(numbers.jsonArray, at: index + 1)
            case .texts(let texts): try bind(texts.jsonArray, at: index + 1)
            }
        }
    }

    /// Binds numbers to the `?` placeholders.
    func bind(integers: [Int64]) throws(StoreError) {
        for (index, integer) in integers.enumerated() {
            let code = unsafe sqlite3_bind_int64(handle, Int32(index + 1), integer)
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// Steps to the next row.
    ///
    /// - Returns: `false` if there are no more rows.
    func step() throws(StoreError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(code)
        }
    }

    /// Ends the query, so that the statement can be bound again and holds no lock.
    func reset() { unsafe sqlite3_reset(handle) }

    /// Binds, runs to the end and resets.
    func run<each Value: Bindable>(_ values: repeat each Value) throws(StoreError) {
        defer { reset() }
        try bind(repeat each values)
        while try step() {}
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns a count or an index: 0 to 2^53 - 1. A number outside this range means that the database is damaged, which
    /// ``SQLiteStore/verify()`` reports. This function clamps it, so that adding to it does not overflow.
    func int(_ column: Int32) -> Int { Int(min(max(int64(column), 0), Int64(Total.largest))) }

    func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// Returns milliseconds since 1970, clamped to 0 and the end of the year 9999, so that subtracting does not overflow.
    func time(_ column: Int32) -> Int64 { min(max(int64(column), 0), 253_402_300_799_999) }

    func optionalTime(_ column: Int32) -> Int64? { isNull(column) ? nil : time(column) }

    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func bucketCounts(_ column: Int32) -> BucketCounts? { BucketCounts(bytes: bytes(column)) }

    func sampleJSON(_ column: Int32) -> [UInt8]? { SampleBody.json(bytes(column)) }

    /// The names of the columns.
    var columnNames: [String] {
        unsafe (0..<sqlite3_column_count(handle)).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// Returns a blob as little-endian words, without an incomplete word at its end.
    func words(_ column: Int32) -> [UInt64] {
        let bytes = bytes(column)
        return stride(from: 0, to: bytes.count & ~7, by: 8).map { start in
            (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
        }
    }

    private func failure(_ code: Int32) -> StoreError {
        let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
        return .sqlite(code, message: message, path: database, sql: sql, damageMonitor)
    }
}

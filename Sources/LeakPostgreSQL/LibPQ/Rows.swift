#if PostgreSQL
    internal import LeakStore
    internal import CLeakPostgreSQL

    /// The answer of the server to one query.
    @safe
    final class Rows: Sequence {
        private let result: OpaquePointer
        /// ``PostgreSQLConnection/name``, for errors.
        fileprivate let database: String

        /// - Parameter result: the result, which this object owns and frees.
        init(_ result: OpaquePointer, from database: String) {
            unsafe self.result = result
            self.database = database
        }

        deinit { unsafe PQclear(result) }

        var count: Int { unsafe Int(PQntuples(result)) }

        /// Number of rows that the query inserted, changed or deleted.
        var changedRowCount: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

        var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

        var columnNames: [String] {
            unsafe (0..<PQnfields(result)).map { column in
                unsafe PQfname(result, column).map { unsafe String(cString: $0) } ?? ""
            }
        }

        /// Returns the result of a read whose rows these are.
        func result<Result>(of read: StoreRead<Result>) throws(StoreError) -> Result {
            #if DEBUG
                try read.check(columnNames, in: database)
            #endif
            var result = read.empty
            for row in self { try read.add(row, &result) }
            return result
        }

        func makeIterator() -> AnyIterator<Row> {
            var index: Int32 = 0
            let end = Int32(clamping: count)
            return AnyIterator {
                guard index < end else { return nil }
                defer { index += 1 }
                return Row(rows: self, index: index)
            }
        }

        fileprivate func isNull(_ row: Int32, _ column: Int32) -> Bool {
            unsafe PQgetisnull(result, row, column) == 1
        }

        fileprivate func bytes(_ row: Int32, _ column: Int32) -> [UInt8] {
            guard let start = unsafe PQgetvalue(result, row, column) else { return [] }
            let length = unsafe Int(PQgetlength(result, row, column))
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
        }

        /// Reads an integer of two, four or eight bytes, or a boolean; they arrive big-endian.
        fileprivate func number(_ row: Int32, _ column: Int32) -> Int64 {
            guard let start = unsafe PQgetvalue(result, row, column) else { return 0 }
            let length = unsafe Int(PQgetlength(result, row, column))
            guard length > 0 else { return 0 }
            var number = unsafe Int64(start[0])
            for index in stride(from: 1, to: length, by: 1) {
                number = unsafe number << 8 | Int64(UInt8(bitPattern: start[index]))
            }
            return number
        }
    }

    /// One row of an answer; columns count from 0.
    struct Row: StoredRow {
        fileprivate let rows: Rows
        fileprivate let index: Int32

        var database: String { rows.database }

        func isNull(_ column: Int32) -> Bool { rows.isNull(index, column) }

        func int64(_ column: Int32) -> Int64 { rows.number(index, column) }

        func int(_ column: Int32) -> Int { Int(clamping: int64(column)) }

        func bool(_ column: Int32) -> Bool { int64(column) != 0 }

        func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

        func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

        func bytes(_ column: Int32) -> [UInt8] { rows.bytes(index, column) }

        func bucketCounts(_ column: Int32) -> BucketCounts? { BucketCountsNumeric.counts(bytes(column)) }

        func sampleJSON(_ column: Int32) -> [UInt8]? { bytes(column) }

        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    }
#endif

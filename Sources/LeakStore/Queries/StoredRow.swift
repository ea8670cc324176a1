/// A row of a query result from SQLite or PostgreSQL. Columns are numbered from 0.
package protocol StoredRow {
    /// The path or address of the database, for errors.
    var database: String { get }
    func isNull(_ column: Int32) -> Bool
    func int64(_ column: Int32) -> Int64
    func bytes(_ column: Int32) -> [UInt8]
    /// Returns counts by bucket; `nil` if the value is damaged.
    func bucketCounts(_ column: Int32) -> BucketCounts?
    /// Returns the JSON of a sample; `nil` if the value is damaged.
    func sampleJSON(_ column: Int32) -> [UInt8]?
}

/// A column that a statement selects. Its number is its position in the statement, and its name is the name that the statement
/// gives the column, in camel case. In debug builds, ``StoreConnection/read(_:)`` compares the names.
package protocol QueryColumn: RawRepresentable<Int32>, CaseIterable {
    /// The names of all columns in their order, as a statement spells them; `nil` if the statement is composed from the columns.
    static var namesInSQL: [String]? { get }
}

extension QueryColumn {
    package static var namesInSQL: [String]? {
        allCases.map { column in
            "\(column)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        }
    }

    package static var count: Int32 { Int32(allCases.count) }
}

/// A column of a statement that is composed from its columns.
package protocol StoredColumn: QueryColumn {
    /// The expression that the statement selects for the column.
    var sql: String { get }
}

extension StoredColumn {
    /// All columns in their order, as a statement selects them.
    package static var columnsSQL: String { allCases.map(\.sql).joined(separator: ", ") }

    package static var namesInSQL: [String]? { nil }
}

/// A row whose columns are accessed by name.
package struct NamedRow<Column: QueryColumn> {
    private let row: any StoredRow
    private let first: Int32

    /// - Parameter first: the position of the first column in the row.
    package init(_ row: any StoredRow, of _: Column.Type = Column.self, from first: Int32 = 0) {
        self.row = row
        self.first = first
    }

    /// Returns the error for a stored value that no collector can have written.
    package func unreadable(_ item: String) -> StoreError { .unreadable(item, in: row.database) }

    /// Returns the columns that follow these columns.
    package func following<Next: StoredColumn>(_: Next.Type = Next.self) -> NamedRow<Next> {
        NamedRow<Next>(row, from: first + Column.count)
    }

    package func isNull(_ column: Column) -> Bool { row.isNull(first + column.rawValue) }

    package func int64(_ column: Column) -> Int64 { row.int64(first + column.rawValue) }

    package func bool(_ column: Column) -> Bool { int64(column) != 0 }

    /// Returns a count or an index: 0 to 2^53 - 1. A number outside this range means that the database is
    /// damaged, which `verify()` reports. This function clamps it, so that adding to it does not overflow.
    package func int(_ column: Column) -> Int { Int(min(max(int64(column), 0), Int64(Total.largest))) }

    package func optionalInt(_ column: Column) -> Int? { isNull(column) ? nil : int(column) }

    /// Returns milliseconds since 1970, clamped to 0 and the end of the year 9999, so that subtracting does not overflow.
    package func time(_ column: Column) -> Int64 { min(max(int64(column), 0), 253_402_300_799_999) }

    package func optionalTime(_ column: Column) -> Int64? { isNull(column) ? nil : time(column) }

    package func optionalInt64(_ column: Column) -> Int64? { isNull(column) ? nil : int64(column) }

    package func bytes(_ column: Column) -> [UInt8] { row.bytes(first + column.rawValue) }

    package func text(_ column: Column) -> String { String(decoding: bytes(column), as: UTF8.self) }

    package func optionalText(_ column: Column) -> String? { isNull(column) ? nil : text(column) }

    package func id(_ column: Column) throws(StoreError) -> LeakID {
        guard let id = LeakID(blob: bytes(column)) else { throw unreadable("a leak") }
        return id
    }

    /// Returns the texts that ``PackedWriter`` wrote.
    package func texts(_ column: Column) throws(StoreError) -> [String] {
        guard let texts = PackedReader.texts(bytes(column)) else { throw unreadable("a leak") }
        return texts
    }

    package func bucketCounts(_ column: Column) throws(StoreError) -> BucketCounts {
        guard let counts = row.bucketCounts(first + column.rawValue) else {
            throw unreadable("counts by bucket")
        }
        return counts
    }

    package func sampleJSON(_ column: Column) throws(StoreError) -> [UInt8] {
        guard let json = row.sampleJSON(first + column.rawValue) else { throw unreadable("a report") }
        return json
    }

    /// Returns the index of an hour or a day in a range of `count` hours or days that begins with `first`.
    ///
    /// - Throws: ``StoreError/Reason/corrupt`` for a number outside this range, which a damaged index may return.
    package func bucket(_ column: Column, from first: Int, count: Int) throws(StoreError) -> Int {
        let bucket = int(column) - first
        guard (0..<count).contains(bucket) else { throw unreadable("an hour or a day") }
        return bucket
    }
}

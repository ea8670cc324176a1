/// A row of a query result from SQLite or PostgreSQL. Columns are numbered from 0.
package protocol StoredRow {
    func isNull(_ column: Int32) -> Bool
    func int64(_ column: Int32) -> Int64
    func bytes(_ column: Int32) -> [UInt8]
}

/// A column of a statement that both stores read. Its number is its position in the statement.
package protocol StoredColumn: RawRepresentable<Int32>, CaseIterable {
    /// The expression that the statement selects for the column.
    var sql: String { get }
}

extension StoredColumn {
    /// All columns in their order, as a statement selects them.
    package static var columnsSQL: String { allCases.map(\.sql).joined(separator: ", ") }

    package static var count: Int32 { Int32(allCases.count) }
}

/// A row whose columns are accessed by name.
package struct NamedRow<Row: StoredRow, Column: StoredColumn> {
    private let row: Row
    private let first: Int32

    /// - Parameter first: the position of the first column in the row.
    package init(_ row: Row, of _: Column.Type, from first: Int32 = 0) {
        self.row = row
        self.first = first
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
}

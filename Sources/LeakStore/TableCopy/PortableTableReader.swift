/// A reader of whole tables, for one thread. Valid only during the call of the closure that receives it.
package struct PortableTableReader {
    let connection: SQLiteConnection
    /// ``StoreClock/keyStart``: idempotency keys of this time or before are left out.
    let keyStart: Int64

    package func count(of table: PortableTable) throws(StoreError) -> Int {
        let select = try connection.statement(composed: "select count(*) from \(table.rowSourceSQL)")
        defer { select.reset() }
        try bind(select, of: table)
        return try select.step() ? select.int(0) : 0
    }

    /// Returns the highest id that a row of a table with generated ids ever had; 0 if there never was a row.
    package func highestID(of table: PortableTable) throws(StoreError) -> Int64 {
        guard let query = table.highestIDQuery else { return 0 }
        let select = try connection.statement(composed: query)
        defer { select.reset() }
        return try select.step() ? select.int64(0) : 0
    }

    /// Calls `body` with each row; its values are in the order of the columns.
    package func forEachRow(
        of table: PortableTable, _ body: ([PortableValue]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let columns = table.columns.map(\.sourceSQL).joined(separator: ", ")
        let select = try connection.statement(composed: "select \(columns) from \(table.rowSourceSQL)")
        defer { select.reset() }
        try bind(select, of: table)
        while try select.step() {
            var row: [PortableValue] = []
            row.reserveCapacity(table.columns.count)
            for (index, column) in table.columns.enumerated() {
                row.append(Self.value(in: select, at: Int32(index), as: column.kind))
            }
            try body(row)
        }
    }

    private func bind(_ select: Statement, of table: PortableTable) throws(StoreError) {
        if table.rowSourceSQL.contains("?1") { try select.bind(keyStart) }
    }

    private static func value(
        in row: Statement, at index: Int32, as kind: PortableTable.Column.Kind
    ) -> PortableValue {
        guard !row.isNull(index) else { return .null }
        return switch kind {
        case .number, .count: .integer(row.int64(index))
        case .text: .text(row.text(index))
        case .bytes, .key, .buckets: .bytes(row.bytes(index))
        }
    }
}

/// One `insert … on conflict … do update` for many rows, and the same for one row.
///
/// Beginning and ending a statement costs as much as writing a row.
struct UpsertStatements {
    private static let rowsPerStatement = 16

    private let one: String
    private let many: String
    private let parameters: Int

    /// - Parameters:
    ///   - table: name and columns of the table.
    ///   - row: the values of one row.
    ///   - parameters: number of `?` in `row`.
    ///   - conflict: the columns of the key.
    init(_ table: String, row: String, parameters: Int, conflict: String, update: String) {
        func upsert(_ rows: Int) -> String {
            """
            insert into \(table) values \(repeatElement("(\(row))", count: rows).joined(separator: ", "))
            on conflict (\(conflict)) do update set \(update)
            """
        }
        one = upsert(1)
        many = upsert(Self.rowsPerStatement)
        self.parameters = parameters
    }

    /// Writes the rows.
    ///
    /// - Parameter bind: gives a row's parameters, from an index on, their values.
    func run<Row>(
        _ rows: [Row], on connection: SQLiteConnection,
        bind: (_ row: Row, _ statement: Statement, _ index: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        let whole = rows.count - rows.count % Self.rowsPerStatement
        var index = 0
        while index < rows.count {
            let count = index < whole ? Self.rowsPerStatement : 1
            let statement = try connection.statement(composed: count == 1 ? one : many)
            defer { statement.reset() }
            for offset in 0..<count {
                try bind(rows[index + offset], statement, 1 + offset * parameters)
            }
            while try statement.step() {}
            index += count
        }
    }
}

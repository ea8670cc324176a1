/// An `insert … on conflict … do update` statement for 16 rows, and the same statement for one row.
///
/// Writing several rows with one statement is faster, because starting and ending a statement takes as long as writing a row.
struct UpsertStatements {
    private static let rowsPerStatement = 16

    private let singleRowSQL: String
    private let multiRowSQL: String
    /// Number of parameters of one row.
    private let parameterCount: Int

    /// - Parameters:
    ///   - table: name and columns of the table.
    ///   - row: the values of one row.
    ///   - parameters: number of `?` in `row`.
    ///   - conflict: the columns of the key.
    ///   - update: the assignments for a row that exists.
    init(_ table: String, row: String, parameters: Int, conflict: String, update: String) {
        func upsert(_ rows: Int) -> String {
            """
            insert into \(table) values \(repeatElement("(\(row))", count: rows).joined(separator: ", "))
            on conflict (\(conflict)) do update set \(update)
            """
        }
        singleRowSQL = upsert(1)
        multiRowSQL = upsert(Self.rowsPerStatement)
        parameterCount = parameters
    }

    /// Writes the rows.
    ///
    /// - Parameter bind: binds the values of a row to the parameters of the statement that begin at the index.
    func run<Row>(
        _ rows: [Row], on connection: SQLiteConnection,
        bind: (_ row: Row, _ statement: Statement, _ index: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        let multiRowEnd = rows.count - rows.count % Self.rowsPerStatement
        var index = 0
        while index < rows.count {
            let count = index < multiRowEnd ? Self.rowsPerStatement : 1
            let statement = try connection.statement(composed: count == 1 ? singleRowSQL : multiRowSQL)
            defer { statement.reset() }
            for offset in 0..<count {
                try bind(rows[index + offset], statement, 1 + offset * parameterCount)
            }
            while try statement.step() {}
            index += count
        }
    }
}

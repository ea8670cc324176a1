/// The progress of filling another store.
package struct CopyProgress: Sendable {
    package var table: String
    /// Number of rows copied so far, of all tables together.
    package var rows: Int
    package var allRows: Int

    package init(table: String, rows: Int, allRows: Int) {
        self.table = table
        self.rows = rows
        self.allRows = allRows
    }
}

/// Row count and sums of a table after a copy. They are equal in both stores.
package struct CopiedTable: Hashable, Sendable {
    package var name: String
    package var rows = 0
    /// Sums of the columns that are counts, in the order of the columns. They stop at ``Total/largest``.
    package var sums: [Sum] = []

    package struct Sum: Hashable, Sendable {
        package var column: String
        package var sum: Int

        package init(column: String, sum: Int) {
            self.column = column
            self.sum = sum
        }
    }

    package init(name: String) { self.name = name }
}

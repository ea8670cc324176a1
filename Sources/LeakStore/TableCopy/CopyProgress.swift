/// The progress of copying a database into another store.
package struct CopyProgress: Sendable {
    /// The table that is being copied.
    package var table: String
    /// Number of rows copied so far, of all tables together.
    package var rows: Int
    /// Number of rows to copy, of all tables together.
    package var allRows: Int

    package init(table: String, rows: Int, allRows: Int) {
        self.table = table
        self.rows = rows
        self.allRows = allRows
    }
}

/// The number of rows and the sums of a table after a copy, which must be equal in both stores.
package struct CopiedTable: Hashable, Sendable {
    package var name: String
    package var rows = 0
    /// Sums of the columns that are counts, in the order of the columns. Each sum is at most ``Total/largest``.
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

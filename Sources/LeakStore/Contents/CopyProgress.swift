/// How far the filling of another store is.
package struct CopyProgress: Sendable {
    package var table: String
    /// Of all tables together.
    package var rows: Int
    package var allRows: Int

    package init(table: String, rows: Int, allRows: Int) {
        self.table = table
        self.rows = rows
        self.allRows = allRows
    }
}

/// A table as both stores have it after a copy: they agree.
package struct CopiedTable: Hashable, Sendable {
    package var name: String
    package var rows = 0
    /// Sums of what is counted, in the order of the columns. They stop at ``Total/largest``.
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

/// The progress of deleting the rows that an ingest key made, table by table: ``ForgetTarget/key(_:since:)``.
package struct KeyUndo {
    /// The tables in the order in which their rows are deleted. An app is deleted with all its leaks and versions. A merge by hand
    /// of a leak that the key made is undone, so that the leak can be deleted. Leaks are deleted completely before versions are, so
    /// that they need not be deleted version by version. A build is deleted if nothing is left in it.
    package enum Table: CaseIterable {
        case app, merge, leak, release, build
    }

    /// `nil` if all tables are done.
    package private(set) var table: Table? = .app
    /// Rows up to this row ID are done.
    package var lastRow: Int64 = 0
    /// The highest row ID of the table when its deletion began; `nil` before that. Later rows stay, so that a key that still
    /// sends reports cannot delay the end.
    package var highestRow: Int64?

    package init() {}

    package var isDone: Bool { table == nil }

    /// Goes on to the next table.
    package mutating func finishTable() {
        let next = Table.allCases.drop { $0 != table }.dropFirst().first
        self = KeyUndo()
        table = next
    }
}

/// SQL of a statement, written for ``SQLDialect``.
package enum SQLText: ExpressibleByStringLiteral {
    /// A literal, whose address identifies the statement.
    case literal(StaticString)
    /// A text that is composed from literals, never from values.
    case composed(String)

    package init(stringLiteral text: StaticString) { self = .literal(text) }

    package var text: String {
        switch self {
        case .literal(let text): text.description
        case .composed(let text): text
        }
    }
}

/// A value that stands for `$1`, `$2` … in a statement.
package enum StoreValue {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8])
    case id(LeakID)
    case integers([Int64])
    case texts([String])

    package static func int(_ value: Int) -> StoreValue { .integer(Int64(value)) }
}

/// A statement that reads, its values, and the result that is computed from its rows.
package struct StoreRead<Result> {
    package let sql: SQLText
    package let values: [StoreValue]
    /// Returns ``QueryColumn/namesInSQL``.
    private let columns: () -> [String]?
    /// The result if there are no rows.
    package let empty: Result
    /// Adds a row to the result.
    package let add: (_ row: any StoredRow, _ result: inout Result) throws(StoreError) -> Void

    package init<Column: QueryColumn>(
        _ sql: SQLText, _ values: [StoreValue], into empty: Result,
        add: @escaping (_ row: NamedRow<Column>, _ result: inout Result) throws(StoreError) -> Void
    ) {
        (self.sql, self.values, self.empty) = (sql, values, empty)
        columns = { Column.namesInSQL }
        self.add = { row, result throws(StoreError) in try add(NamedRow(row), &result) }
    }

    /// Reads a list with one element for each row.
    package init<Column: QueryColumn, Element>(
        _ sql: SQLText, _ values: StoreValue...,
        element: @escaping (_ row: NamedRow<Column>) throws(StoreError) -> Element
    ) where Result == [Element] {
        self.init(sql, values, into: []) { (row: NamedRow<Column>, result) throws(StoreError) in
            result.append(try element(row))
        }
    }

    /// Reads the first row; the result is `nil` if there is none.
    package init<Column: QueryColumn, Value>(
        _ sql: SQLText, _ values: StoreValue...,
        first: @escaping (_ row: NamedRow<Column>) throws(StoreError) -> Value
    ) where Result == Value? {
        self.init(sql, values, into: nil) { (row: NamedRow<Column>, result) throws(StoreError) in
            if result == nil { result = try first(row) }
        }
    }
}

extension StoreRead {
    /// Compares the names of the columns with those that a statement selects first.
    package func check(_ names: [String], in database: String) throws(StoreError) {
        guard let columns = columns(), !names.starts(with: columns) else { return }
        throw StoreError(
            .other, "database \(database): the columns are \(names), not \(columns), in: \(sql.text)")
    }
}

/// The column of a statement that has only one, whatever its name.
package enum OnlyColumn: Int32, StoredColumn {
    case value

    package var sql: String { "value" }
}

extension StoreRead {
    /// Reads the texts in the only column.
    package static func texts(_ sql: SQLText, _ values: StoreValue...) -> StoreRead<[String]> {
        StoreRead<[String]>(sql, values, into: []) { (row: NamedRow<OnlyColumn>, texts) in
            texts.append(row.text(.value))
        }
    }

    /// Reads the numbers in the only column. A null is read as 0.
    package static func numbers(_ sql: SQLText, _ values: StoreValue...) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>(sql, values, into: []) { (row: NamedRow<OnlyColumn>, numbers) in
            numbers.append(row.int64(.value))
        }
    }
}

/// A connection to a store's database. The statements that both stores run are written once, as ``StoreRead``.
package protocol StoreConnection: AnyObject {
    /// The path or address of the database, for errors.
    var database: String { get }

    func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result

    /// Runs statements one after another, in one round trip if the database is a server.
    func readAll<each Result>(
        _ reads: repeat StoreRead<each Result>
    ) throws(StoreError) -> (repeat each Result)

    /// Adds the values that are not in `leak_value` yet: reports by row ID in `leak`, kind and value.
    func addLoggedValues(to values: inout LeakValues, of leaks: [Int64]) throws(StoreError)

    /// Reads the statuses of the decisions in force about leaks: ``StoreQueries/decisionStatuses(_:of:)``.
    static func decisionStatuses(
        of leaks: [Int64]
    ) -> StoreRead<[(leakRowID: Int64, status: DecisionStatus, mayExpire: Bool)]>

    /// SQL for the `id`, `class`, `kind` and `reports` of leaks in ranges of classes: `$3` is the first class of each range, `$4`
    /// the last.
    static var leaksInClassRangesSQL: String { get }

    /// Reads the sets of installs of the leaks of a class. If a leak has no set of its own, the sets of its builds are read.
    static func installs(ofClass name: String, _ app: AppScope) -> StoreRead<ClassInstalls>

    /// Adds the installs that are not in the sets yet.
    func addLoggedInstalls(to installs: inout ClassInstalls) throws(StoreError)
}

/// A connection with which a transaction changes rows by statements that are the same in both stores.
package protocol ChangeConnection: StoreConnection {
    /// Runs a statement that changes rows.
    ///
    /// - Returns: the number of changed rows.
    @discardableResult
    func change(_ sql: SQLText, _ values: StoreValue...) throws(StoreError) -> Int
}

/// Reports by row ID in `leak`, kind and value. The empty value stands for all values beyond the limit.
package typealias LeakValues = [Int64: [ValueKind: [ByteText: Int]]]

/// The installs that had a leak of a class.
package struct ClassInstalls {
    /// Row IDs of the sets that ``union`` consists of; empty if the store has no log of installs.
    package var setRowIDs: Set<Int64> = []
    package var union = InstallSet()

    package init() {}
}

extension NamedRow {
    package func installSet(_ column: Column) throws(StoreError) -> InstallSet {
        guard let set = InstallSet(bytes: bytes(column)) else { throw unreadable("a set of installs") }
        return set
    }

    package func histogram(_ column: Column) throws(StoreError) -> DurationHistogram {
        guard let histogram = DurationHistogram(bytes: bytes(column)) else { throw unreadable("a histogram") }
        return histogram
    }
}

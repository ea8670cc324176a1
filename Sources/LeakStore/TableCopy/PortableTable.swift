/// A table of a SQLite store, in a form that does not depend on SQLite's row ids. It is the source for a copy into another kind
/// of store.
package struct PortableTable: Sendable {
    package struct Column: Sendable {
        package enum Kind: Sendable {
            /// A row id, a time or an index. Its sum has no meaning.
            case number
            /// A count. Equal sums over all rows show that no row is missing in the copy.
            case count
            case text
            case bytes
            /// ``BucketCounts``, as ``BucketCounts/bytes``.
            case buckets
            /// 16 bytes that identify a leak.
            case key
        }

        package let name: String
        package let kind: Kind
        /// The SQL expression that SQLite selects for this column.
        let sourceSQL: String

        static func number(_ name: String, _ source: String? = nil) -> Column {
            Column(name: name, kind: .number, sourceSQL: source ?? name)
        }
        static func count(_ name: String, _ source: String? = nil) -> Column {
            Column(name: name, kind: .count, sourceSQL: source ?? name)
        }
        static func text(_ name: String, _ source: String? = nil) -> Column {
            Column(name: name, kind: .text, sourceSQL: source ?? name)
        }
        static func bytes(_ name: String, _ source: String? = nil) -> Column {
            Column(name: name, kind: .bytes, sourceSQL: source ?? name)
        }
        static func buckets(_ name: String) -> Column { Column(name: name, kind: .buckets, sourceSQL: name) }
        static func key(_ name: String) -> Column { Column(name: name, kind: .key, sourceSQL: name) }
    }

    package let name: String
    package let columns: [Column]
    /// The table or the subquery that SQLite selects the columns from. `?1` stands for ``StoreClock/keyStart``.
    let rowSourceSQL: String
    /// The SQLite query for the highest id that a row of the table ever had; `nil` for a table without a column `id`.
    let highestIDQuery: String?

    init(_ name: String, from rowSource: String? = nil, highestIDQuery: String? = nil, _ columns: [Column]) {
        self.name = name
        self.columns = columns
        self.rowSourceSQL = rowSource ?? name
        let hasGeneratedIDs = columns.contains { $0.name == "id" }
        self.highestIDQuery = hasGeneratedIDs ? highestIDQuery ?? "select max(id) from \(name)" : nil
    }

    package var hasGeneratedIDs: Bool { highestIDQuery != nil }
}

/// The value of one column in a row of a ``PortableTable``.
package enum PortableValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

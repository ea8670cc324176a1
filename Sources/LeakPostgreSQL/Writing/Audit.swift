#if PostgreSQL
    internal import LeakStore

    extension AuditEntry {
        /// The values of an entry for ``insertSQL(from:objectSuffix:first:)``.
        private static func values(_ entry: AuditEntry) -> [Parameter] {
            [
                .integer(entry.at), .text(entry.actor), .integer(entry.token), .text(entry.action.rawValue),
                .text(entry.object), .text(entry.details), .text(entry.address),
            ]
        }

        /// Returns the statement that adds an entry.
        ///
        /// - Parameters:
        ///   - source: the end of the statement, such as ` from changed`, to add the entry only if a row was changed.
        ///   - objectSuffix: SQL that is appended to the object.
        ///   - first: the number of the first value of the entry.
        private static func insertSQL(from source: String, objectSuffix: String = "", first: Int) -> String {
            let types = ["bigint", "text", "bigint", "text", "text", "text", "text"]
            let values = types.enumerated().map { index, type in
                "$\(first + index)::\(type)" + (index == 4 ? objectSuffix : "")
            }
            return """
                insert into audit (at, actor, token, action, object, details, address)
                select \(values.joined(separator: ", "))\(source)
                """
        }

        /// The statement that sometimes deletes the entries beyond ``AuditEntry/maxCount``.
        private static let occasionalTrimSQL =
            "\(trimSQL) and (select max(id) from audit) % \(trimInterval) = 0"

        /// The queries that add the entry, in the transaction of the change.
        var queries: [Query] {
            [Query(Self.insertSQL(from: "", first: 1), Self.values(storable)), Query(Self.occasionalTrimSQL)]
        }

        /// Returns the query for a change of one row that adds an entry if the row was changed. It returns the id of the row.
        ///
        /// - Parameters:
        ///   - change: a statement that ends with `returning id`.
        ///   - namesRow: `true` to append the id of the row to the object of the entry.
        static func query(
            _ change: String, _ values: [Parameter], audit entry: AuditEntry?, namesRow: Bool = false
        ) -> Query {
            guard let entry = entry?.storable else { return Query(change, values) }
            let insert = insertSQL(
                from: " from changed", objectSuffix: namesRow ? " || ' ' || id" : "", first: values.count + 1)
            return Query(
                """
                with changed as (\(change)), audited as (\(insert)),
                  removed as (\(occasionalTrimSQL))
                select id from changed
                """,
                values + Self.values(entry))
        }
    }
#endif

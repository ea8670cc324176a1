#if PostgreSQL
    internal import LeakStore

    /// Columns of a table whose values follow from other rows. ``PostgreSQLStore/verify()`` compares them with these rows, and a
    /// change that cannot add to them or subtract from them computes them again.
    struct DerivedColumns: Sendable {
        private let table: String
        private let alias: String
        private let columns: String
        /// A query for the correct values.
        private let partsSQL: String

        /// - Parameters:
        ///   - columns: columns of `table`, as a list.
        ///   - alias: the name of `table` in `parts`.
        private init(_ columns: String, of table: String, as alias: String, from parts: String) {
            (self.columns, self.table, self.alias, partsSQL) = (columns, table, alias, parts)
        }

        static func cappedSumSQL(of column: String) -> String {
            "least(coalesce(sum(\(column)), 0), LARGEST_TOTAL)"
        }

        /// A query for the number of rows whose columns are wrong.
        var countSQL: String {
            let differs = columns.contains(",") ? "<>" : "is distinct from"
            return "select count(*) from \(table) \(alias) where (\(columns)) \(differs) (\(partsSQL))"
        }

        /// Returns a query that computes the columns of some rows.
        ///
        /// - Parameter condition: limits the rows further.
        func update(of rows: [Int64], where condition: String = "true") -> Query {
            Query(
                """
                update \(table) \(alias) set (\(columns)) = (\(partsSQL))
                where \(alias).id = any($1::bigint[]) and \(condition)
                """, .integers(rows.map(Optional.some)))
        }

        static let leakTotals = DerivedColumns(
            "reports, freed", of: "leak", as: "l",
            from: """
                select \(cappedSumSQL(of: "reports")), \(cappedSumSQL(of: "freed")) from leak_release where leak = l.id
                """)
        static let leakBuilds = DerivedColumns(
            "builds", of: "leak", as: "l", from: "select count(*) from leak_build where leak = l.id")
        static let firstBuild = DerivedColumns(
            "first_build", of: "leak", as: "l",
            from: """
                select b.id from leak_build p join build b on b.id = p.build
                where p.leak = l.id and b.release = l.first_release order by b.order_key limit 1
                """)
        static let impact = DerivedColumns(
            "impact", of: "leak", as: "l",
            from: """
                select coalesce((select s.installs from recent_install_set s
                  join app a on a.id = l.app and a.newest_release = s.release where s.leak = l.id), 0)
                """)
        static let releaseTotals = DerivedColumns(
            "reports, freed", of: "release", as: "r",
            from: """
                select \(cappedSumSQL(of: "reports")), \(cappedSumSQL(of: "freed")) from leak_release where release = r.id
                """)
        static let releaseChecks = DerivedColumns(
            "checks", of: "release", as: "r",
            from: """
                select \(cappedSumSQL(of: "c.checks")) from build b join build_check c on c.build = b.id
                where b.release = r.id
                """)
        static let appTotals = DerivedColumns(
            "leaks, reports, freed", of: "app", as: "a",
            from: """
                select count(*), \(cappedSumSQL(of: "reports")), \(cappedSumSQL(of: "freed")) from leak where app = a.id
                """)
    }
#endif

#if PostgreSQL
    internal import LeakStore

    /// Columns of `leak` and `leak_release` that give the reports of most rows in a period without reading another table.
    ///
    /// For each kind of period, such as 7 days, a row describes the period that ends with the hour of its last report: it has
    /// the reports before that period, and the first bucket (hour or day) of the period that has reports. Both values are also
    /// right for a later period that begins at that bucket or earlier.
    struct PeriodColumns: Sendable {
        let table: String
        /// Returns SQL for the condition that a row `c` of `leak_day` or `leak_hour` counts in a row, which is given by its
        /// alias.
        private let partCondition: @Sendable (_ row: String) -> String

        static let leaks = PeriodColumns(table: "leak") { "c.leak = \($0).id" }
        static let releases = PeriodColumns(table: "leak_release") {
            "c.leak = \($0).leak and c.release = \($0).release"
        }
        static let all = [leaks, releases]

        private init(table: String, partCondition: @escaping @Sendable (_ row: String) -> String) {
            (self.table, self.partCondition) = (table, partCondition)
        }

        /// Returns the name of the column that has the reports before the period that ends with the hour of the row's last
        /// report.
        static func beforeColumn(_ period: Period) -> String { "before_\(period.rawValue)" }

        /// Returns the name of the column that has the first bucket with reports in the period that ends with the hour of the
        /// row's last report. The column is null if this bucket is not known.
        static func oldestColumn(_ period: Period) -> String { "oldest_\(period.rawValue)" }

        /// Names of the columns, in the order of ``valuesSQL(firstHourSQL:lastHourSQL:)``.
        static let names = Period.allCases.flatMap { [beforeColumn($0), oldestColumn($0)] }

        private static func periods(_ counts: RunningCounts) -> [Period] {
            Period.allCases.filter { RunningCounts.of($0).table == counts.table }
        }

        /// Returns SQL for the first bucket of a period that ends with an hour.
        private static func firstBucketSQL(_ period: Period, lastHour hour: String) -> String {
            period == .day ? "(\(hour) - 24)" : "(\(hour) / 24 - \(period.days - 1))"
        }

        /// Returns SQL for the bucket of an hour.
        private static func bucketSQL(_ hour: String, _ counts: RunningCounts) -> String {
            "(\(hour) * \(Calendar.hourMilliseconds) / \(counts.bucketMilliseconds))"
        }

        // MARK: Writing

        /// Reports that an update adds to a row.
        struct AddedReports {
            /// Returns SQL for the first bucket with added reports, for a period of these buckets. The value is null if no reports
            /// are added.
            fileprivate let firstBucketSQL: @Sendable (Period, RunningCounts) -> String

            /// Describes reports that are added to a row.
            ///
            /// - Parameter hour: SQL for the hour of the first added report.
            static func since(_ hour: String) -> AddedReports {
                AddedReports { _, counts in bucketSQL(hour, counts) }
            }

            /// The reports of `excluded`, the row that an upsert could not insert. Its columns have the values of
            /// ``PeriodColumns/valuesSQL(firstHourSQL:lastHourSQL:)``.
            static let excluded = AddedReports { period, _ in
                "case when excluded.last_hour is not null then coalesce(excluded.\(oldestColumn(period)), -1) end"
            }
        }

        /// Returns SQL that assigns ``names`` in an update of a row. The update runs after the writes to `leak_hour` and
        /// `leak_day`.
        ///
        /// The SQL reads both tables only if the last hour changes or reports come late.
        ///
        /// - Parameters:
        ///   - row: the alias of the row before the update.
        ///   - reportsSQL: SQL for all reports after the update.
        ///   - lastHourSQL: SQL for the last hour after the update.
        ///   - added: the added reports; `nil` reads both tables in any case.
        func assignmentsSQL(
            _ row: String, reportsSQL: String, lastHourSQL: String, added: AddedReports? = nil
        )
            -> String
        {
            RunningCounts.all.map { counts in
                let periods = Self.periods(counts)
                // The first bucket of the shortest period is the latest.
                let shortest = periods[0]
                let isStale = added.map { added in
                    """
                    coalesce(\(row).\(Self.oldestColumn(shortest)) is null
                      or \(Self.bucketSQL(lastHourSQL, counts)) is distinct from \(Self.bucketSQL("\(row).last_hour", counts))
                      or \(added.firstBucketSQL(shortest, counts)) < \(row).\(Self.oldestColumn(shortest)), false)
                    """
                }
                // A single query for all columns of a row would run for every row, even for a row that stays as it is.
                return periods.flatMap { period in
                    let recent = """
                        from \(counts.source) c where \(partCondition(row))
                          and c.\(counts.bucket) >= \(Self.firstBucketSQL(period, lastHour: lastHourSQL))
                        """
                    let (before, oldest) = (Self.beforeColumn(period), Self.oldestColumn(period))
                    return [
                        (before, "\(reportsSQL) - (select coalesce(sum(c.reports), 0) \(recent))"),
                        (oldest, "(select min(c.\(counts.bucket)) \(recent))"),
                    ].map { column, value in
                        "\(column) = "
                            + (isStale.map { "case when \($0) then \(value) else \(row).\(column) end" }
                                ?? value)
                    }
                }.joined(separator: ", ")
            }.joined(separator: ", ")
        }

        /// Returns SQL for the values of ``names`` in a row that is inserted with its first reports.
        ///
        /// - Parameters:
        ///   - firstHourSQL: SQL for the hour of the first of these reports; null without reports.
        ///   - lastHourSQL: SQL for the hour of the last of these reports.
        static func valuesSQL(firstHourSQL: String, lastHourSQL: String) -> String {
            Period.allCases.map { period in
                let bucket = bucketSQL(firstHourSQL, RunningCounts.of(period))
                return
                    "0, case when \(bucket) >= \(Self.firstBucketSQL(period, lastHour: lastHourSQL)) then \(bucket) end"
            }.joined(separator: ", ")
        }

        /// SQL that assigns ``names`` the values of a row whose reports by period are not known. They are then read from
        /// `leak_day` and `leak_hour`, until the row gets reports again.
        static let unknownAssignmentsSQL = Period.allCases.map {
            "\(beforeColumn($0)) = 0, \(oldestColumn($0)) = null"
        }.joined(separator: ", ")

        /// Returns statements that compute the columns of all rows, or of the rows of one leak.
        ///
        /// - Parameter leak: SQL for the row ID of the leak.
        static func rebuildStatements(of leak: String? = nil) -> [String] {
            [
                "update leak l set \(leaks.assignmentsSQL("l", reportsSQL: "l.reports", lastHourSQL: "l.last_hour"))"
                    + (leak.map { " where l.id = \($0)" } ?? ""),
                releaseRebuildStatement(leak.map { " where n.leak = \($0)" } ?? ""),
            ]
        }

        /// Returns the statement that computes the columns of the rows of `leak_release`.
        ///
        /// - Parameter condition: SQL that limits the rows `n`, beginning with ` where`.
        static func releaseRebuildStatement(_ condition: String) -> String {
            let reported = RunningCounts.all.map { counts in
                """
                (select max(c.\(counts.bucket)) * \(counts.bucketMilliseconds / Calendar.hourMilliseconds)
                  from \(counts.source) c where \(releases.partCondition("n")) and c.reports > 0)
                """
            }
            let lastHour = "greatest(\(reported.joined(separator: ", ")))"
            return """
                update leak_release n set last_hour = \(lastHour),
                  \(releases.assignmentsSQL("n", reportsSQL: "n.reports", lastHourSQL: lastHour))
                """ + condition
        }

        static let creationStatements =
            [
                // Null if the leak only has reports of freed objects in the release.
                "alter table leak_release add column if not exists last_hour bigint"
            ]
            + all.map { columns in
                let added = Period.allCases.flatMap { period in
                    [
                        "add column if not exists \(beforeColumn(period)) bigint not null default 0",
                        "add column if not exists \(oldestColumn(period)) integer",
                    ]
                }
                return "alter table \(columns.table) \(added.joined(separator: ", "))"
            }

        // MARK: Reading

        /// Returns SQL for the reports of a row in a period.
        ///
        /// - Parameters:
        ///   - row: the alias of the row.
        ///   - first: SQL for the first bucket of the period.
        ///   - hour: SQL for the hour with which the period ends.
        ///   - elseSQL: SQL for the reports of a row whose columns do not give them.
        static func reportsSQL(
            _ row: String, in period: Period, from first: String, to hour: String, elseSQL: String
        ) -> String {
            """
            case when \(row).\(oldestColumn(period)) >= \(first) and \(row).last_hour <= \(hour)
                and \(row).reports < LARGEST_TOTAL then \(row).reports - \(row).\(beforeColumn(period))
              else \(elseSQL) end
            """
        }

        /// A sentence that is true for every row of an undamaged database, and a query that counts the rows for which it is
        /// false. Hours and days that were deleted are not compared.
        var check: (sentence: String, sql: String) {
            let wrong = Period.allCases.map { period in
                let counts = RunningCounts.of(period)
                let (before, oldest) = ("l.\(Self.beforeColumn(period))", "l.\(Self.oldestColumn(period))")
                let since =
                    "\(partCondition("l")) and c.\(counts.bucket) >= \(Self.firstBucketSQL(period, lastHour: "l.last_hour"))"
                let sum = "(select coalesce(sum(c.reports), 0) from \(counts.source) c where \(since))"
                return """
                    \(before) > l.reports - \(sum)
                    or \(before) <> l.reports - \(sum) and exists (select 1 from \(counts.source) c
                      where \(partCondition("l")) and c.\(counts.bucket) = \(oldest))
                    or exists (select 1 from \(counts.source) c
                      where \(since) and c.\(counts.bucket) < \(oldest) and c.reports > 0)
                    """
            }
            return (
                "reports before a period in \(table) are the total without the reports of the period",
                """
                select count(*) from \(table) l
                where l.reports < LARGEST_TOTAL and (\(wrong.joined(separator: " or ")))
                """
            )
        }
    }
#endif

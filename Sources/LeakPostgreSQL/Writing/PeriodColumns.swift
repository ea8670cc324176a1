#if PostgreSQL
    internal import LeakStore

    /// Columns of `leak` and `leak_release` that give the reports of most rows in a period without another table.
    ///
    /// For each period that ends with the hour of its last report, a row has the reports before the period and the first
    /// bucket (hour or day) of the period that has reports. Both hold for every later period that begins at that bucket or earlier.
    struct PeriodColumns: Sendable {
        let table: String
        /// SQL for the condition on a row `c` of `leak_day` or `leak_hour` that counts in a row with an alias.
        private let partCondition: @Sendable (_ row: String) -> String

        static let leaks = PeriodColumns(table: "leak") { "c.leak = \($0).id" }
        static let releases = PeriodColumns(table: "leak_release") {
            "c.leak = \($0).leak and c.release = \($0).release"
        }
        static let all = [leaks, releases]

        private init(table: String, partCondition: @escaping @Sendable (_ row: String) -> String) {
            (self.table, self.partCondition) = (table, partCondition)
        }

        /// Returns the column with the reports before the period that ends with the last hour.
        static func beforeColumn(_ period: Period) -> String { "before_\(period.rawValue)" }

        /// Returns the column with the first bucket of that period that has reports; the column is null if the bucket is not
        /// known.
        static func oldestColumn(_ period: Period) -> String { "oldest_\(period.rawValue)" }

        /// Names of the columns, in the order of ``values(first:last:)``.
        static let names = Period.allCases.flatMap { [beforeColumn($0), oldestColumn($0)] }

        private static func periods(_ counts: RunningCounts) -> [Period] {
            Period.allCases.filter { RunningCounts.of($0).table == counts.table }
        }

        /// Returns SQL for the first bucket of a period that ends with an hour.
        private static func firstBucket(_ period: Period, lastHour hour: String) -> String {
            period == .day ? "(\(hour) - 24)" : "(\(hour) / 24 - \(period.days - 1))"
        }

        /// Returns SQL for the bucket of an hour.
        private static func bucket(_ hour: String, _ counts: RunningCounts) -> String {
            "(\(hour) * \(Calendar.hourMilliseconds) / \(counts.bucketMilliseconds))"
        }

        // MARK: Writing

        /// Reports that an update adds to a row.
        struct AddedReports {
            /// Returns SQL for the first bucket with added reports, for a period of these buckets. The value is null if no reports
            /// are added.
            fileprivate let firstBucket: @Sendable (Period, RunningCounts) -> String

            /// Makes added reports from the SQL for the hour of the first one.
            static func since(_ hour: String) -> AddedReports {
                AddedReports { _, counts in bucket(hour, counts) }
            }

            /// The reports of `excluded`, the row that an upsert could not insert. Its columns have the values of
            /// ``PeriodColumns/values(first:last:)``.
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
        ///   - reports: SQL for all reports after the update.
        ///   - lastHour: SQL for the last hour after the update.
        ///   - added: the added reports; `nil` reads both tables in any case.
        func assignments(_ row: String, reports: String, lastHour: String, added: AddedReports? = nil)
            -> String
        {
            RunningCounts.all.map { counts in
                let periods = Self.periods(counts)
                // The first bucket of the shortest period is the latest.
                let shortest = periods[0]
                let isStale = added.map { added in
                    """
                    coalesce(\(row).\(Self.oldestColumn(shortest)) is null
                      or \(Self.bucket(lastHour, counts)) is distinct from \(Self.bucket("\(row).last_hour", counts))
                      or \(added.firstBucket(shortest, counts)) < \(row).\(Self.oldestColumn(shortest)), false)
                    """
                }
                // A single query for all columns of a row would run for every row, even for a row that stays as it is.
                return periods.flatMap { period in
                    let recent = """
                        from \(counts.source) c where \(partCondition(row))
                          and c.\(counts.bucket) >= \(Self.firstBucket(period, lastHour: lastHour))
                        """
                    let (before, oldest) = (Self.beforeColumn(period), Self.oldestColumn(period))
                    return [
                        (before, "\(reports) - (select coalesce(sum(c.reports), 0) \(recent))"),
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
        ///   - first: the hour of the first of these reports; null without reports.
        ///   - last: the hour of the last.
        static func values(first: String, last: String) -> String {
            Period.allCases.map { period in
                let bucket = bucket(first, RunningCounts.of(period))
                return
                    "0, case when \(bucket) >= \(Self.firstBucket(period, lastHour: last)) then \(bucket) end"
            }.joined(separator: ", ")
        }

        /// Returns statements that compute the columns of all rows, or of the rows of one leak.
        ///
        /// - Parameter leak: SQL for the row ID of the leak.
        static func rebuild(of leak: String? = nil) -> [String] {
            let reported = RunningCounts.all.map { counts in
                """
                (select max(c.\(counts.bucket)) * \(counts.bucketMilliseconds / Calendar.hourMilliseconds)
                  from \(counts.source) c where \(releases.partCondition("n")) and c.reports > 0)
                """
            }
            let lastHour = "greatest(\(reported.joined(separator: ", ")))"
            return [
                "update leak l set \(leaks.assignments("l", reports: "l.reports", lastHour: "l.last_hour"))"
                    + (leak.map { " where l.id = \($0)" } ?? ""),
                """
                update leak_release n set last_hour = \(lastHour),
                  \(releases.assignments("n", reports: "n.reports", lastHour: lastHour))
                """ + (leak.map { " where n.leak = \($0)" } ?? ""),
            ]
        }

        static let creation =
            [
                // Null if the leak has only freed reports in the release.
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
        ///   - first: the first bucket of the period.
        ///   - hour: the hour that the period ends with.
        ///   - sum: SQL for the reports of a row whose columns do not give them.
        static func reports(
            _ row: String, in period: Period, from first: String, to hour: String, else sum: String
        ) -> String {
            """
            case when \(row).\(oldestColumn(period)) >= \(first) and \(row).last_hour <= \(hour)
                and \(row).reports < LARGEST_TOTAL then \(row).reports - \(row).\(beforeColumn(period))
              else \(sum) end
            """
        }

        /// A sentence about the columns, and a query that counts the rows for which it does not hold. Hours and days that
        /// were deleted are not compared.
        var check: (sentence: String, sql: String) {
            let wrong = Period.allCases.map { period in
                let counts = RunningCounts.of(period)
                let (before, oldest) = ("l.\(Self.beforeColumn(period))", "l.\(Self.oldestColumn(period))")
                let since =
                    "\(partCondition("l")) and c.\(counts.bucket) >= \(Self.firstBucket(period, lastHour: "l.last_hour"))"
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
                "reports before a period in \(table) are all reports without those of the period",
                """
                select count(*) from \(table) l
                where l.reports < LARGEST_TOTAL and (\(wrong.joined(separator: " or ")))
                """
            )
        }
    }
#endif

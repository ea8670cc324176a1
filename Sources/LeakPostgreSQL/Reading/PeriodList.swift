#if PostgreSQL
    internal import LeakStore

    /// A list of the leaks with reports in a period, of an app or of all apps.
    ///
    /// A leak never has more reports in a period than in total. The indexes of the orders sort by total reports, so they
    /// limit which leaks can be on a page. Totals of the list come from an index and from stored sums.
    struct PeriodList {
        private let query: LeakQuery
        private let counts: RunningCounts
        private let now: Int64
        private let period: Period
        private let excludedRowIDs: [Int64]

        /// Number of leaks, over all apps, whose reports in the period are read to find the lowest sort key of the page.
        private static let candidateCount = 500

        init(_ query: LeakQuery, in period: Period, leakStates: LeakStates, now: Int64) {
            self.query = query
            self.period = period
            self.now = now
            counts = RunningCounts.of(period)
            excludedRowIDs = leakStates.rowIDs(excludedFrom: .named, of: query.state)
        }

        private var startHour: Int64 { period.startTime(now: now) / Calendar.hourMilliseconds }

        /// Selects how many leaks and reports the period has, including those of leaks that the list leaves out. Leaks are
        /// counted by the hour of their last report, reports by the ten-minute slots and days of their apps.
        var totals: Query {
            Query(
                """
                select coalesce(sum(hours.leaks), 0)::bigint,
                  least(coalesce(sum(slots.reports), 0) + coalesce(sum(days.reports), 0), LARGEST_TOTAL)::bigint
                from app a
                cross join lateral (select sum(reported) as leaks from app_last_hour
                  where app = a.id and hour >= $2::bigint) hours
                cross join lateral (select sum(reports) as reports from app_slot
                  where app = a.id and slot >= $3::bigint) slots
                cross join lateral (select sum(reports) as reports from app_day
                  where app = a.id and day >= $4::bigint) days
                where a.environment = $5::text and ($1::text is null or a.name = $1::text)
                """, .text(query.app), .integer(startHour), .integer(period.firstSlot(now: now)),
                .integer(period.firstAppDay(now: now)), .text(query.environment))
        }

        /// The lowest sort keys that a leak of the page can have.
        struct Bound {
            var keys: PageCursor
            /// `true` if the index of the sort order leads to few leaks at or above ``keys``, because the last leak that was read
            /// is below them.
            var isNear: Bool

            /// - Parameter row: a row of ``PeriodList/bound(after:limit:)``.
            init(_ row: Row) {
                keys = PageCursor(primary: row.int64(0), secondary: row.int64(1), leakRowID: row.int64(2))
                isNear = row.bool(3)
            }
        }

        /// Selects a ``Bound``. Reads the next leaks from the index of the sort order, sorts them by their keys for the period,
        /// and selects the keys of the last leak that fits on a page. Selects no row if these leaks do not fill a page.
        ///
        /// A leak whose total reports put it below these keys also has too few reports in the period, which are never more than
        /// in total.
        func bound(after cursor: PageCursor?, limit: Int) -> Query {
            let next = NextLeaks(query, after: cursor, limit: limit)
            var values = QueryValues(next.values)
            let exact = exactJoinSQL(of: "candidate", where: listConditionsSQL(&values), &values)
            let candidateLimit =
                "greatest($2::bigint, \(Self.candidateCount) / (select count(*) from app where environment = $3::text))"
            return Query(
                """
                with candidate as (\(next.selectSQL(columns: "id", limitSQL: candidateLimit))), bound as (
                  select exact.k1, exact.k2, candidate.id from candidate \(exact)
                  order by exact.k1 desc, exact.k2 desc, candidate.id desc offset $2::bigint - 1 limit 1
                )
                select *, exists (select 1 from candidate c where (c.k1, c.k2, c.id) < (bound.k1, bound.k2, bound.id))
                from bound
                """, values.all)
        }

        /// Selects the leaks of a page.
        ///
        /// An exact count needs a look-up for each leak, so few leaks are counted exactly:
        /// 1. An index gives each leak that is not below `bound` an upper limit of its reports in the period.
        /// 2. The leaks with the highest limits are counted exactly. They give a new bound, which is higher than `bound`.
        /// 3. The leaks whose limit is not below the new bound are counted exactly, and the page is chosen from them.
        ///
        /// - Parameter bound: `nil` reads all leaks of the period.
        func page(after cursor: PageCursor?, from bound: Bound?, limit: Int) -> Query {
            var values = QueryValues()
            let upper = upperLimitSQL(&values)
            var conditions = [
                query.scope.conditionSQL(on: "l.app", &values),
                "l.last_seen >= \(values.bind(period.startTime(now: now)))", listConditionsSQL(&values),
            ]
            if let bound { conditions.append(conditionSQL(from: bound, upperLimit: upper, values: &values)) }
            let exact = exactJoinSQL(of: "seen", where: "true", &values)
            var (next, cursorCondition) = ("", "")
            if let cursor {
                let keys = [cursor.primary, cursor.secondary, cursor.leakRowID].map { values.bind($0) }
                    .joined(separator: ", ")
                next = "where (k1, k2, id) < (\(keys))"
                cursorCondition = "and (exact.k1, exact.k2, seen.id) < (\(keys))"
            }
            let limit = values.bind(Int64(limit))
            return Query(
                """
                with seen as materialized (
                  select l.id, \(sortKeySQL(of: firstSortColumn, reportsSQL: upper)) as k1,
                    \(sortKeySQL(of: secondSortColumn, reportsSQL: upper)) as k2 from leak l
                  where \(conditions.joined(separator: " and "))
                ), bound as (
                  select exact.k1, exact.k2, seen.id
                  from (select * from seen \(next) order by k1 desc, k2 desc, id desc
                    limit greatest(\(limit), \(Self.candidateCount))) seen \(exact)
                  order by exact.k1 desc, exact.k2 desc, seen.id desc offset \(limit) - 1 limit 1
                ), page as (
                  select seen.id, exact.* from seen \(exact)
                  where ((seen.k1, seen.k2, seen.id) >= (select k1, k2, id from bound)) is not false \(cursorCondition)
                  order by exact.k1 desc, exact.k2 desc, seen.id desc limit \(limit)
                )
                \(LeakRow.selectSQL)
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values.all)
        }

        /// Returns SQL for the conditions that a leak `l` has reports in the period and is in the list.
        private func listConditionsSQL(_ values: inout QueryValues) -> String {
            let exclusion =
                excludedRowIDs.isEmpty
                ? "" : " and l.id not in (select unnest(\(values.bind(excludedRowIDs))))"
            return "l.last_hour >= \(values.bind(startHour))\(exclusion)"
        }

        /// Returns SQL for the condition that the upper limits of a leak's sort keys are not below a bound.
        private func conditionSQL(
            from bound: Bound, upperLimit upper: String, values: inout QueryValues
        ) -> String {
            // Without a near bound, an index of an order leads to most leaks, each of which would be read from the table. An
            // expression instead of a column keeps PostgreSQL from using the index.
            let column = { (name: String) in
                bound.isNear ? "l." + name : sortKeySQL(of: name, reportsSQL: upper) + " + 0"
            }
            let keys = [
                (firstSortColumn.map(column), bound.keys.primary),
                (secondSortColumn.map(column), bound.keys.secondary),
                ("l.id", bound.keys.leakRowID),
            ].compactMap { column, key in column.map { (column: $0, key: values.bind(key)) } }
            return """
                (\(keys.map(\.column).joined(separator: ", ")))
                  >= (\(keys.map(\.key).joined(separator: ", ")))
                """
        }

        /// Returns SQL for a join that computes the sort keys and the other columns of `page` for each row of a table. The
        /// `offset 0` makes PostgreSQL look up each row by its index.
        private func exactJoinSQL(
            of table: String, where condition: String, _ values: inout QueryValues
        ) -> String {
            let start = values.bind(period.startTime(now: now))
            let reports = counts.reportsSQL(
                sinceSQL: start, firstBucketSQL: values.bind(Int64(period.firstBucket(now: now))))
            return """
                cross join lateral (
                  select \(sortKeySQL(of: firstSortColumn, reportsSQL: reports)) as k1,
                    \(sortKeySQL(of: secondSortColumn, reportsSQL: reports)) as k2, \(reports) as reports,
                    l.installs, \(LeakRow.rateReleaseSQL(of: "l")) as rate_release
                  from leak l left join \(counts.table) r on r.leak = l.id
                  where l.id = \(table).id and \(condition) offset 0
                ) exact
                """
        }

        private var firstSortColumn: String? { query.sort.columns.primary }
        private var secondSortColumn: String? { query.sort.columns.secondary }

        /// - Parameter reportsSQL: SQL for the reports of the period, which replace the total reports.
        private func sortKeySQL(of column: String?, reportsSQL: String) -> String {
            column == "reports" ? "(\(reportsSQL))" : column.map { "l.\($0)" } ?? "0::bigint"
        }

        /// Returns SQL for an upper limit of the reports of leak `l` in the period.
        private func upperLimitSQL(_ values: inout QueryValues) -> String {
            // The total is the limit in two cases. If the clock shows a time before the last hour, its periods begin earlier than
            // the stored periods. A total that has reached the largest number does not grow any more.
            """
            case when l.last_hour > \(values.bind(Int64(Calendar.hour(of: now)))) or l.reports >= LARGEST_TOTAL
              then l.reports else l.reports - l.\(PeriodColumns.beforeColumn(period)) end
            """
        }
    }
#endif

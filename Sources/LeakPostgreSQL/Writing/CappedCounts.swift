#if PostgreSQL
    internal import LeakStore

    /// A table of counts by name, with a limited number of names for each build (`build_check`) or app (`dropped`), called the owner.
    /// Names beyond the limit count as `other`, and their counts are added to the table `over_limit` as well.
    struct CappedCounts {
        /// A number to add to the count of a name. The owner is the row ID of the build or app that counts the name.
        struct Row {
            var owner: Int64
            var app: Int64
            var name: String
            var count: Int
            /// Empty for a table without buckets.
            var buckets: [BucketCounts.Part] = []
        }

        private let table: String
        private let ownerColumn: String
        private let nameColumn: String
        private let countColumn: String
        private let limitName: OverLimitCount.Name
        /// `true` if the table has a column `buckets`.
        private let hasBuckets: Bool
        /// SQL for the names that are not limited.
        private let unlimitedNames: String

        static let checks = CappedCounts(
            table: "build_check", ownerColumn: "build", nameColumn: "class", countColumn: "checks",
            limitName: .checkClasses,
            hasBuckets: true, unlimitedNames: "'other'")
        static let dropped = CappedCounts(
            table: "dropped", ownerColumn: "app", nameColumn: "reason", countColumn: "count",
            limitName: .droppedReasons,
            hasBuckets: false, unlimitedNames: "'other', '\(DiscardedLeak.reason)'")

        /// Returns the query that adds the rows, or `nil` if there are none. The query counts existing names only for owners
        /// that get a new name.
        func upsert(of rows: [Row], maxNames: Int) -> Query? {
            guard !rows.isEmpty else { return nil }
            let bucketColumn = hasBuckets ? ", buckets" : ""
            let sum =
                "case when sum(count) < \(BucketCountsNumeric.totalLimitSQL) then sum(buckets) else 0 end"
            let bucketSum = BucketCountsNumeric.sumSQL(
                "known.buckets", "excluded.buckets",
                totalSQL: "known.\(countColumn) + excluded.\(countColumn)")
            return Query(
                """
                with asked as (
                  select owner, app, name, least(sum(count), LARGEST_TOTAL)::bigint as count, \(sum) as buckets
                  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $7::numeric[])
                    as new (owner, app, name, count, buckets)
                  group by owner, app, name
                ), fresh as (
                  select owner, name, row_number() over (partition by owner order by name collate "C") as number from asked
                  where name not in (\(unlimitedNames))
                    and not exists (select 1 from \(table) t where t.\(ownerColumn) = asked.owner and t.\(nameColumn) = asked.name)
                ), there as (
                  select \(ownerColumn) as owner, count(*) as names from \(table)
                  where \(ownerColumn) in (select owner from fresh) and \(nameColumn) not in (\(unlimitedNames)) group by \(ownerColumn)
                ), placed as (
                  select asked.owner, asked.app, asked.name, asked.count, asked.buckets, fresh.owner is not null
                    and coalesce(there.names, 0) + fresh.number > $5::bigint as is_over_limit
                  from asked left join fresh on fresh.owner = asked.owner and fresh.name = asked.name
                  left join there on there.owner = asked.owner
                ), written as (
                  insert into \(table) as known (\(ownerColumn), \(nameColumn), \(countColumn)\(bucketColumn))
                  select owner, case when is_over_limit then 'other' else name end,
                    least(sum(count), LARGEST_TOTAL)::bigint\(hasBuckets ? ", \(sum)" : "")
                  from placed group by 1, 2 order by 1, 2
                  on conflict (\(ownerColumn), \(nameColumn)) do update set
                    \(countColumn) = least(known.\(countColumn) + excluded.\(countColumn), LARGEST_TOTAL)
                    \(hasBuckets ? ", buckets = \(bucketSum)" : "")
                )
                insert into over_limit as known (app, name, count)
                select app, $6::text, least(sum(count), LARGEST_TOTAL)::bigint from placed where is_over_limit
                group by app order by app
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integers(rows.map(\.owner)), .integers(rows.map(\.app)), .texts(rows.map(\.name)),
                .integers(rows.map(\.count)), .integer(maxNames), .text(limitName.rawValue),
                .buckets(rows.map { BucketCounts($0.buckets) }))
        }
    }
#endif

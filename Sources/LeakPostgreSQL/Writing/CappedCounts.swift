#if PostgreSQL
    internal import LeakStore

    /// A table of counts by name, with a limited number of names per owner. Names beyond the limit count as `other`, and in
    /// `beyond`.
    struct CappedCounts {
        struct Row {
            var owner: Int64
            var app: Int64
            var name: String
            var count: Int
            /// Empty for a table without buckets.
            var buckets: [BucketCounts.Part] = []
        }

        private let table: String
        private let owner: String
        private let name: String
        private let count: String
        private let limit: OverLimitCount.Name
        /// True if the table has a column `buckets`.
        private let hasBuckets: Bool

        static let checks = CappedCounts(
            table: "build_check", owner: "build", name: "class", count: "checks", limit: .checkClasses,
            hasBuckets: true)
        static let dropped = CappedCounts(
            table: "dropped", owner: "app", name: "reason", count: "count", limit: .droppedReasons,
            hasBuckets: false)

        /// Returns the query that adds the rows. It counts existing names only for owners that get a new name.
        func write(_ rows: [Row], limit count: Int) -> Query? {
            guard !rows.isEmpty else { return nil }
            let column = hasBuckets ? ", buckets" : ""
            let sum = "case when sum(count) < \(BucketNumber.limit) then sum(buckets) else 0 end"
            let added = BucketNumber.sum(
                "known.buckets", "excluded.buckets", total: "known.\(self.count) + excluded.\(self.count)")
            return Query(
                """
                with asked as (
                  select owner, app, name, least(sum(count), LARGEST_TOTAL)::bigint as count, \(sum) as buckets
                  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $7::numeric[])
                    as new (owner, app, name, count, buckets)
                  group by owner, app, name
                ), fresh as (
                  select owner, name, row_number() over (partition by owner order by name collate "C") as place from asked
                  where name <> 'other'
                    and not exists (select 1 from \(table) t where t.\(owner) = asked.owner and t.\(name) = asked.name)
                ), there as (
                  select \(owner) as owner, count(*) as names from \(table)
                  where \(owner) in (select owner from fresh) and \(name) <> 'other' group by \(owner)
                ), placed as (
                  select asked.owner, asked.app, asked.name, asked.count, asked.buckets, fresh.owner is not null
                    and coalesce(there.names, 0) + fresh.place > $5::bigint as is_beyond
                  from asked left join fresh on fresh.owner = asked.owner and fresh.name = asked.name
                  left join there on there.owner = asked.owner
                ), written as (
                  insert into \(table) as known (\(owner), \(name), \(self.count)\(column))
                  select owner, case when is_beyond then 'other' else name end,
                    least(sum(count), LARGEST_TOTAL)::bigint\(hasBuckets ? ", \(sum)" : "")
                  from placed group by 1, 2 order by 1, 2
                  on conflict (\(owner), \(name)) do update set
                    \(self.count) = least(known.\(self.count) + excluded.\(self.count), LARGEST_TOTAL)
                    \(hasBuckets ? ", buckets = \(added)" : "")
                )
                insert into beyond as known (app, name, count)
                select app, $6::text, least(sum(count), LARGEST_TOTAL)::bigint from placed where is_beyond
                group by app order by app
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integers(rows.map(\.owner)), .integers(rows.map(\.app)), .texts(rows.map(\.name)),
                .integers(rows.map(\.count)), .integer(count), .text(limit.rawValue),
                .buckets(rows.map { BucketCounts($0.buckets) }))
        }
    }
#endif

#if PostgreSQL
    internal import LeakStore

    extension Migration {
        /// Version 3: a release that only one device has reported is no longer an app's newest release if other releases are in
        /// wide use.
        static let schema3 = Migration(
            version: 3,
            // The rule of version 3, which CurrentRelease has replaced since.
            statements: [
                #"""
                update app set newest_release = (select id from release where app = app.id
                  order by (order_key >= '\x02'::bytea and (installs >= 2 or sessions >= 100)) desc, order_key desc limit 1)
                """#,
                """
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs from app a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """,
            ])
    }

    extension Migration {
        /// Version 4: the stored clock, by which all rows expire.
        static let schema4 = Migration(
            version: 4,
            statements: [
                // One row with the values of StoreClock.Stored. Without this row, the system clock is accepted.
                // wall: acceptedTime. keys: keyTime. waited: waitedMilliseconds, how long the system clock has been too far ahead.
                """
                create table if not exists clock (
                  id bigint primary key,
                  wall bigint not null,
                  keys bigint not null,
                  waited bigint not null
                )
                """,
                """
                insert into clock (id, wall, keys, waited)
                select 1, seen, greatest(seen, (select coalesce(max(at), 0) from idempotency)), 0
                from (select max(last_seen) as seen from app) a where seen is not null
                on conflict (id) do nothing
                """,
            ])
    }

    extension Migration {
        /// Version 5: running counts, by which lists of a period find the reports of each leak.
        static let schema5 = Migration(
            version: 5,
            statements: RunningCounts.all.flatMap { [$0.creationSQL] + $0.rebuildStatements })
    }

    extension Migration {
        /// Version 6: texts are stored once, and the bytes that an ingest key adds on a day are counted.
        static let schema6 = Migration(
            version: 6,
            statements: [
                "alter table idempotency_use add column if not exists text_bytes bigint not null default 0"
            ],
            convert: { connection throws(StoreError) in
                let batchSize = 100
                var lastRowID: Int64 = 0
                var hasMore = true
                while hasMore {
                    let rows = try connection.run(
                        Query(
                            """
                            select t.leak, t.title, l.class, t.module, t.stack, t.children, t.cycle, t.grouped_stack
                            from leak_text t join leak l on l.id = t.leak where t.leak > $1::bigint
                            order by t.leak limit $2::bigint
                            """, .integer(lastRowID), .integer(batchSize)))
                    let texts = rows.compactMap { row in
                        StoredTexts(
                            rowID: row.int64(0), title: row.text(1), className: row.optionalText(2),
                            module: row.optionalText(3), stack: row.bytes(4), children: row.bytes(5),
                            cycle: row.bytes(6), groupedStack: row.bytes(7))
                    }
                    for row in rows { lastRowID = row.int64(0) }
                    hasMore = rows.count == batchSize
                    try connection.run(
                        Query(
                            """
                            update leak_text t set grouped_stack = d.grouped_stack, search = d.search
                            from unnest($1::bigint[], $2::bytea[], $3::text[]) as d (leak, grouped_stack, search)
                            where t.leak = d.leak
                            """, .integers(texts.map { $0.rowID }), .byteArrays(texts.map(\.groupedStack)),
                            .texts(texts.map(\.search))))
                }
                try connection.run(
                    Query(
                        """
                        update app a set text_bytes = (select coalesce(sum(octet_length(title) + octet_length(stack)
                            + octet_length(children) + octet_length(cycle) + octet_length(grouped_class)
                            + octet_length(grouped_stack) + octet_length(search)), 0)
                          from leak l join leak_text t on t.leak = l.id where l.app = a.id)
                        """))
            })
    }

    extension Migration {
        /// Version 7: the hour of each leak's last report, so that an index alone counts the leaks of a period.
        static let schema7 = Migration(
            version: 7,
            statements: [
                // Null for a leak that only has reports of freed objects. If the hours of a day were deleted, the first hour of
                // the day counts.
                "alter table leak add column if not exists last_hour bigint",
                """
                update leak l set last_hour = seen.hour
                from (select leak, max(hour) as hour from (
                    select leak, hour from leak_hour where reports > 0
                    union all select leak, day * 24 from leak_day where reports > 0) as reported group by leak) as seen
                where l.id = seen.leak
                """,
                "drop index if exists leak_by_last_seen",
                // Lists of a period read all leaks of the period from this index alone.
                """
                create index leak_by_last_seen on leak (app, last_seen, id)
                  include (last_hour, first_seen, reports, impact, installs)
                """,
                "analyze leak",
            ])
    }

    extension Migration {
        /// Version 8: the reports of each leak before each period, so that an index gives an upper limit of the reports in the
        /// period; and the number of leaks of each app by the hour in which they were last seen.
        static let schema8 = Migration(
            version: 8,
            statements: [LastHours.creationSQL] + LastHours.rebuildStatements + [
                """
                alter table leak
                  add column if not exists before_24h bigint not null default 0,
                  add column if not exists before_7d bigint not null default 0,
                  add column if not exists before_14d bigint not null default 0,
                  add column if not exists before_30d bigint not null default 0,
                  add column if not exists before_90d bigint not null default 0
                """,
                "drop index if exists leak_by_last_seen",
                """
                create index leak_by_last_seen on leak (app, last_seen, id)
                  include (last_hour, first_seen, reports, impact, installs,
                    before_24h, before_7d, before_14d, before_30d, before_90d)
                """,
                "analyze leak",
            ])
    }

    extension Migration {
        /// Version 9: leaks that were merged into other leaks.
        static let schema9 = Migration(
            version: 9,
            statements: [
                // key: the key of the deleted leak. leak: the leak that has its counts. id: never reused, because a running
                // erasure starts again when a new id was given: InstallErasure.lastMergeQuery.
                """
                create table if not exists merged_leak (
                  id bigint generated always as identity primary key,
                  key uuid not null unique,
                  leak bigint not null,
                  at bigint not null
                )
                """,
                "create index if not exists merged_leak_into on merged_leak (leak)",
            ])
    }

    extension Migration {
        /// Version 10: a table that finds leaks by the elements of their grouping keys.
        static let schema10 = Migration(
            version: 10,
            statements: [
                // element: a hash of GroupingKeyElements.
                """
                create table if not exists leak_element (
                  app bigint not null,
                  element bigint not null,
                  leak bigint not null,
                  primary key (app, element, leak)
                )
                """
            ],
            convert: { connection throws(StoreError) in
                let batchSize = 500
                var lastRowID: Int64 = 0
                var hasMore = true
                while hasMore {
                    let rows = try connection.run(
                        Query(
                            """
                            select t.leak, l.app, t.grouped_version, t.grouped_class, t.grouped_stack, t.stack, t.children,
                              t.cycle
                            from leak_text t join leak l on l.id = t.leak where t.leak > $1::bigint
                            order by t.leak limit $2::bigint
                            """, .integer(lastRowID), .integer(batchSize)))
                    let leaks = rows.compactMap { row in
                        GroupingKey(
                            version: row.int(2), className: row.text(3), packed: row.bytes(4),
                            stack: row.bytes(5), children: row.bytes(6), cycle: row.bytes(7)
                        ).map { (leak: row.int64(0), app: row.int64(1), key: $0) }
                    }
                    for row in rows { lastRowID = row.int64(0) }
                    hasMore = rows.count == batchSize
                    try connection.run(.elementsInsertion(leaks))
                }
            })
    }

    extension Query {
        /// Returns the query that inserts the elements of the grouping keys of leaks.
        static func elementsInsertion(_ leaks: [(leak: Int64, app: Int64, key: GroupingKey)]) -> Query {
            let rows = leaks.flatMap { leak in
                GroupingKeyElements.hashes(of: leak.key).map { (leak.app, $0, leak.leak) }
            }
            return Query(
                """
                insert into leak_element (app, element, leak)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1, 2, 3 on conflict do nothing
                """, .integers(rows.map { $0.0 }), .integers(rows.map { $0.1 }),
                .integers(rows.map { $0.2 }))
        }
    }

    extension Migration {
        /// Version 11: symbols of images.
        static let schema11 = Migration(
            version: 11,
            statements: [
                // kind: image or mapping. image: the value of StoredSymbols.image. Ids are never reused: when a new id appears,
                // readers load the tables again. body: already compressed, so PostgreSQL must not compress it.
                """
                create table if not exists symbol_table (
                  id bigint generated always as identity primary key,
                  kind text not null,
                  image text not null,
                  name text not null,
                  uploaded_at bigint not null,
                  used_at bigint not null,
                  bytes bigint not null,
                  body bytea not null,
                  unique (kind, image)
                )
                """,
                "alter table symbol_table alter column body set storage external",
                "create index if not exists symbol_table_by_use on symbol_table (used_at)",
            ])
    }

    extension Migration {
        /// Version 12: reports before each period in each release, and the bucket up to which these numbers are valid; the message
        /// of a leak's newest report beside the other texts that a search reads.
        static let schema12 = Migration(
            version: 12,
            statements: PeriodColumns.creationStatements + PeriodColumns.rebuildStatements() + [
                "alter table leak_text add column if not exists message text",
                "alter table leak_text set (fillfactor = 90)",
            ] + Query.allMessagesUpdateStatements + [
                "alter table sample drop column if exists message",
                "analyze leak", "analyze leak_release",
            ])
    }

    extension Migration {
        /// Version 13: the bytes that an object of each leak retains, for the order by cost.
        static let schema13 = Migration(
            version: 13,
            statements: [
                // retained_bytes: the median by RetainedBytes.medianSQL(ofLeak:).
                "alter table leak add column if not exists retained_bytes bigint not null default 0",
                """
                update leak l set retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "l.id"))
                where id in (select leak from leak_value where kind = \(ValueKind.retainedBytes.rawValue))
                """,
            ])
    }

    extension Migration {
        /// Version 14: an index of the leaks that are freed late, and one of the leaks with an explanation, so that lists of a
        /// version do not read the rows of all leaks.
        static let schema14 = Migration(
            version: 14,
            statements: [
                "create index if not exists leak_slow on leak (id) where freed >= 1 and freed * 10 >= reports * 9",
                """
                create index if not exists leak_explained on leak (id) include (retained_bytes, alive_at_most)
                where retained_bytes > 0
                """,
                "analyze leak",
            ])
    }

    extension Migration {
        /// Version 15: the bytes of samples and explanations that an ingest key adds on a day.
        static let schema15 = Migration(
            version: 15,
            statements: [
                // detail_bytes: at most StoreLimits.detailBytesPerKeyAndDay.
                "alter table idempotency_use add column if not exists detail_bytes bigint not null default 0"
            ])
    }
#endif

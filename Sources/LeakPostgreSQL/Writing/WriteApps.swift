#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        func appsUpdate() -> Query? {
            guard !aggregate.apps.isEmpty else { return nil }
            var cells = [Int](repeating: 0, count: aggregate.apps.count)
            for (leak, count) in zip(aggregate.leaks, newCellCounts) { cells[leak.app] += count }
            return Query(
                """
                update app a set last_seen = greatest(a.last_seen, d.last_seen), leaks = a.leaks + d.leaks,
                  text_bytes = a.text_bytes + d.text_bytes, cells = a.cells + d.cells,
                  reports = least(a.reports + d.reports, LARGEST_TOTAL),
                  freed = least(a.freed + d.freed, LARGEST_TOTAL), is_shared = \(Self.isSharedSQL("a"))
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[])
                  as d (id, last_seen, leaks, text_bytes, cells, reports, freed, key, has_other_keys)
                where a.id = d.id
                """, .integers(rowIDs.apps.map(\.id)), .integers(aggregate.apps.map { $0.lastSeen }),
                .integers(rowIDs.apps.map(\.newLeaks)), .integers(rowIDs.apps.map(\.newTextBytes)),
                .integers(cells),
                .integers(aggregate.apps.map { $0.reports }), .integers(aggregate.apps.map { $0.freed }),
                .integers(aggregate.apps.map { Optional($0.ingestKey) }),
                .integers(aggregate.apps.map { $0.hasOtherKeys ? 1 as Int : 0 }))
        }

        /// Returns SQL for the column `is_shared` of a table after the reports in `d` are counted: 1 once an ingest key other than
        /// the key that made the row has reported it.
        static func isSharedSQL(_ table: String) -> String {
            """
            greatest(\(table).is_shared, d.has_other_keys,
              case when \(table).made_by is distinct from d.key then 1 else 0 end)
            """
        }

        func slotsUpsert() -> Query? {
            let slots = aggregate.slots.filter { $0.number >= oldestSlot }
            guard !slots.isEmpty else { return nil }
            return Query(
                """
                insert into app_slot as known (app, slot, reports)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1, 2
                on conflict (app, slot) do update set
                  reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                """, .integers(slots.map { rowIDs.apps[$0.app].id }), .integers(slots.map { $0.number }),
                .integers(slots.map { $0.reports }))
        }

        /// Returns the query that adds reports that came too late for their ten-minute slot, but not for their day.
        func lateDaysUpsert() -> Query? {
            struct Key: Hashable {
                var app: Int64
                var day: Int
            }
            var days: [Key: Int] = [:]
            for slot in aggregate.slots where slot.number < oldestSlot && slot.day >= firstDay {
                let key = Key(app: rowIDs.apps[slot.app].id, day: slot.day)
                days[key, default: 0].addBounded(slot.reports)
            }
            guard !days.isEmpty else { return nil }
            return .dayReportsUpsert(
                days.map { (app: $0.key.app, day: Int64($0.key.day), reports: $0.value) })
        }

        /// - Parameter maxReasons: number of reasons that one app counts separately.
        func droppedUpsert(maxReasons: Int) -> Query? {
            let dropped = zip(aggregate.apps, rowIDs.apps).flatMap { app, rowID in
                app.dropped.map { dropped in
                    CappedCounts.Row(
                        owner: rowID.id, app: rowID.id, name: dropped.key.text, count: dropped.value)
                }
            }
            return CappedCounts.dropped.upsert(of: dropped, maxNames: maxReasons)
        }

        /// Returns the query that adds the left-out details to the counts of their apps. It finds the row of the app through the
        /// leak, because the batch has not looked up an app that only explanations name.
        func leftOutUpdate() -> Query? {
            let leftOutDetails = details.leftOutCounts.map { (leak: states[$0.key].id, count: $0.value) }
            guard !leftOutDetails.isEmpty else { return nil }
            return Query(
                """
                insert into over_limit as known (app, name, count)
                select l.app, $3::text, sum(new.count)::bigint
                from unnest($1::bigint[], $2::bigint[]) as new (leak, count) join leak l on l.id = new.leak
                group by l.app order by l.app
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integers(leftOutDetails.map(\.leak)), .integers(leftOutDetails.map(\.count)),
                .text(OverLimitCount.Name.details.rawValue))
        }

        /// Returns the query that adds, for each app, the number of checks that are counted as `other` in place of their class.
        func unnamedChecksUpdate() -> Query? {
            let unnamedChecks = details.unnamedChecks.sorted { $0.key < $1.key }
            guard !unnamedChecks.isEmpty else { return nil }
            return Query(
                """
                insert into over_limit as known (app, name, count)
                select app, $3::text, count from unnest($1::bigint[], $2::bigint[]) as new (app, count)
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integers(unnamedChecks.map(\.key)), .integers(unnamedChecks.map(\.value)),
                .text(OverLimitCount.Name.details.rawValue))
        }

        /// Returns the query that adds how many items of each app were counted as `other`, by limit.
        func overLimitUpsert() -> Query? {
            let overLimitCounts = zip(aggregate.apps, rowIDs.apps).flatMap { app, rowID in
                app.overLimitCounts.filter { $0.value > 0 }.map {
                    (app: rowID.id, name: $0.key, count: $0.value)
                }
            }
            guard !overLimitCounts.isEmpty else { return nil }
            return Query(
                """
                insert into over_limit as known (app, name, count)
                select * from unnest($1::bigint[], $2::text[], $3::bigint[]) order by 1, 2
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integers(overLimitCounts.map(\.app)), .texts(overLimitCounts.map(\.name.rawValue)),
                .integers(overLimitCounts.map(\.count)))
        }
    }

    extension Query {
        /// Returns the query that adds reports to the days of apps.
        static func dayReportsUpsert(_ rows: [(app: Int64, day: Int64, reports: Int)]) -> Query {
            Query(
                """
                insert into app_day as known (app, day, reports)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1, 2
                on conflict (app, day) do update set
                  reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                """, .integers(rows.map(\.app)), .integers(rows.map(\.day)), .integers(rows.map(\.reports)))
        }
    }
#endif

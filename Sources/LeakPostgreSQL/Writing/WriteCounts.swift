#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        private var hours: [CountRow] {
            CountRow.summed(
                aggregate.hourCounts.map { hourCount in
                    CountRow(
                        leak: states[hourCount.leak].id, periodOrKind: hourCount.hour,
                        releaseOrValue: rowIDs.releases[aggregate.sources[hourCount.source].release],
                        reports: hourCount.reports)
                })
        }

        func hoursUpsert() -> Query? { Self.upsert(hours, into: "leak_hour", by: "hour") }

        private var days: [CountRow] {
            CountRow.summed(
                hours.map { hour in
                    var day = hour
                    day.periodOrKind = Calendar.day(
                        of: Int64(hour.periodOrKind) * Calendar.hourMilliseconds)
                    return day
                })
        }

        func daysUpsert() -> Query? { Self.upsert(days, into: "leak_day", by: "day") }

        func runningHoursRefresh() -> Query? { RunningCounts.hours.refreshQuery(after: hours) }

        func runningDaysRefresh() -> Query? { RunningCounts.days.refreshQuery(after: days) }

        private static func upsert(_ rows: [CountRow], into table: String, by time: String) -> Query? {
            guard !rows.isEmpty else { return nil }
            return Query(
                """
                insert into \(table) as known (leak, \(time), release, reports)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) order by 1, 2, 3
                on conflict (leak, \(time), release) do update set
                  reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                """, .integers(rows.map { $0.leak }), .integers(rows.map { $0.periodOrKind }),
                .integers(rows.map { $0.releaseOrValue }), .integers(rows.map { $0.reports }))
        }

        /// Returns the query that writes the values of leaks. Up to a limit, each value gets a row of its own; all other values
        /// share one row.
        func valuesUpsert() -> Query? {
            var rows = knownValues
            var texts = aggregate.texts
            // Equal texts get the same number, so that their reports are added up in one row.
            var textNumbers = Dictionary(
                uniqueKeysWithValues: texts.indices.map { (ByteText(texts[$0]), $0) })
            for newValue in details.values {
                let text = newValue.aggregatedValue.text
                let number = textNumbers[ByteText(text)] ?? texts.count
                if number == texts.count {
                    textNumbers[ByteText(text)] = number
                    texts.append(text)
                }
                rows.append(
                    CountRow(
                        leak: newValue.leakRowID, periodOrKind: newValue.aggregatedValue.kind.rawValue,
                        releaseOrValue: Int64(number), reports: newValue.reports))
            }
            guard !rows.isEmpty else { return nil }
            rows = CountRow.summed(rows)
            return Query(
                """
                insert into leak_value as known (leak, kind, value, reports)
                select leak, kind, place, least(sum(reports), LARGEST_TOTAL)::bigint from (
                  select new.leak, new.kind, new.reports,
                    case when there.leak is not null
                      or (select count(*) from leak_value c
                          where c.leak = new.leak and c.kind = new.kind and c.value <> '')
                        + row_number() over (
                          partition by new.leak, new.kind, there.leak is null and new.value <> '' order by new.value collate "C")
                        <= $5::bigint
                    then new.value else '' end as place
                  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
                    as new (leak, kind, value, reports)
                  left join leak_value there
                    on there.leak = new.leak and there.kind = new.kind and there.value = new.value
                ) as placed group by leak, kind, place order by leak, kind, place
                on conflict (leak, kind, value) do update set
                  reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                """, .integers(rows.map { $0.leak }), .integers(rows.map { $0.periodOrKind }),
                .texts(rows.map { texts[Int($0.releaseOrValue)] }), .integers(rows.map { $0.reports }),
                .integer(ValueKind.limit))
        }

        /// Returns the query that recomputes the medians of retained bytes. It runs after ``valuesUpsert()``, because it reads the
        /// counts of values.
        func retainedBytesUpdate() -> Query? {
            let leaks = aggregate.leaks.indices.filter { index in
                aggregate.leaks[index].values.contains { $0.kind == .retainedBytes }
            }
            guard !leaks.isEmpty else { return nil }
            return Query.retainedBytesUpdate(of: leaks.map { states[$0].id })
        }
    }

    extension Query {
        /// Returns the query that recomputes the medians of the retained bytes of leaks from the counts of values.
        static func retainedBytesUpdate(of leaks: [Int64]) -> Query {
            Query(
                """
                update leak l set retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "l.id")) where id = any($1::bigint[])
                """, .integers(leaks.map { $0 }))
        }
    }
#endif

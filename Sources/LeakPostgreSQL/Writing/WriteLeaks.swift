#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        /// The hours of the first and the last report of each leak; `nil` for a leak without reports of type `leak`.
        private var hours: [ClosedRange<Int64>?] {
            var hours = [ClosedRange<Int64>?](repeating: nil, count: aggregate.leaks.count)
            for hourCount in aggregate.hourCounts where hourCount.reports > 0 {
                hours[hourCount.leak] = hours[hourCount.leak].extended(to: Int64(hourCount.hour))
            }
            return hours
        }

        /// Returns the query that moves the leaks to their new hours in ``LastHours``. It runs before ``leaksUpdate()``, because it
        /// reads the former last hours of the leaks.
        func lastHoursUpdate() -> Query? {
            guard !aggregate.leaks.isEmpty else { return nil }
            return LastHours.moveQuery(
                leaks: states.map(\.id), lastSeen: aggregate.leaks.map { $0.span?.last },
                lastHours: hours.map { $0?.upperBound })
        }

        func leaksUpdate() -> Query? {
            guard !aggregate.leaks.isEmpty else { return nil }
            let leaks = aggregate.leaks
            let hours = hours
            let impacts = zip(leaks, states).map { leak, state in
                rowIDs.apps[leak.app].currentRelease.flatMap {
                    recentSets[RecentInstallSet.Key(leak: state.id, release: $0)].map { Int64($0.count) }
                }
            }
            let reports = "least(l.reports + d.reports, LARGEST_TOTAL)"
            let lastHour = "greatest(l.last_hour, d.last_hour)"
            return Query(
                """
                update leak l set reports = \(reports),
                  freed = least(l.freed + d.freed, LARGEST_TOTAL), installs = coalesce(d.installs, l.installs),
                  impact = coalesce(d.impact, l.impact), builds = l.builds + d.builds,
                  sightings = d.sightings, alive_at_most = greatest(l.alive_at_most, d.alive),
                  first_seen = least(l.first_seen, d.first_seen), last_seen = greatest(l.last_seen, d.last_seen),
                  first_order = case l.first_release when d.first_release then l.first_order end,
                  first_release = d.first_release, last_release = d.last_release, first_build = d.first_build,
                  first_sample = d.first_sample,
                  newest_sample = d.newest_sample, newest_kept = d.newest_kept,
                  last_hour = \(lastHour), is_shared = \(Self.isSharedSQL("l")),
                  \(PeriodColumns.leaks.assignmentsSQL("l", reportsSQL: reports, lastHourSQL: lastHour, added: .since("d.first_hour")))
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                  $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[])
                  as d (id, reports, freed, installs, impact, builds, sightings, alive, first_seen, last_seen,
                  first_release, last_release, first_sample, newest_sample, newest_kept, first_hour,
                  last_hour, first_build, key, has_other_keys)
                where l.id = d.id
                """, .integers(states.map { $0.id }), .integers(leaks.map { $0.reports }),
                .integers(leaks.map { $0.freed }),
                .integers(states.map { installCount(of: .leak(rowID: $0.id)) }),
                .integers(impacts), .integers(newCellCounts), .integers(states.map { $0.samples.sightings }),
                .integers(leaks.map { $0.maxAlive.map(Int64.init) }),
                .integers(leaks.map { $0.span?.first }), .integers(leaks.map { $0.span?.last }),
                .integers(states.map { $0.lowestRelease.release }),
                .integers(states.map { $0.highestRelease.release }),
                .integers(states.map { $0.samples.firstReportedAt }),
                .integers(states.map { $0.samples.newestReportedAt }),
                .integers(states.map { $0.samples.newestWrittenAt }),
                .integers(hours.map { $0?.lowerBound }), .integers(hours.map { $0?.upperBound }),
                .integers(states.map { $0.lowestBuild?.build }),
                .integers(leaks.map { Optional($0.key) }),
                .integers(leaks.map { $0.hasOtherKeys ? 1 as Int : 0 }))
        }

        /// Returns the query that writes the modules of leaks for which no earlier report had named a module.
        func modulesUpdate() -> Query? {
            let claims = aggregate.leaks.indices.filter {
                !rowIDs.isLeakNew[$0] && aggregate.leaks[$0].claimedModule != nil
            }.sorted { states[$0].id < states[$1].id }
            guard !claims.isEmpty else { return nil }
            return Query(
                """
                update leak_text t set module = new.module
                from unnest($1::bigint[], $2::text[]) as new (leak, module)
                where t.leak = new.leak and t.module is null
                """, .integers(claims.map { states[$0].id }),
                .texts(claims.map { aggregate.leaks[$0].claimedModule }))
        }

        func leakReleasesUpsert() -> Query? {
            struct Key: Hashable, Comparable {
                var leak: Int64
                var release: Int64
                static func < (one: Self, other: Self) -> Bool {
                    (one.leak, one.release) < (other.leak, other.release)
                }
            }
            struct Sum {
                var reports = 0
                var freed = 0
                var hours: ClosedRange<Int64>?
            }
            var sums: [Key: Sum] = [:]
            for (index, cell) in aggregate.cells.enumerated() {
                let key = Key(leak: cells[index].leak, release: release(ofCell: index))
                sums[key, default: Sum()].reports.addBounded(cell.reports)
                sums[key, default: Sum()].freed.addBounded(cell.freed)
            }
            for hourCount in aggregate.hourCounts where hourCount.reports > 0 {
                let key = Key(
                    leak: states[hourCount.leak].id,
                    release: rowIDs.releases[aggregate.sources[hourCount.source].release])
                sums[key, default: Sum()].hours = sums[key]?.hours.extended(to: Int64(hourCount.hour))
            }
            guard !sums.isEmpty else { return nil }
            let rows = sums.sorted { $0.key < $1.key }
            let reports = "least(known.reports + excluded.reports, LARGEST_TOTAL)"
            let lastHour = "greatest(known.last_hour, excluded.last_hour)"
            return Query(
                """
                insert into leak_release as known (leak, release, reports, freed, installs, last_hour,
                  \(PeriodColumns.names.joined(separator: ", ")))
                select leak, release, reports, freed, installs, last_hour,
                  \(PeriodColumns.valuesSQL(firstHourSQL: "first_hour", lastHourSQL: "last_hour"))
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
                  as new (leak, release, reports, freed, installs, first_hour, last_hour)
                order by 1, 2
                on conflict (leak, release) do update set reports = \(reports),
                  freed = least(known.freed + excluded.freed, LARGEST_TOTAL),
                  installs = case when excluded.installs > 0 then excluded.installs else known.installs end,
                  last_hour = \(lastHour),
                  \(PeriodColumns.releases.assignmentsSQL("known", reportsSQL: reports, lastHourSQL: lastHour, added: .excluded))
                """, .integers(rows.map { $0.key.leak }), .integers(rows.map { $0.key.release }),
                .integers(rows.map { $0.value.reports }), .integers(rows.map { $0.value.freed }),
                .integers(
                    rows.map {
                        installCount(of: .leakRelease(leak: $0.key.leak, release: $0.key.release)) ?? 0
                    }),
                .integers(rows.map { $0.value.hours?.lowerBound }),
                .integers(rows.map { $0.value.hours?.upperBound }))
        }

        func leakBuildsUpsert() -> Query? {
            var buckets = [[BucketCounts.Part]](repeating: [], count: cells.count)
            for reports in aggregate.bucketReports {
                buckets[reports.cell].add(reports.part.count, in: reports.part.bucket)
            }
            let rows = cells.indices.map {
                (name: cells[$0], cell: aggregate.cells[$0], buckets: buckets[$0])
            }
            .sorted { ($0.name.leak, $0.name.build) < ($1.name.leak, $1.name.build) }
            guard !rows.isEmpty else { return nil }
            // If the number of installs is 0, the stored number stays.
            return Query(
                """
                insert into leak_build as known (leak, build, reports, freed, installs, buckets)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::numeric[])
                order by 1, 2
                on conflict (leak, build) do update set
                  reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                  freed = least(known.freed + excluded.freed, LARGEST_TOTAL),
                  installs = case when excluded.installs > 0 then excluded.installs else known.installs end,
                  buckets = \(BucketCountsNumeric.sumSQL("known.buckets", "excluded.buckets", totalSQL: "known.reports + excluded.reports"))
                """, .integers(rows.map(\.name.leak)), .integers(rows.map(\.name.build)),
                .integers(rows.map { $0.cell.reports }), .integers(rows.map { $0.cell.freed }),
                .integers(
                    rows.map { installCount(of: .leakBuild(leak: $0.name.leak, build: $0.name.build)) ?? 0 }),
                .buckets(rows.map { BucketCounts($0.buckets) }))
        }
    }

    extension ClosedRange<Int64>? {
        fileprivate func extended(to hour: Int64) -> ClosedRange<Int64> {
            map { min($0.lowerBound, hour)...max($0.upperBound, hour) } ?? hour...hour
        }
    }
#endif

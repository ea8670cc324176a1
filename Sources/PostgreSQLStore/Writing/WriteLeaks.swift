#if PostgreSQL
    internal import LeakStore

    extension Changes {
        /// The hour of the last report of each leak; `nil` where all are of freed objects.
        private var lastHours: [Int64?] {
            var hours = [Int64?](repeating: nil, count: tally.leaks.count)
            for bundle in tally.bundles where bundle.reports > 0 {
                hours[bundle.leak] = max(hours[bundle.leak] ?? .min, Int64(bundle.hour))
            }
            return hours
        }

        /// Comes before ``writeLeaks()``: it compares with the rows of leaks as they were.
        func writeLastHours() -> Query? {
            guard !tally.leaks.isEmpty else { return nil }
            return LastHours.move(
                leaks: states.map(\.id), lastSeen: tally.leaks.map(\.span.last), lastHours: lastHours)
        }

        func writeLeaks() -> Query? {
            guard !tally.leaks.isEmpty else { return nil }
            let leaks = tally.leaks
            let impacts = zip(leaks, states).map { leak, state in
                places.apps[leak.app].newest.flatMap {
                    count(of: .leakRelease(leak: state.id, release: $0.mark.release))
                }
            }
            return Query(
                """
                update leak l set reports = least(l.reports + d.reports, 9007199254740991),
                  freed = least(l.freed + d.freed, 9007199254740991), installs = coalesce(d.installs, l.installs),
                  impact = coalesce(d.impact, l.impact), builds = l.builds + d.builds,
                  sightings = d.sightings, alive_at_most = greatest(l.alive_at_most, d.alive),
                  first_seen = least(l.first_seen, d.first_seen), last_seen = greatest(l.last_seen, d.last_seen),
                  first_release = d.first_release, last_release = d.last_release, first_sample = d.first_sample,
                  newest_sample = d.newest_sample, newest_kept = d.newest_kept,
                  last_hour = greatest(l.last_hour, d.last_hour),
                  \(RunningCounts.assignments(lastHour: "greatest(l.last_hour, d.last_hour)"))
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                  $14::bigint[], $15::bigint[], $16::bigint[])
                  as d (id, reports, freed, installs, impact, builds, sightings, alive, first_seen, last_seen,
                  first_release, last_release, first_sample, newest_sample, newest_kept, last_hour)
                where l.id = d.id
                """, .integers(states.map { $0.id }), .integers(leaks.map { $0.reports }),
                .integers(leaks.map { $0.freed }), .integers(states.map { count(of: .leak($0.id)) }),
                .integers(impacts), .integers(newCells), .integers(states.map { $0.samples.sightings }),
                .integers(leaks.map { $0.aliveAtMost.map(Int64.init) }),
                .integers(leaks.map { $0.span.first }), .integers(leaks.map { $0.span.last }),
                .integers(states.map { $0.first.release }), .integers(states.map { $0.last.release }),
                .integers(states.map { $0.samples.first }), .integers(states.map { $0.samples.newest }),
                .integers(states.map { $0.samples.newestKept }), .integers(lastHours))
        }

        /// The modules of leaks that no report had named one of before.
        func writeModules() -> Query? {
            let claims = tally.leaks.indices.filter {
                !places.isNew[$0] && tally.leaks[$0].claimedModule != nil
            }.sorted { states[$0].id < states[$1].id }
            guard !claims.isEmpty else { return nil }
            return Query(
                """
                update leak_text t set module = new.module
                from unnest($1::bigint[], $2::text[]) as new (leak, module)
                where t.leak = new.leak and t.module is null
                """, .integers(claims.map { states[$0].id }),
                .texts(claims.map { tally.leaks[$0].claimedModule }))
        }

        func writeLeakReleases() -> Query? {
            struct Key: Hashable, Comparable {
                var leak: Int64
                var release: Int64
                static func < (one: Self, other: Self) -> Bool {
                    (one.leak, one.release) < (other.leak, other.release)
                }
            }
            var sums: [Key: (reports: Int, freed: Int)] = [:]
            for (index, cell) in tally.cells.enumerated() {
                let key = Key(leak: cells[index].leak, release: release(ofCell: index))
                sums[key, default: (0, 0)].reports.addBounded(cell.reports)
                sums[key, default: (0, 0)].freed.addBounded(cell.freed)
            }
            let rows = sums.sorted { $0.key < $1.key }
            return Self.counts(
                "leak_release", "release", owners: rows.map { $0.key.leak },
                parts: rows.map { $0.key.release },
                reports: rows.map { $0.value.reports }, freed: rows.map { $0.value.freed },
                installs: rows.map {
                    count(of: .leakRelease(leak: $0.key.leak, release: $0.key.release)) ?? 0
                })
        }

        func writeLeakBuilds() -> Query? {
            let rows = zip(cells, tally.cells).map { (name: $0, cell: $1) }
                .sorted { ($0.name.leak, $0.name.build) < ($1.name.leak, $1.name.build) }
            return Self.counts(
                "leak_build", "build", owners: rows.map(\.name.leak), parts: rows.map(\.name.build),
                reports: rows.map { $0.cell.reports }, freed: rows.map { $0.cell.freed },
                installs: rows.map {
                    count(of: .leakBuild(leak: $0.name.leak, build: $0.name.build)) ?? 0
                })
        }

        /// - Parameter installs: 0 leaves the number as it is.
        private static func counts(
            _ table: String, _ part: String, owners: [Int64], parts: [Int64], reports: [Int], freed: [Int],
            installs: [Int64]
        ) -> Query? {
            guard !owners.isEmpty else { return nil }
            return Query(
                """
                insert into \(table) as known (leak, \(part), reports, freed, installs)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                order by 1, 2
                on conflict (leak, \(part)) do update set
                  reports = least(known.reports + excluded.reports, 9007199254740991),
                  freed = least(known.freed + excluded.freed, 9007199254740991),
                  installs = case when excluded.installs > 0 then excluded.installs else known.installs end
                """, .integers(owners.map { $0 }), .integers(parts.map { $0 }), .integers(reports),
                .integers(freed), .integers(installs.map { $0 }))
        }
    }
#endif

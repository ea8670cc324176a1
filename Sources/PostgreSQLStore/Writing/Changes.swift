#if PostgreSQL
    internal import LeakStore

    /// What a tally changes in the database: worked out, then written in one trip.
    struct Changes {
        private let tally: Tally
        private let places: Places
        private let submissions: [Submission]
        private let oldestSlot: Int
        private var states: [LeakState]
        private var samples: [(leak: Int64, kept: SampleChoice.Kept, body: [UInt8])] = []
        private var histograms: [(leak: Int64, histogram: DurationHistogram)] = []
        /// Sets that have new members.
        private(set) var sets: [InstallScope: InstallSet] = [:]

        init(
            of tally: Tally, in places: Places, _ submissions: [Submission], now: Int64, by writer: Writer
        ) {
            self.tally = tally
            self.places = places
            self.submissions = submissions
            oldestSlot = SlotWindow.oldestKept(now: now)
            states = places.leaks
            for (index, leak) in tally.leaks.enumerated() {
                for cell in leak.cells {
                    let release = tally.builds[tally.cells[cell].build].release
                    states[index].widen(
                        to: LeakState.Mark(
                            release: places.releases[release],
                            order: VersionOrder(tally.releases[release].version).key))
                }
                let kept = states[index].samples.keep(
                    of: leak, from: submissions, by: writer.reservoir, now: now)
                let bodies = SampleChoice.masked(kept, from: submissions, by: writer.redact)
                for (sample, body) in zip(kept, bodies) { samples.append((states[index].id, sample, body)) }
            }
        }

        // MARK: What has to be read first

        /// Merges new installs and times to free into what the database has.
        mutating func readAndMerge(
            on connection: Connection, knowing members: inout KnownMembers
        ) throws(StoreError) {
            let additions = additions(knowing: &members)
            let freed = tally.leaks.indices.filter { !tally.leaks[$0].lived.isEmpty }
            guard !additions.isEmpty || !freed.isEmpty else { return }
            let rows = additions.map { $0.scope.row }
            let stored = try connection.run([
                Query(
                    """
                    select asked.place, i.members
                    from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality
                      as asked (scope, owner, part, place)
                    join install_set i on i.scope = asked.scope and i.owner = asked.owner and i.part = asked.part
                    """, .integers(rows.map { $0.scope }), .integers(rows.map { $0.owner }),
                    .integers(rows.map { $0.part })),
                Query(
                    """
                    select asked.place, h.histogram
                    from unnest($1::bigint[]) with ordinality as asked (leak, place)
                    join leak_lived h on h.leak = asked.leak
                    """, .integers(freed.map { states[$0].id })),
            ])
            try mergeInstalls(additions, stored[0], connection)
            try mergeTimes(freed, stored[1], connection)
        }

        private func additions(
            knowing members: inout KnownMembers
        ) -> [(scope: InstallScope, hashes: [UInt64])] {
            var hashes: [InstallScope: [UInt64]] = [:]
            for cell in tally.cells where !cell.installs.isEmpty {
                let leak = states[cell.leak].id
                let release = places.releases[tally.builds[cell.build].release]
                let scopes: [InstallScope] = [
                    .leakBuild(leak: leak, build: places.builds[cell.build]),
                    .leakRelease(leak: leak, release: release), .leak(leak), .release(release),
                ]
                for scope in scopes {
                    let unknown = members.unknown(cell.installs, to: scope)
                    if !unknown.isEmpty { hashes[scope, default: []] += unknown }
                }
            }
            for slot in tally.slots where slot.number >= oldestSlot && !slot.installs.isEmpty {
                let scope = InstallScope.slot(app: places.apps[slot.app], slot: Int64(slot.number))
                let unknown = members.unknown(slot.installs, to: scope)
                if !unknown.isEmpty { hashes[scope] = unknown }
            }
            return hashes.map { ($0.key, $0.value) }
        }

        private mutating func mergeInstalls(
            _ additions: [(scope: InstallScope, hashes: [UInt64])], _ stored: Rows, _ connection: Connection
        ) throws(StoreError) {
            var merged = [InstallSet](repeating: InstallSet(), count: additions.count)
            for row in stored {
                guard let set = InstallSet(bytes: row.bytes(1)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                merged[row.int(0) - 1] = set
            }
            for (index, addition) in additions.enumerated() {
                var isChanged = false
                for hash in addition.hashes where merged[index].insert(hash) { isChanged = true }
                if isChanged { sets[addition.scope] = merged[index] }
            }
        }

        private mutating func mergeTimes(
            _ freed: [Int], _ stored: Rows, _ connection: Connection
        ) throws(StoreError) {
            var merged = [DurationHistogram](repeating: DurationHistogram(), count: freed.count)
            for row in stored {
                guard let histogram = DurationHistogram(bytes: row.bytes(1)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                merged[row.int(0) - 1] = histogram
            }
            for (index, leak) in freed.enumerated() {
                for (milliseconds, count) in tally.leaks[leak].lived {
                    merged[index].add(milliseconds: milliseconds, count: count)
                }
                histograms.append((states[leak].id, merged[index]))
            }
        }

        // MARK: What is written

        /// Every table once, each in the order of its key.
        var writes: [Query] {
            let all = [
                writeLeaks(), writeLeakReleases(), writeLeakBuilds(), writeHours(), writeDays(),
                writeValues(),
                writeTimes(), writeSamples(), writeSets(), writeReleases(), writeChecks(), writeSlots(),
                writeDropped(), writeApps(),
            ]
            return all.compactMap { $0 }
        }

        private func writeLeaks() -> Query? {
            guard !tally.leaks.isEmpty else { return nil }
            let leaks = tally.leaks
            return Query(
                """
                update leak l set reports = least(l.reports + d.reports, 9007199254740991),
                  freed = least(l.freed + d.freed, 9007199254740991), installs = coalesce(d.installs, l.installs),
                  sightings = d.sightings, alive_at_most = greatest(l.alive_at_most, d.alive),
                  first_seen = least(l.first_seen, d.first_seen), last_seen = greatest(l.last_seen, d.last_seen),
                  first_release = d.first_release, last_release = d.last_release, first_sample = d.first_sample,
                  newest_sample = d.newest_sample, newest_kept = d.newest_kept
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[])
                  as d (id, reports, freed, installs, sightings, alive, first_seen, last_seen, first_release,
                  last_release, first_sample, newest_sample, newest_kept)
                where l.id = d.id
                """, .integers(states.map { $0.id }), .integers(leaks.map { $0.reports }),
                .integers(leaks.map { $0.freed }), .integers(states.map { count(of: .leak($0.id)) }),
                .integers(states.map { $0.samples.sightings }),
                .integers(leaks.map { $0.aliveAtMost.map(Int64.init) }),
                .integers(leaks.map { $0.span.first }), .integers(leaks.map { $0.span.last }),
                .integers(states.map { $0.first.release }), .integers(states.map { $0.last.release }),
                .integers(states.map { $0.samples.first }), .integers(states.map { $0.samples.newest }),
                .integers(states.map { $0.samples.newestKept }))
        }

        /// Installs of a set that has new members; `nil` leaves the number as it is.
        private func count(of scope: InstallScope) -> Int64? { sets[scope].map { Int64($0.count) } }

        private func writeLeakReleases() -> Query? {
            struct Key: Hashable, Comparable {
                var leak: Int64
                var release: Int64
                static func < (one: Self, other: Self) -> Bool {
                    (one.leak, one.release) < (other.leak, other.release)
                }
            }
            var sums: [Key: (reports: Int, freed: Int)] = [:]
            for cell in tally.cells {
                let key = Key(
                    leak: states[cell.leak].id, release: places.releases[tally.builds[cell.build].release])
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

        private func writeLeakBuilds() -> Query? {
            let cells = tally.cells.map {
                (leak: states[$0.leak].id, build: places.builds[$0.build], cell: $0)
            }
            .sorted { ($0.leak, $0.build) < ($1.leak, $1.build) }
            return Self.counts(
                "leak_build", "build", owners: cells.map(\.leak), parts: cells.map(\.build),
                reports: cells.map { $0.cell.reports }, freed: cells.map { $0.cell.freed },
                installs: cells.map { count(of: .leakBuild(leak: $0.leak, build: $0.build)) ?? 0 })
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

        private var hours: [CountRow] {
            CountRow.summed(
                tally.bundles.map { bundle in
                    CountRow(
                        leak: states[bundle.leak].id, first: bundle.hour,
                        second: places.releases[tally.sources[bundle.source].release],
                        reports: bundle.reports)
                })
        }

        private func writeHours() -> Query? { Self.counts("leak_hour", "hour", hours) }

        private func writeDays() -> Query? {
            let days = hours.map { hour in
                var day = hour
                day.first = Calendar.day(of: Int64(hour.first) * Calendar.hourMilliseconds)
                return day
            }
            return Self.counts("leak_day", "day", CountRow.summed(days))
        }

        private static func counts(_ table: String, _ time: String, _ rows: [CountRow]) -> Query? {
            guard !rows.isEmpty else { return nil }
            return Query(
                """
                insert into \(table) as known (leak, \(time), release, reports)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) order by 1, 2, 3
                on conflict (leak, \(time), release) do update set
                  reports = least(known.reports + excluded.reports, 9007199254740991)
                """, .integers(rows.map { $0.leak }), .integers(rows.map { $0.first }),
                .integers(rows.map { $0.second }), .integers(rows.map { $0.reports }))
        }

        /// A value takes a place of its own while there are some; the others share one.
        private func writeValues() -> Query? {
            var rows: [CountRow] = []
            for bundle in tally.bundles {
                let source = tally.sources[bundle.source]
                for (kind, text) in [(ValueKind.system, source.system), (.model, source.model)] {
                    guard let text else { continue }
                    rows.append(
                        CountRow(
                            leak: states[bundle.leak].id, first: kind.rawValue, second: Int64(text),
                            reports: bundle.reports))
                }
            }
            guard !rows.isEmpty else { return nil }
            rows = CountRow.summed(rows)
            return Query(
                """
                insert into leak_value as known (leak, kind, value, reports)
                select leak, kind, place, least(sum(reports), 9007199254740991)::bigint from (
                  select new.leak, new.kind, new.reports,
                    case when there.leak is not null
                      or (select count(*) from leak_value c
                          where c.leak = new.leak and c.kind = new.kind and c.value <> '')
                        + row_number() over (partition by new.leak, new.kind, there.leak is null order by new.value)
                        <= $5::bigint
                    then new.value else '' end as place
                  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
                    as new (leak, kind, value, reports)
                  left join leak_value there
                    on there.leak = new.leak and there.kind = new.kind and there.value = new.value
                ) as placed group by leak, kind, place order by leak, kind, place
                on conflict (leak, kind, value) do update set
                  reports = least(known.reports + excluded.reports, 9007199254740991)
                """, .integers(rows.map { $0.leak }), .integers(rows.map { $0.first }),
                .texts(rows.map { tally.texts[Int($0.second)] }), .integers(rows.map { $0.reports }),
                .integer(ValueKind.limit))
        }

        private func writeTimes() -> Query? {
            guard !histograms.isEmpty else { return nil }
            return Query(
                """
                insert into leak_lived (leak, histogram)
                select * from unnest($1::bigint[], $2::bytea[]) order by 1
                on conflict (leak) do update set histogram = excluded.histogram
                """, .integers(histograms.map { $0.leak }),
                .byteArrays(histograms.map { $0.histogram.bytes }))
        }

        private func writeSamples() -> Query? {
            guard !samples.isEmpty else { return nil }
            let reports = samples.map { sample in
                let submission = submissions[sample.kept.place.submission]
                let sighting = submission.sightings[sample.kept.place.sighting]
                return (
                    at: sighting.at, origin: submission.origins[sighting.origin],
                    body: sample.body
                )
            }
            let origins = reports.map(\.origin)
            return Query(
                """
                insert into sample (leak, slot, ordinal, at, version, build, system, model, install_hash, install,
                  "user", body, message)
                select new.*, case when new.slot = $13::bigint then message_of(new.body) end
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                  $8::text[], $9::bigint[], $10::text[], $11::text[], $12::bytea[])
                  as new (leak, slot, ordinal, at, version, build, system, model, install_hash, install, "user", body)
                order by new.leak, new.slot
                on conflict (leak, slot) do update set ordinal = excluded.ordinal, at = excluded.at,
                  version = excluded.version, build = excluded.build, system = excluded.system,
                  model = excluded.model, install_hash = excluded.install_hash, install = excluded.install,
                  "user" = excluded."user", body = excluded.body, message = excluded.message
                """, .integers(samples.map { $0.leak }), .integers(samples.map { $0.kept.slot }),
                .integers(samples.map { $0.kept.ordinal }), .integers(reports.map { $0.at }),
                .texts(origins.map(\.version)), .texts(origins.map(\.build)), .texts(origins.map(\.system)),
                .texts(origins.map(\.model)),
                .integers(origins.map { $0.installHash.map { Int64(bitPattern: $0) } }),
                .texts(origins.map(\.install)), .texts(origins.map(\.user)),
                .byteArrays(reports.map(\.body)), .integer(SampleSlot.newest))
        }

        private func writeSets() -> Query? {
            guard !sets.isEmpty else { return nil }
            let rows = sets.map { (row: $0.key.row, members: $0.value.bytes) }
            return Query(
                """
                insert into install_set (scope, owner, part, members)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]) order by 1, 2, 3
                on conflict (scope, owner, part) do update set members = excluded.members
                """, .integers(rows.map { $0.row.scope }), .integers(rows.map { $0.row.owner }),
                .integers(rows.map { $0.row.part }), .byteArrays(rows.map(\.members)))
        }

        private func writeReleases() -> Query? {
            guard !tally.releases.isEmpty else { return nil }
            let releases = tally.releases
            return Query(
                """
                update release r set first_seen = least(r.first_seen, d.first_seen),
                  last_seen = greatest(r.last_seen, d.last_seen),
                  reports = least(r.reports + d.reports, 9007199254740991),
                  freed = least(r.freed + d.freed, 9007199254740991),
                  sessions = least(r.sessions + d.sessions, 9007199254740991),
                  leaky_sessions = least(r.leaky_sessions + d.leaky_sessions, 9007199254740991),
                  checks = least(r.checks + d.checks, 9007199254740991), installs = coalesce(d.installs, r.installs)
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[])
                  as d (id, first_seen, last_seen, reports, freed, sessions, leaky_sessions, checks, installs)
                where r.id = d.id
                """, .integers(places.releases.map { $0 }), .integers(releases.map { $0.span.first }),
                .integers(releases.map { $0.span.last }), .integers(releases.map { $0.reports }),
                .integers(releases.map { $0.freed }), .integers(releases.map { $0.sessions }),
                .integers(releases.map { $0.leakySessions }),
                .integers(
                    releases.map { release in
                        release.checks.values.reduce(into: 0) { $0.addBounded($1) }
                    }), .integers(places.releases.map { count(of: .release($0)) }))
        }

        private func writeChecks() -> Query? {
            let checks = zip(tally.releases, places.releases).flatMap { release, id in
                release.checks.map { (release: id, name: $0.key.text, count: $0.value) }
            }
            guard !checks.isEmpty else { return nil }
            return Query(
                """
                insert into release_check as known (release, class, checks)
                select * from unnest($1::bigint[], $2::text[], $3::bigint[]) order by 1, 2
                on conflict (release, class) do update set
                  checks = least(known.checks + excluded.checks, 9007199254740991)
                """, .integers(checks.map { $0.release }), .texts(checks.map(\.name)),
                .integers(checks.map { $0.count }))
        }

        private func writeSlots() -> Query? {
            let slots = tally.slots.filter { $0.number >= oldestSlot }
            guard !slots.isEmpty else { return nil }
            return Query(
                """
                insert into app_slot as known (app, slot, reports)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1, 2
                on conflict (app, slot) do update set
                  reports = least(known.reports + excluded.reports, 9007199254740991)
                """, .integers(slots.map { places.apps[$0.app] }), .integers(slots.map { $0.number }),
                .integers(slots.map { $0.reports }))
        }

        private func writeDropped() -> Query? {
            let dropped = zip(tally.apps, places.apps).flatMap { app, id in
                app.dropped.map { (app: id, reason: $0.key.text, count: $0.value) }
            }
            guard !dropped.isEmpty else { return nil }
            return Query(
                """
                insert into dropped as known (app, reason, count)
                select * from unnest($1::bigint[], $2::text[], $3::bigint[]) order by 1, 2
                on conflict (app, reason) do update set count = least(known.count + excluded.count, 9007199254740991)
                """, .integers(dropped.map { $0.app }), .texts(dropped.map(\.reason)),
                .integers(dropped.map { $0.count }))
        }

        private func writeApps() -> Query? {
            guard !tally.apps.isEmpty else { return nil }
            return Query(
                """
                update app a set last_seen = greatest(a.last_seen, d.last_seen), leaks = a.leaks + d.leaks,
                  reports = least(a.reports + d.reports, 9007199254740991),
                  freed = least(a.freed + d.freed, 9007199254740991)
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                  as d (id, last_seen, leaks, reports, freed)
                where a.id = d.id
                """, .integers(places.apps.map { $0 }), .integers(tally.apps.map { $0.lastSeen }),
                .integers(places.newLeaks), .integers(tally.apps.map { $0.reports }),
                .integers(tally.apps.map { $0.freed }))
        }
    }
#endif

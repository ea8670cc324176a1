// Reading and inserting the contents of a leak.
extension MergeConnection {
    /// Returns all counts and samples of a leak; `nil` if there is no such leak.
    func contents(of leak: Int64) throws(StoreError) -> LeakContents? {
        let row = StoreValue.integer(leak)
        guard var result = try read(MergeQueries.leak(row)) else { return nil }
        var contents = LeakContents()
        result.values = try read(MergeQueries.values(row))
        result.decisions = try read(
            StoreRead<[Int64]>.numbers("select id from decision where leak = $1::bigint order by id", row))
        result.redirects = try read(
            StoreRead<[LeakID]>("select key from merged_leak where leak = $1::bigint order by id", row) {
                (row: NamedRow<OnlyColumn>) throws(StoreError) -> LeakID in try row.id(.value)
            })
        contents.leak = result
        contents.releases = try read(MergeQueries.builds(row, Self.buildCountsSQL))
        for (time, release, reports) in try read(MergeQueries.times(ofTable: "leak_hour", "hour", row)) {
            contents.releases[release]?.hours[time] = reports
        }
        for (time, release, reports) in try read(MergeQueries.times(ofTable: "leak_day", "day", row)) {
            contents.releases[release]?.days[time] = reports
        }
        for (release, day, installs) in try read(MergeQueries.recentInstalls(row, Self.recentInstallsSQL)) {
            contents.releases[release]?.recentInstalls = installs
            contents.releases[release]?.recentDay = day
        }
        for (release, counts) in try read(MergeQueries.atDecision(row)) {
            contents.releases[release]?.atDecision = counts
        }
        contents.samples = try read(
            MergeQueries.samples("SAMPLES($1::bigint) as s", row))
        return contents
    }

    /// Stores the contents of a leak. The leak has a row, but no counts yet.
    func insertCounts(of contents: LeakContents, leak: Int64) throws(StoreError) {
        let row = PortableValue.integer(leak)
        var (releases, builds, hours, days):
            ([[PortableValue]], [[PortableValue]], [[PortableValue]], [[PortableValue]])
        (releases, builds, hours, days) = ([], [], [], [])
        for (id, release) in contents.releases.sorted(by: { $0.key < $1.key }) {
            releases.append([
                row, .integer(id), .int(release.reports), .int(release.freed), .int(release.installs.count),
            ])
            for (build, counts) in release.builds.sorted(by: { $0.key < $1.key }) {
                builds.append([
                    row, .integer(build), .int(counts.reports), .int(counts.freed),
                    .int(counts.installs.count),
                    .bytes(counts.buckets.bytes),
                ])
            }
            for (hour, reports) in release.hours {
                hours.append([row, .int(hour), .integer(id), .int(reports)])
            }
            for (day, reports) in release.days { days.append([row, .int(day), .integer(id), .int(reports)]) }
        }
        try insert(releases, into: .leakRelease)
        try insert(builds, into: .leakBuild)
        try insert(hours, into: .leakHour)
        try insert(days, into: .leakDay)
        try insert(
            contents.leak.values.map { [row, .int($0.kind), .text($0.value), .int($0.reports)] },
            into: .leakValue)
        if !contents.leak.lived.isEmpty {
            try insert([[row, .bytes(contents.leak.lived.bytes)]], into: .leakLived)
        }
        try insert(contents.samples.map { [row] + $0.columns }, into: .sample)
        try insertInstalls(of: contents, leak: leak)
        try change(
            .composed(
                """
                update leak set reports = $2::bigint, freed = $3::bigint, sightings = $4::bigint, alive_at_most = $5::bigint,
                  first_seen = $6::bigint, last_seen = $7::bigint, made_at = $8::bigint, installs = $9::bigint,
                  retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "leak.id")),
                  (first_release, first_order) = (
                    select r.id, case when r.version = 'other' and r.order_key <> $10::bytea then $10::bytea end
                    from leak_release c join release r on r.id = c.release where c.leak = leak.id
                    order by case r.version when 'other' then $10::bytea else r.order_key end, r.version = 'other', r.id limit 1),
                  last_release = (select r.id from leak_release c join release r on r.id = c.release
                    where c.leak = leak.id order by r.order_key desc, r.id limit 1)
                where id = $1::bigint
                """), .integer(leak), .int(contents.leak.reports), .int(contents.leak.freed),
            .int(contents.leak.sightings), .integer(contents.leak.maxAlive.map(Int64.init)),
            .integer(contents.leak.firstSeen), .integer(contents.leak.lastSeen),
            .integer(contents.leak.madeAt),
            .int(contents.installs.count), .bytes(contents.leak.firstOrder))
        try change(
            """
            update leak set first_build = (select b.id from leak_build p join build b on b.id = p.build
              where p.leak = leak.id and b.release = leak.first_release order by b.order_key limit 1)
            where id = $1::bigint
            """, .integer(leak))
    }
}

// MARK: Tables

extension PortableTable {
    /// Returns the table with a name.
    static func named(_ name: String) -> PortableTable {
        guard let table = all.first(where: { $0.name == name }) else {
            preconditionFailure("no table \(name)")
        }
        return table
    }

    static let leakText = named("leak_text")
    static let leakRelease = named("leak_release")
    static let leakBuild = named("leak_build")
    static let leakHour = named("leak_hour")
    static let leakDay = named("leak_day")
    static let leakElement = named("leak_element")
    static let leakValue = named("leak_value")
    static let leakLived = named("leak_lived")
    static let sample = named("sample")
    static let decisionRelease = named("decision_release")
    static let mergeRelease = named("leak_merge_release")
    static let mergeSample = named("leak_merge_sample")
}

extension PortableValue {
    static func int(_ number: Int) -> PortableValue { .integer(Int64(number)) }
    static func optional(_ text: String?) -> PortableValue { text.map { .text($0) } ?? .null }
}

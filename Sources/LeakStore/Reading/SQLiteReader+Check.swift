extension SQLiteReader {
    func releaseCheck(_ query: ReleaseCheckQuery, now: Int64) throws(StoreError) -> ReleaseCheck? {
        try snapshot { connection throws(StoreError) in
            // The tables have all checks, but lack the reports that are only in the log of counts. Without these reports, a
            // version with leaks could pass.
            guard try !connection.hasLoggedCounts else {
                throw StoreError(
                    .locked,
                    "database \(connection.path): the newest counts cannot be written to their tables now; see whether the "
                        + "disk is full or another process keeps the database locked")
            }
            guard
                let release = try releases(ranking: query.version, app: query.key).first(where: {
                    ByteText($0.version) == ByteText(query.version)
                })
            else { return nil }
            var version = ReleaseCheckSide(releaseRowIDs: [release.rowID], build: nil)
            if let name = query.build {
                guard let build = try build(name, of: [release.rowID]) else { return nil }
                version.build = build
            }
            let baseline = try baseline(of: query, version)
            let leakStates = try leakStates(app: query.key.scope, now: now, on: connection)
            var rates = ReleaseRates()
            try add(version, isBaseline: false, to: &rates)
            // Without an earlier version, no leak counts as new.
            if let side = baseline.side {
                try add(side, isBaseline: true, to: &rates)
                rates.markNew(
                    except: try leaksSeen(upTo: baseline, in: version).union(leakStates.others))
            }
            let verdict = ReleaseVerdict(
                rates, app: query.key, version: ReleaseCheck.Side(version: query.version, build: query.build),
                baseline: baseline.resultSide, leakStates,
                regressed: Set(
                    try connection.read(
                        StoreQueries.regressions(
                            of: leakStates.regressed, in: release.rowID, build: version.build?.buildRowID)
                    ).map(\.leak)),
                limits: query.limits)
            return verdict.releaseCheck(
                rows: try rows(
                    query.listsLeaks ? verdict.leaks.map(\.leakRowID) : [], of: release.rowID, leakStates,
                    now: now))
        }
    }

    /// Returns the releases of an app whose versions rank the same as `version`, such as 5.2 and 5.2.0.
    private func releases(
        ranking version: String, app: AppKey
    ) throws(StoreError) -> [(rowID: Int64, version: String)] {
        let order = VersionOrder(version)
        let select = try connection.statement(
            """
            select r.id, r.version from app a join release r on r.app = a.id and r.order_key >= ? and r.order_key < ?
            where a.name = ? and a.environment = ? order by r.order_key desc
            """)
        defer { select.reset() }
        try select.bind(order.sameRankLowerBound, order.higherRankLowerBound, app.name, app.environment)
        var releases: [(rowID: Int64, version: String)] = []
        while try select.step() { releases.append((select.int64(0), select.text(1))) }
        return releases
    }

    private func build(
        _ name: String, of releases: [Int64]
    ) throws(StoreError) -> ReleaseCheckSide.Build? {
        let select = try connection.statement(
            """
            select b.id, b.name, b.order_key from json_each(?) j cross join build b on b.release = j.value and b.name = ?
            """)
        defer { select.reset() }
        try select.bind(releases.jsonArray, name)
        return try select.step()
            ? ReleaseCheckSide.Build(rowID: select.int64(0), name: select.text(1), order: select.bytes(2))
            : nil
    }

    /// Returns the baseline that the query names or, if it names none, the build or version before the checked version.
    private func baseline(
        of query: ReleaseCheckQuery, _ version: ReleaseCheckSide
    ) throws(StoreError) -> ReleaseCheckBaseline {
        let floor = ReleaseCheck.floor(baseline: query.baseline, of: query.version)
        if query.baseline == nil, let build = version.build,
            let earlierBuild = try buildBefore(build, of: version.releaseRowIDs)
        {
            return ReleaseCheckBaseline(
                earlierBuild: earlierBuild, of: version, query.version, floor: floor)
        }
        if let text = query.baseline {
            let rows = try releases(ranking: text, app: query.key).map(\.rowID)
            var side = ReleaseCheckSide(releaseRowIDs: rows, build: nil)
            if let name = query.baselineBuild { side.build = try build(name, of: rows) }
            return try ReleaseCheckBaseline(side, of: query, version, floor: floor)
        }
        guard let text = try versionBefore(query.version, from: floor, app: query.key) else {
            return ReleaseCheckBaseline(bound: floor, floor: floor)
        }
        let rows = try releases(ranking: text, app: query.key).map(\.rowID)
        return ReleaseCheckBaseline(
            side: ReleaseCheckSide(releaseRowIDs: rows, build: nil),
            resultSide: ReleaseCheck.Side(version: text),
            bound: VersionOrder(text).higherRankLowerBound, floor: floor)
    }

    private func buildBefore(
        _ build: ReleaseCheckSide.Build, of releases: [Int64]
    ) throws(StoreError) -> ReleaseCheckSide.Build? {
        let select = try connection.statement(
            """
            select b.id, b.name, b.order_key from json_each(?) j cross join build b on b.release = j.value
              and b.order_key < ? and b.order_key >= ? and b.name <> '' order by b.order_key desc limit 1
            """)
        defer { select.reset() }
        try select.bind(releases.jsonArray, build.order, build.floor)
        return try select.step()
            ? ReleaseCheckSide.Build(rowID: select.int64(0), name: select.text(1), order: select.bytes(2))
            : nil
    }

    /// Returns the highest version that was in use among the versions from `floor` on that rank lower; if none was in use, the
    /// highest of them. See ``CurrentRelease/earlierOrderSQL``.
    private func versionBefore(
        _ version: String, from floor: [UInt8], app: AppKey
    ) throws(StoreError) -> String? {
        try connection.read(
            StoreRead<[String]>.texts(
                .composed(
                    """
                    select version from (
                      select \(CurrentRelease.earlierColumnsSQL) from app a join release r on r.app = a.id
                        and r.order_key < $1 and r.order_key >= $2
                      where a.name = $3 and a.environment = $4) as earlier
                    order by \(CurrentRelease.earlierOrderSQL) limit 1
                    """), .bytes(VersionOrder(version).sameRankLowerBound), .bytes(floor), .text(app.name),
                .text(app.environment))
        ).first
    }

    /// Adds the sessions, checks and reports of one side to the rates.
    private func add(
        _ side: ReleaseCheckSide, isBaseline: Bool, to rates: inout ReleaseRates
    ) throws(StoreError) {
        let builds = try connection.statement(
            """
            select b.session_buckets, b.leaky_buckets from json_each(?) j cross join build b on b.release = j.value
            where ?2 is null or b.id = ?2
            """)
        defer { builds.reset() }
        try builds.bind(side.releaseRowIDs.jsonArray, side.build?.buildRowID)
        while try builds.step() {
            rates.add(sessions: try buckets(builds, 0), leaky: try buckets(builds, 1), isBaseline: isBaseline)
        }
        let checks = try connection.statement(
            """
            select c.class, c.buckets from json_each(?) j cross join build b on b.release = j.value
            cross join build_check c on c.build = b.id where ?2 is null or b.id = ?2
            """)
        defer { checks.reset() }
        try checks.bind(side.releaseRowIDs.jsonArray, side.build?.buildRowID)
        while try checks.step() {
            rates.add(checks: try buckets(checks, 1), of: checks.text(0), isBaseline: isBaseline)
        }
        let leaks = try connection.statement(
            """
            select c.leak, l.class, p.buckets, p.reports, case when ?2 is null then c.installs else p.installs end
            from json_each(?1) j cross join leak_release c on c.release = j.value join leak l on l.id = c.leak
            join build b on b.release = c.release and (?2 is null or b.id = ?2)
            join leak_build p on p.leak = c.leak and p.build = b.id where p.reports > 0
            """)
        defer { leaks.reset() }
        try leaks.bind(side.releaseRowIDs.jsonArray, side.build?.buildRowID)
        while try leaks.step() {
            rates.add(
                try buckets(leaks, 2), reports: leaks.int(3), installs: leaks.int(4), of: leaks.int64(0),
                className: leaks.optionalText(1), isBaseline: isBaseline)
        }
    }

    private func buckets(_ row: Statement, _ column: Int32) throws(StoreError) -> BucketCounts {
        guard let counts = BucketCounts(bytes: row.bytes(column)) else {
            throw .unreadable("counts by bucket", in: connection.path)
        }
        return counts
    }

    /// Returns the row IDs of the leaks of the version that were also reported in a version or build up to the baseline.
    private func leaksSeen(
        upTo baseline: ReleaseCheckBaseline, in version: ReleaseCheckSide
    ) throws(StoreError) -> Set<Int64> {
        // If the first release of a leak is in the range of the baseline, its other releases are not read.
        let select = try connection.statement(
            """
            select c.leak from json_each(?1) j cross join leak_release c on c.release = j.value
            join leak l on l.id = c.leak join release f on f.id = l.first_release
            where c.reports > 0 and (coalesce(l.first_order, f.order_key) < ?2 and (coalesce(l.first_order, f.order_key) >= ?3
              or exists (select 1 from leak_release p join release r on r.id = p.release
                where p.leak = c.leak and r.order_key >= ?3 and r.order_key < ?2))
              or exists (select 1 from build b join leak_build p on p.leak = c.leak and p.build = b.id
                where b.release = c.release and b.order_key <= ?4))
            """)
        defer { select.reset() }
        try select.bind(version.releaseRowIDs.jsonArray, baseline.bound, baseline.floor, baseline.buildBound)
        var leaks: Set<Int64> = []
        while try select.step() { leaks.insert(select.int64(0)) }
        return leaks
    }

    /// Reads the rows of leaks with their reports and installs in a release.
    private func rows(
        _ leaks: [Int64], of release: Int64, _ leakStates: LeakStates, now: Int64
    ) throws(StoreError) -> [Int64: LeakRow] {
        guard !leaks.isEmpty else { return [:] }
        let select = try connection.statement(
            composed: """
                with page as (
                  select j.value as id, 0 as k1, 0 as k2, coalesce(c.reports, 0) as reports,
                    coalesce(c.installs, 0) as installs, ?2 as rate_release
                  from json_each(?1) j left join leak_release c on c.leak = j.value and c.release = ?2
                )
                \(LeakRow.selectSQL)
                """)
        defer { select.reset() }
        try select.bind(leaks.jsonArray, release)
        var rowsByLeak: [Int64: LeakRow] = [:]
        while try select.step() { rowsByLeak[select.int64(0)] = try LeakRow(NamedRow(select)) }
        let numbers = leaks.filter { rowsByLeak[$0] != nil }
        var rows = numbers.compactMap { rowsByLeak[$0] }
        try connection.addStatesAndTrends(to: &rows, rowIDs: numbers, leakStates: leakStates, now: now)
        return Dictionary(uniqueKeysWithValues: zip(numbers, rows))
    }
}

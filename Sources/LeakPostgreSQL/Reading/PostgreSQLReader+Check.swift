#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func releaseCheck(_ query: ReleaseCheckQuery, now: Int64) throws(StoreError) -> ReleaseCheck? {
            try snapshot { connection throws(StoreError) in
                let releases = try connection.run(Self.releases(ofSameRankAs: query.version, app: query.key))
                guard
                    let release = releases.first(where: { ByteText($0.text(1)) == ByteText(query.version) })?
                        .int64(0)
                else { return nil }
                var version = ReleaseCheckSide(releaseRowIDs: [release], build: nil)
                if let name = query.build {
                    guard
                        let build = try Self.readBuild(
                            Self.buildQuery(named: name, of: version.releaseRowIDs), on: connection)
                    else {
                        return nil
                    }
                    version.build = build
                }
                let baseline = try Self.baseline(of: query, version, on: connection)
                let leakStates = try leakStates(app: query.key.scope, now: now, on: connection)
                var rates = ReleaseRates()
                try Self.add(version, isBaseline: false, to: &rates, on: connection)
                if let side = baseline.side {
                    try Self.add(side, isBaseline: true, to: &rates, on: connection)
                }
                let answers = try connection.run([
                    Self.leaksReportedEarlier(in: version, upTo: baseline),
                    Query(
                        StoreQueries.regressions(
                            of: leakStates.regressed, in: release, build: version.build?.buildRowID)),
                ])
                // Without an earlier version, nothing is known to be new.
                if baseline.side != nil {
                    rates.markNew(except: leakStates.others.union(answers[0].map { $0.int64(0) }))
                }
                let verdict = ReleaseVerdict(
                    rates, app: query.key,
                    version: ReleaseCheck.Side(version: query.version, build: query.build),
                    baseline: baseline.resultSide, leakStates,
                    regressed: Set(answers[1].map { $0.int64(0) }),
                    limits: query.limits)
                return verdict.releaseCheck(
                    rows: try Self.rows(
                        query.listsLeaks ? verdict.leaks.map(\.leakRowID) : [], of: release, leakStates,
                        now: now,
                        on: connection))
            }
        }

        /// Selects the releases of an app whose versions rank the same as a version.
        private static func releases(ofSameRankAs version: String, app: AppKey) -> Query {
            let order = VersionOrder(version)
            return Query(
                """
                select r.id, r.version from app a join release r on r.app = a.id
                  and r.order_key >= $1::bytea and r.order_key < $2::bytea
                where a.name = $3::text and a.environment = $4::text order by r.order_key desc
                """, .bytes(order.sameRankLowerBound), .bytes(order.higherRankLowerBound), .text(app.name),
                .text(app.environment))
        }

        private static func buildQuery(named name: String, of releases: [Int64]) -> Query {
            Query(
                "select id, name, order_key from build where release = any($1::bigint[]) and name = $2::text",
                .integers(releases.map { $0 }), .text(name))
        }

        private static func buildBeforeQuery(_ build: ReleaseCheckSide.Build, of releases: [Int64]) -> Query {
            Query(
                """
                select id, name, order_key from build where release = any($1::bigint[]) and order_key < $2::bytea
                  and order_key >= $3::bytea and name <> '' order by order_key desc limit 1
                """, .integers(releases.map { $0 }), .bytes(build.order), .bytes(build.floor))
        }

        private static func readBuild(
            _ query: Query, on connection: PostgreSQLConnection
        ) throws(StoreError) -> ReleaseCheckSide.Build? {
            try connection.run(query).first.map {
                ReleaseCheckSide.Build(rowID: $0.int64(0), name: $0.text(1), order: $0.bytes(2))
            }
        }

        private static func baseline(
            of query: ReleaseCheckQuery, _ version: ReleaseCheckSide, on connection: PostgreSQLConnection
        ) throws(StoreError) -> ReleaseCheckBaseline {
            let floor = ReleaseCheck.floor(baseline: query.baseline, of: query.version)
            if query.baseline == nil, let build = version.build,
                let earlierBuild = try Self.readBuild(
                    buildBeforeQuery(build, of: version.releaseRowIDs), on: connection)
            {
                return ReleaseCheckBaseline(
                    earlierBuild: earlierBuild, of: version, query.version, floor: floor)
            }
            if let text = query.baseline {
                let rows = try connection.run(releases(ofSameRankAs: text, app: query.key)).map {
                    $0.int64(0)
                }
                var side = ReleaseCheckSide(releaseRowIDs: rows, build: nil)
                if let name = query.baselineBuild {
                    side.build = try Self.readBuild(buildQuery(named: name, of: rows), on: connection)
                }
                return try ReleaseCheckBaseline(side, of: query, version, floor: floor)
            }
            let previousVersions = try connection.run(
                versionBefore(query.version, from: floor, app: query.key))
            guard let text = previousVersions.first?.text(0) else {
                return ReleaseCheckBaseline(bound: floor, floor: floor)
            }
            let rows = try connection.run(releases(ofSameRankAs: text, app: query.key)).map { $0.int64(0) }
            return ReleaseCheckBaseline(
                side: ReleaseCheckSide(releaseRowIDs: rows, build: nil),
                resultSide: ReleaseCheck.Side(version: text),
                bound: VersionOrder(text).higherRankLowerBound, floor: floor)
        }

        /// Selects the highest version that was in use among the versions from `floor` on that rank lower; if none was in use,
        /// the highest of them. See ``CurrentRelease/earlierOrderSQL``.
        private static func versionBefore(_ version: String, from floor: [UInt8], app: AppKey) -> Query {
            Query(
                """
                select version from (
                  select \(CurrentRelease.earlierColumnsSQL) from app a join release r on r.app = a.id
                    and r.order_key < $1::bytea and r.order_key >= $2::bytea
                  where a.name = $3::text and a.environment = $4::text) as earlier
                order by \(CurrentRelease.earlierOrderSQL) limit 1
                """, .bytes(VersionOrder(version).sameRankLowerBound), .bytes(floor), .text(app.name),
                .text(app.environment))
        }

        private static func add(
            _ side: ReleaseCheckSide, isBaseline: Bool, to rates: inout ReleaseRates,
            on connection: PostgreSQLConnection
        ) throws(StoreError) {
            func buckets(_ row: Row, _ column: Int32) throws(StoreError) -> BucketCounts {
                guard let counts = BucketCountsNumeric.counts(row.bytes(column)) else {
                    throw .unreadable("counts by bucket", in: connection.name)
                }
                return counts
            }
            let (rows, build) = (
                Parameter.integers(side.releaseRowIDs.map { $0 }), Parameter.integer(side.build?.buildRowID)
            )
            let answers = try connection.run([
                Query(
                    """
                    select session_buckets, leaky_buckets from build
                    where release = any($1::bigint[]) and ($2::bigint is null or id = $2::bigint)
                    """, rows, build),
                Query(
                    """
                    select c.class, c.buckets from build b join build_check c on c.build = b.id
                    where b.release = any($1::bigint[]) and ($2::bigint is null or b.id = $2::bigint)
                    """, rows, build),
                Query(
                    """
                    select c.leak, l.class, p.buckets, p.reports,
                      case when $2::bigint is null then c.installs else p.installs end
                    from leak_release c join leak l on l.id = c.leak
                    join build b on b.release = c.release and ($2::bigint is null or b.id = $2::bigint)
                    join leak_build p on p.leak = c.leak and p.build = b.id
                    where c.release = any($1::bigint[]) and p.reports > 0
                    """, rows, build),
            ])
            for row in answers[0] {
                rates.add(
                    sessions: try buckets(row, 0), leaky: try buckets(row, 1), isBaseline: isBaseline)
            }
            for row in answers[1] {
                rates.add(checks: try buckets(row, 1), of: row.text(0), isBaseline: isBaseline)
            }
            for row in answers[2] {
                rates.add(
                    try buckets(row, 2), reports: row.int(3), installs: row.int(4), of: row.int64(0),
                    className: row.optionalText(1), isBaseline: isBaseline)
            }
        }

        /// Selects the leaks of the checked version that were also reported in an earlier version or build, up to the baseline.
        private static func leaksReportedEarlier(
            in version: ReleaseCheckSide, upTo baseline: ReleaseCheckBaseline
        ) -> Query {
            // If the first release of a leak alone shows that the leak is or is not in the range, its other releases are not
            // read.
            Query(
                """
                select c.leak from leak_release c join leak l on l.id = c.leak join release f on f.id = l.first_release
                where c.release = any($1::bigint[]) and c.reports > 0 and (coalesce(l.first_order, f.order_key) < $2::bytea
                  and (coalesce(l.first_order, f.order_key) >= $3::bytea
                    or exists (select 1 from leak_release p join release r on r.id = p.release
                      where p.leak = c.leak and r.order_key >= $3::bytea and r.order_key < $2::bytea))
                  or exists (select 1 from build b join leak_build p on p.leak = c.leak and p.build = b.id
                    where b.release = c.release and b.order_key <= $4::bytea))
                """, .integers(version.releaseRowIDs.map { $0 }), .bytes(baseline.bound),
                .bytes(baseline.floor),
                .bytes(baseline.buildBound))
        }

        /// Reads the rows of a list for leaks, with their reports and installs in a release.
        private static func rows(
            _ leaks: [Int64], of release: Int64, _ leakStates: LeakStates, now: Int64,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> [Int64: LeakRow] {
            guard !leaks.isEmpty else { return [:] }
            let answer = try connection.run(
                Query(
                    """
                    with page as (
                      select j.leak as id, 0 as k1, 0 as k2, coalesce(c.reports, 0) as reports,
                        coalesce(c.installs, 0) as installs, $2::bigint as rate_release
                      from unnest($1::bigint[]) as j (leak)
                      left join leak_release c on c.leak = j.leak and c.release = $2::bigint
                    )
                    \(LeakRow.selectSQL)
                    """, .integers(leaks.map { $0 }), .integer(release)))
            var rowsByLeak: [Int64: LeakRow] = [:]
            for row in answer { rowsByLeak[row.int64(0)] = try LeakRow(NamedRow(row)) }
            let numbers = leaks.filter { rowsByLeak[$0] != nil }
            var rows = numbers.compactMap { rowsByLeak[$0] }
            try connection.addStatesAndTrends(
                to: &rows, rowIDs: numbers, leakStates: leakStates, now: now)
            return Dictionary(uniqueKeysWithValues: zip(numbers, rows))
        }
    }
#endif

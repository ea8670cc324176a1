#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary] {
            try snapshot { connection throws(StoreError) in
                let regressed = try decidedLeaks(app: app.scope, on: connection)
                    .filter { $0.decisionStatus.isRegressed }.map(\.leakRowID)
                var releases = try releases(
                    app, limit: ReleaseSummary.maxListed, regressed: regressed, on: connection)
                guard releases.count == ReleaseSummary.maxListed else { return releases }
                if !releases.contains(where: \.isCurrent) {
                    let current = try currentReleases(ofOnly: app.scope, regressed: regressed, on: connection)
                        .current
                    releases += [current].compactMap(\.self)
                }
                if !releases.contains(where: { $0.version == StoreLimits.other }),
                    let other = try connection.run(Self.otherRelease(app)).first?.int64(0)
                {
                    releases += try self.releases(
                        app, limit: 1, upTo: other, regressed: regressed, on: connection)
                }
                return releases
            }
        }

        /// Selects the release named `other`, in which releases beyond the limit are counted together. It ranks below all
        /// others.
        private static func otherRelease(_ app: AppKey) -> Query {
            Query(
                """
                select r.id from app a join release r on r.app = a.id
                where a.name = $1::text and a.environment = $2::text and r.version = $3::text
                """, .text(app.name), .text(app.environment), .text(StoreLimits.other))
        }

        /// Returns the current release of an app, and the version before it that was in use. If the scope names no app, returns
        /// them only if there is one app, because versions of different apps cannot be compared.
        func currentReleases(
            ofOnly app: AppScope, regressed: [Int64], on connection: PostgreSQLConnection
        ) throws(StoreError) -> (current: ReleaseSummary?, previous: ReleaseSummary?) {
            let apps = Array(
                try connection.run(
                    Query(
                        """
                        select name, newest_release, (\(CurrentRelease.previousReleaseSQL(of: "a.newest_release", app: "a.id")))
                        from app a where environment = $1::text and ($2::text is null or name = $2::text) limit 2
                        """, .text(app.environment), .text(app.app))))
            guard apps.count == 1, let current = apps[0].optionalInt64(1) else { return (nil, nil) }
            let (key, previous) = (
                AppKey(apps[0].text(0), environment: app.environment), apps[0].optionalInt64(2)
            )
            return (
                try releases(key, limit: 1, upTo: current, regressed: regressed, on: connection).first,
                try previous.flatMap { (row) throws(StoreError) in
                    try releases(key, limit: 1, upTo: row, regressed: regressed, on: connection).first
                }
            )
        }

        /// - Parameter last: the row ID of the highest release to return; `nil` for all.
        private func releases(
            _ app: AppKey, limit: Int, upTo last: Int64? = nil, regressed: [Int64],
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> [ReleaseSummary] {
            let rows = Array(
                try connection.run(
                    Query(
                        """
                        select \(ReleaseSummary.Column.columnsSQL)
                        from app a join release r on r.app = a.id
                        where a.name = $1::text and a.environment = $4::text
                          and ($3::bigint is null
                            or r.order_key <= (select order_key from release where id = $3::bigint))
                        order by r.order_key desc limit $2::bigint
                        """, .text(app.name), .integer(limit), .integer(last),
                        .text(app.environment))))
            let rowIDs = rows.map { NamedRow($0, of: ReleaseSummary.Column.self).int64(.row) }
            let answers = try connection.run([
                Query(
                    """
                    select release, name from build where release = any($1::bigint[]) and name <> ''
                    order by order_key
                    """, .integers(rowIDs)), Self.regressions(of: regressed),
                Query(
                    CurrentRelease.releaseHoursSQL(name: "$1::text", environment: "$2::text"),
                    .text(app.name), .text(app.environment)),
            ])
            var builds: [Int64: [String]] = [:]
            for row in answers[0] { builds[row.int64(0), default: []].append(row.text(1)) }
            var regressedCounts: [Int64: Int] = [:]
            for row in answers[1] { regressedCounts[row.int64(1), default: 0] += 1 }
            let adoptions = CurrentRelease.adoptions(
                answers[2].map { ($0.int64(0), $0.int(1), $0.int(2), $0.int64(3)) })
            return zip(rows, rowIDs).map { row, number in
                var release = ReleaseSummary(row)
                release.builds = builds[number] ?? []
                release.regressedLeaks = regressedCounts[number] ?? 0
                release.adoption = adoptions[number]
                return release
            }
        }
    }
#endif

extension QueryReader {
    package func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary] {
        try snapshot { connection throws(StoreError) in
            let regressed = try regressedLeaks(app, on: connection)
            var releases = try connection.releases(
                app, limit: ReleaseSummary.maxListed, regressed: regressed)
            guard releases.count == ReleaseSummary.maxListed else { return releases }
            if !releases.contains(where: \.isCurrent) {
                let (current, _) = try connection.currentReleases(app, regressed: regressed)
                releases += [current].compactMap(\.self)
            }
            if !releases.contains(where: { $0.version == StoreLimits.other }),
                let other = try connection.read(StoreQueries.otherRelease(app)).first
            {
                releases += try connection.releases(app, limit: 1, upTo: other, regressed: regressed)
            }
            return releases
        }
    }

    /// Returns the current release of one app, and its previous version. If `app` stands for all apps, returns
    /// the releases of the only app, or none if there are several apps, because versions of different apps cannot be compared.
    package func currentReleases(
        ofOnly app: AppScope, on connection: Connection
    ) throws(StoreError) -> (current: ReleaseSummary?, previous: ReleaseSummary?) {
        var key = app.key
        if key == nil {
            let names = try connection.read(StoreQueries.twoApps(in: app.environment))
            if names.count == 1 { key = AppKey(names[0], environment: app.environment) }
        }
        guard let key else { return (nil, nil) }
        return try connection.currentReleases(key, regressed: try regressedLeaks(key, on: connection))
    }

    private func regressedLeaks(_ app: AppKey, on connection: Connection) throws(StoreError) -> [Int64] {
        try decidedLeaks(app: app.scope, on: connection).filter { $0.decisionStatus.isRegressed }
            .map(\.leakRowID)
    }
}

extension StoreConnection {
    /// Returns the current release of an app and its previous version.
    ///
    /// - Parameter regressed: row IDs of the regressed leaks of the app.
    fileprivate func currentReleases(
        _ app: AppKey, regressed: [Int64]
    ) throws(StoreError) -> (current: ReleaseSummary?, previous: ReleaseSummary?) {
        guard let rows = try read(StoreQueries.currentReleases(app)), let current = rows.current else {
            return (nil, nil)
        }
        return (
            try releases(app, limit: 1, upTo: current, regressed: regressed).first,
            try rows.previous.flatMap { (row) throws(StoreError) in
                try releases(app, limit: 1, upTo: row, regressed: regressed).first
            }
        )
    }

    /// Returns the highest releases of an app, at most `limit`, highest first.
    ///
    /// - Parameter last: the row ID of the highest release to return; `nil` for all.
    fileprivate func releases(
        _ app: AppKey, limit: Int, upTo last: Int64? = nil, regressed: [Int64]
    ) throws(StoreError) -> [ReleaseSummary] {
        let found = try read(StoreQueries.releases(app, limit: limit, upTo: last))
        let (builds, regressions, hours) = try readAll(
            StoreQueries.builds(of: found.map(\.rowID)), StoreQueries.regressions(of: regressed),
            StoreQueries.releaseHours(of: app))
        var regressedCounts: [Int64: Int] = [:]
        for regression in regressions { regressedCounts[regression.release, default: 0] += 1 }
        let adoptions = CurrentRelease.adoptions(hours)
        return found.map { summary, rowID in
            var release = summary
            release.builds = builds[rowID] ?? []
            release.regressedLeaks = regressedCounts[rowID] ?? 0
            release.adoption = adoptions[rowID]
            return release
        }
    }
}

extension StoreQueries {
    fileprivate static func twoApps(in environment: String) -> StoreRead<[String]> {
        StoreRead<[String]>.texts(
            "select name from app where environment = $1::text limit 2", .text(environment))
    }

    /// Reads the row ID of the release `other`, in which all releases beyond the limit are counted together. It ranks below every
    /// version that begins with a number.
    fileprivate static func otherRelease(_ app: AppKey) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>.numbers(
            """
            select r.id from app a join release r on r.app = a.id
            where a.name = $1::text and a.environment = $2::text and r.version = $3::text
            """, .text(app.name), .text(app.environment), .text(StoreLimits.other))
    }

    fileprivate static func currentReleases(
        _ app: AppKey
    ) -> StoreRead<(current: Int64?, previous: Int64?)?> {
        enum Column: Int32, QueryColumn { case newestRelease, previous }
        let previousSQL = CurrentRelease.previousReleaseSQL(of: "a.newest_release", app: "a.id")
        return StoreRead(
            .composed(
                """
                select newest_release, (\(previousSQL)) as previous
                from app a where name = $1::text and environment = $2::text
                """), .text(app.name), .text(app.environment)
        ) { (row: NamedRow<Column>) in (row.optionalInt64(.newestRelease), row.optionalInt64(.previous)) }
    }

    fileprivate static func releases(
        _ app: AppKey, limit: Int, upTo last: Int64?
    ) -> StoreRead<[(summary: ReleaseSummary, rowID: Int64)]> {
        StoreRead(
            .composed(
                """
                select \(ReleaseSummary.Column.columnsSQL) from app a join release r on r.app = a.id
                where a.name = $1::text and a.environment = $4::text
                  and ($3::bigint is null or r.order_key <= (select order_key from release where id = $3::bigint))
                order by r.order_key desc limit $2::bigint
                """), .text(app.name), .int(limit), .integer(last), .text(app.environment)
        ) { (row: NamedRow<ReleaseSummary.Column>) in (ReleaseSummary(row), row.int64(.row)) }
    }

    /// Reads the names of builds, oldest first, by row ID in `release`.
    fileprivate static func builds(of releases: [Int64]) -> StoreRead<[Int64: [String]]> {
        enum Column: Int32, QueryColumn { case release, name }
        return StoreRead(
            """
            select release, name from build where release = any($1::bigint[]) and name <> '' order by order_key
            """, [.integers(releases)], into: [:]
        ) { (row: NamedRow<Column>, builds) in
            builds[row.int64(.release), default: []].append(row.text(.name))
        }
    }

    /// Reads the sessions and reports of each release of an app in `release_hour`, and the last hour of any release of the app in
    /// this table.
    fileprivate static func releaseHours(
        of app: AppKey
    ) -> StoreRead<[(release: Int64, sessions: Int, reports: Int, lastHour: Int64)]> {
        enum Column: Int32, QueryColumn { case release, sessions, reports, lastHour }
        return StoreRead(
            """
            select h.release, cast(sum(h.sessions) as bigint) as sessions, cast(sum(h.reports) as bigint) as reports,
              (select max(hour) from release_hour where app = h.app) as last_hour
            from app a join release_hour h on h.app = a.id where a.name = $1::text and a.environment = $2::text
            group by h.app, h.release
            """, .text(app.name), .text(app.environment)
        ) { (row: NamedRow<Column>) in
            (row.int64(.release), row.int(.sessions), row.int(.reports), row.int64(.lastHour))
        }
    }
}

// MARK: Overview

extension StoreQueries {
    /// Reads the session counts of the highest version with sessions, among the ``ReleaseSummary/maxListed`` versions below
    /// the current release.
    package static func lastSessions(_ app: AppScope) -> StoreRead<VersionSessions?> {
        enum Column: Int32, QueryColumn { case version, sessions, leakySessions }
        return StoreRead(
            .composed(
                """
                select version, sessions, leaky_sessions from (
                  select r.version, r.sessions, r.leaky_sessions, r.order_key
                  from app a join release n on n.id = a.newest_release
                  join release r on r.app = a.id and r.order_key < n.order_key
                  where \(isInScopeSQL) order by r.order_key desc limit $3::bigint) as lower
                where sessions > 0 order by order_key desc limit 1
                """), .text(app.app), .text(app.environment), .int(ReleaseSummary.maxListed)
        ) { (row: NamedRow<Column>) in
            VersionSessions(
                version: row.text(.version), sessions: row.int(.sessions),
                leakySessions: row.int(.leakySessions))
        }
    }

    /// Reads the totals of all leaks, which are stored in the rows of the apps.
    package static func totals(_ app: AppScope) -> StoreRead<LeakTotals?> {
        enum Column: Int32, QueryColumn { case leaks, reports }
        return StoreRead(
            .composed(
                """
                select BOUNDED_SUM(leaks) as leaks, BOUNDED_SUM(reports) as reports from app a where \(isInScopeSQL)
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<Column>) in LeakTotals(leaks: row.int(.leaks), reports: row.int(.reports)) }
    }

    package static func droppedReports(of app: AppScope) -> StoreRead<[Submission.Dropped]> {
        enum Column: Int32, QueryColumn { case name, reason, count }
        return StoreRead(
            .composed(
                """
                select a.name, d.reason, d.count from app a join dropped d on d.app = a.id
                where \(isInScopeSQL) order by a.name, d.count desc, d.reason
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<Column>) in
            Submission.Dropped(
                app: row.text(.name), environment: app.environment, reason: row.text(.reason),
                count: row.int(.count))
        }
    }

    package static func overLimitCounts(_ app: AppScope) -> StoreRead<[OverLimitCount]> {
        enum Column: Int32, QueryColumn { case app, limit, count }
        return StoreRead(
            .composed(
                """
                select a.name as app, b.name as "limit", b.count from app a join over_limit b on b.app = a.id
                where \(isInScopeSQL) order by a.name, b.name
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<Column>) throws(StoreError) in
            guard let limit = OverLimitCount.Name(rawValue: row.text(.limit)) else {
                throw row.unreadable("a limit")
            }
            return OverLimitCount(
                app: AppKey(row.text(.app), environment: app.environment), limit: limit,
                count: row.int(.count))
        }
    }

    /// Reports and installs of a period.
    package struct RecentCounts {
        package var reports = 0
        package var installs = InstallSet()
    }

    /// - Parameter sql: selects the `reports` and `members`, a set of installs, of each part of a period.
    package static func recentCounts(_ sql: SQLText, _ values: StoreValue...) -> StoreRead<RecentCounts> {
        enum Column: Int32, QueryColumn { case reports, members }
        return StoreRead(sql, values, into: RecentCounts()) {
            (row: NamedRow<Column>, counts) throws(StoreError) in
            counts.reports.addBounded(row.int(.reports))
            if !row.isNull(.members) { counts.installs.merge(try row.installSet(.members)) }
        }
    }
}

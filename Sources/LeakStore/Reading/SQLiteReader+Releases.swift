extension SQLiteReader {
    func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary] {
        try snapshot { () throws(StoreError) in
            var releases = try releases(app, limit: ReleaseSummary.maxListed)
            guard releases.count == ReleaseSummary.maxListed else { return releases }
            if !releases.contains(where: \.isCurrent) {
                releases += [try currentReleases(app).current].compactMap(\.self)
            }
            if !releases.contains(where: { $0.version == StoreLimits.other }),
                let other = try otherRelease(app)
            {
                releases += try self.releases(app, limit: 1, upTo: other)
            }
            return releases
        }
    }

    /// Returns the row ID of the release `other`, in which all releases beyond the limit are counted together. It ranks below
    /// all others.
    private func otherRelease(_ app: AppKey) throws(StoreError) -> Int64? {
        let select = try connection.statement(
            """
            select r.id from app a join release r on r.app = a.id
            where a.name = ? and a.environment = ? and r.version = ?
            """)
        defer { select.reset() }
        try select.bind(app.name, app.environment, StoreLimits.other)
        return try select.step() ? select.int64(0) : nil
    }

    /// Returns the current release of an app, and the version before it that was in use.
    func currentReleases(_ app: AppKey) throws(StoreError) -> (
        current: ReleaseSummary?, previous: ReleaseSummary?
    ) {
        let select = try connection.statement(
            composed: """
                select newest_release, (\(CurrentRelease.previousReleaseSQL(of: "a.newest_release", app: "a.id")))
                from app a where name = ? and environment = ?
                """)
        defer { select.reset() }
        try select.bind(app.name, app.environment)
        guard try select.step(), let current = select.optionalInt64(0) else { return (nil, nil) }
        let previous = select.optionalInt64(1)
        return (
            try releases(app, limit: 1, upTo: current).first,
            try previous.flatMap { (row) throws(StoreError) in try releases(app, limit: 1, upTo: row).first }
        )
    }

    /// Returns the highest releases of an app, at most `limit`, highest first.
    ///
    /// - Parameter last: the row ID of the highest release to return; `nil` for all.
    private func releases(
        _ app: AppKey, limit: Int, upTo last: Int64? = nil
    ) throws(StoreError) -> [ReleaseSummary] {
        try forgetMergedLeaks()
        let select = try connection.statement(
            composed: """
                select \(ReleaseSummary.Column.columnsSQL)
                from app a join release r on r.app = a.id
                where a.name = ?1 and a.environment = ?4
                  and (?3 is null or r.order_key <= (select order_key from release where id = ?3))
                order by r.order_key desc limit ?2
                """)
        defer { select.reset() }
        try select.bind(app.name, limit, last, app.environment)
        var rowIDs: [Int64] = []
        var releases: [ReleaseSummary] = []
        while try select.step() {
            rowIDs.append(NamedRow(select, of: ReleaseSummary.Column.self).int64(.row))
            releases.append(ReleaseSummary(select))
        }
        let builds = try builds(of: rowIDs)
        let regressed = try countRegressedLeaks(app: app)
        let adoptions = try adoptions(of: app)
        for (index, rowID) in rowIDs.enumerated() {
            releases[index].builds = builds[rowID] ?? []
            releases[index].regressedLeaks = regressed[rowID] ?? 0
            releases[index].adoption = adoptions[rowID]
        }
        return releases
    }

    private func adoptions(of app: AppKey) throws(StoreError) -> CurrentRelease.Adoptions {
        let select = try connection.statement(
            composed: CurrentRelease.releaseHoursSQL(name: "?", environment: "?"))
        defer { select.reset() }
        try select.bind(app.name, app.environment)
        var rows: [(release: Int64, sessions: Int, reports: Int, lastHour: Int64)] = []
        while try select.step() {
            rows.append((select.int64(0), select.int(1), select.int(2), select.int64(3)))
        }
        return CurrentRelease.adoptions(rows)
    }

    /// Returns the names of builds, oldest first, by row ID in `release`.
    private func builds(of releases: [Int64]) throws(StoreError) -> [Int64: [String]] {
        let select = try connection.statement(
            """
            select b.release, b.name from json_each(?) j cross join build b on b.release = j.value and b.name <> ''
            order by b.order_key
            """)
        defer { select.reset() }
        try select.bind(releases.jsonArray)
        var builds: [Int64: [String]] = [:]
        while try select.step() { builds[select.int64(0), default: []].append(select.text(1)) }
        return builds
    }
}

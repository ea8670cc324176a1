extension Writer {
    /// Counts the sessions and reports of this hour by release, and chooses the current release of each counted app again.
    ///
    /// - Parameter now: ``StoreClock/expiryTime``.
    func chooseCurrentReleases(
        _ rows: ResolvedRows, _ aggregate: SubmissionAggregate, now: Int64
    ) throws(StoreError) {
        let hour = Calendar.hour(of: now)
        for release in aggregate.releases where release.sessions > 0 || release.allReports > 0 {
            try connection.run(
                """
                insert into release_hour (app, hour, release, sessions, reports) values (?, ?, ?, ?, ?)
                on conflict (app, hour, release) do update set
                  sessions = min(sessions + excluded.sessions, LARGEST_TOTAL),
                  reports = min(reports + excluded.reports, LARGEST_TOTAL)
                """, rows.apps[aggregate.apps[release.app].number].id, hour,
                rows.releases[release.number].id, release.sessions, release.allReports)
        }
        for app in Set(aggregate.releases.map { aggregate.apps[$0.app].number }) {
            let entry = rows.apps[app]
            // Later hours are of a clock that has been set back since.
            try connection.run(
                "delete from release_hour where app = ? and (hour < ? or hour > ?)", entry.id,
                CurrentRelease.firstHour(now: hour), hour)
            try chooseCurrentRelease(of: entry)
        }
    }

    private func chooseCurrentRelease(of app: AppEntry) throws(StoreError) {
        let select = try connection.statement(
            composed: "select (\(CurrentRelease.row)) from app a where a.id = ?")
        defer { select.reset() }
        try select.bind(app.id)
        guard try select.step() else { return }
        let row = select.optionalInt64(0)
        guard row != app.currentReleaseRow else { return }
        app.currentReleaseRow = row
        try connection.run("update app set newest_release = ? where id = ?", row, app.id)
        try rankByCurrentRelease(of: app.id)
    }

    /// Pins the current release of an app, or chooses it by its adoption again.
    ///
    /// - Parameter version: `nil` removes the pin.
    /// - Returns: `false` if there is no such app or version.
    func pin(_ version: String?, of app: AppKey) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try dropCachedIfOthersWrote()
                try readLogs()
                let select = try connection.statement(
                    """
                    select a.id, r.id from app a left join release r on r.app = a.id and r.version = ?
                    where a.name = ? and a.environment = ?
                    """)
                defer { select.reset() }
                try select.bind(version, app.name, app.environment)
                guard try select.step() else { return false }
                let (row, release) = (select.int64(0), select.optionalInt64(1))
                guard release != nil || version == nil else { return false }
                try connection.run("update app set pinned_release = ? where id = ?", release, row)
                let update = try connection.statement(
                    composed: """
                        update app as a set newest_release = (\(CurrentRelease.row))
                        where a.id = ? and newest_release is not (\(CurrentRelease.row))
                        """)
                try update.run(row)
                if connection.changes > 0 { try rankByCurrentRelease(of: row) }
                // Cached entries contain the current release.
                caches.removeAll()
                return true
            }
        } catch {
            dropCached()
            throw error
        }
    }

    /// Sets the impact of each leak to its installs in the stored current release.
    private func rankByCurrentRelease(of app: Int64) throws(StoreError) {
        try flushCountLog()
        // The first two statements use one partial index each. An unindexed leak (`moving = 1`) gets its place in the indexes when it is
        // reindexed.
        try connection.run(
            """
            update leak set impact = 0, rank_impact = 0 where app = ? and moving = 0 and rank_impact > 0
            """, app)
        try connection.run("update leak set impact = 0 where app = ? and moving = 1", app)
        try connection.run(
            """
            update leak set impact = c.installs, rank_impact = case moving when 0 then c.installs else rank_impact end
            from leak_release c
            where c.release = (select newest_release from app where id = ?) and leak.id = c.leak and c.installs > 0
            """, app)
    }
}

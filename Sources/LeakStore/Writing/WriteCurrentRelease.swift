extension Writer {
    /// Counts sessions and reports by release and hour, and chooses the current release of each counted app again.
    ///
    /// - Parameter now: ``StoreClock/expiryTime``.
    func chooseCurrentReleases(
        _ rows: ResolvedRows, _ aggregate: SubmissionAggregate, now: Int64
    ) throws(StoreError) {
        let now = Calendar.hour(of: now)
        var usedApps: Set<AppNumber> = []
        for release in aggregate.releases {
            let number = aggregate.apps[release.app].number
            let app = rows.apps[number]
            for use in SubmissionAggregate.HourUse.counted(release.hours, now: now) {
                usedApps.insert(number)
                var hours = try countedHours(of: app)
                if !hours.contains(use.hour) {
                    // Hours of a clock that was ahead are deleted below, and do not count towards the limit of hours.
                    let kept = hours.filter { CurrentRelease.isKept($0, now: now) }
                    if kept.count >= CurrentRelease.maxHours, use.hour < kept[0] { continue }
                    hours.append(use.hour)
                    hours.sort()
                    app.countedHours = hours
                }
                try connection.run(
                    """
                    insert into release_hour (app, hour, release, sessions, reports, bucket) values (?, ?, ?, ?, ?, ?)
                    on conflict (app, hour, release) do update set
                      sessions = min(sessions + excluded.sessions, LARGEST_TOTAL),
                      reports = min(reports + excluded.reports, LARGEST_TOTAL),
                      bucket = case when bucket = excluded.bucket then bucket else -1 end
                    """, app.id, use.hour, rows.releases[release.number].id, use.sessions, use.reports,
                    use.bucket)
            }
        }
        for number in usedApps { try deleteUncountedHours(of: rows.apps[number], now: now) }
        for number in Set(aggregate.releases.map { aggregate.apps[$0.app].number }) {
            try chooseCurrentRelease(of: rows.apps[number])
        }
    }

    /// Returns the hours of an app in `release_hour`, ascending.
    private func countedHours(of app: AppEntry) throws(StoreError) -> [Int] {
        if let hours = app.countedHours { return hours }
        let select = try connection.statement(
            "select distinct hour from release_hour where app = ? order by hour")
        defer { select.reset() }
        try select.bind(app.id)
        var hours: [Int] = []
        while try select.step() { hours.append(select.int(0)) }
        app.countedHours = hours
        return hours
    }

    /// Deletes the hours that do not count any more, and future hours, which were written before a clock was set back.
    private func deleteUncountedHours(of app: AppEntry, now: Int) throws(StoreError) {
        let hours = try countedHours(of: app)
        let kept = hours.filter { CurrentRelease.isKept($0, now: now) }.suffix(CurrentRelease.maxHours)
        guard kept.count < hours.count, let first = kept.first, let last = kept.last else { return }
        try connection.run(
            "delete from release_hour where app = ? and (hour < ? or hour > ?)", app.id, first, last)
        app.countedHours = Array(kept)
    }

    /// Chooses the current release of an app by the rule of ``CurrentRelease``, and updates the impact of its leaks if it has
    /// changed.
    private func chooseCurrentRelease(of app: AppEntry) throws(StoreError) {
        let select = try connection.statement(
            composed: "select (\(CurrentRelease.rowIDSQL)) from app a where a.id = ?")
        defer { select.reset() }
        try select.bind(app.id)
        guard try select.step() else { return }
        let rowID = select.optionalInt64(0)
        guard rowID != app.currentReleaseRowID else { return }
        app.currentReleaseRowID = rowID
        try connection.run("update app set newest_release = ? where id = ?", rowID, app.id)
        try rankByCurrentRelease(of: app.id)
    }

    /// Pins the current release of an app; for `nil`, removes the pin, so that the adoption determines the current release
    /// again.
    ///
    /// - Returns: `false` if there is no such app or version.
    func pin(
        _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
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
                // Clears the stored current release before the choice. Otherwise it would be chosen again with a smaller share
                // than other releases need.
                try connection.run(
                    """
                    update app set pinned_release = ?, pinned_by = ?, pinned_at = ?,
                      newest_release = case when exists (select 1 from release_hour h where h.app = app.id) then null
                        else newest_release end
                    where id = ?
                    """, release, version.map { _ in author }, version.map { _ in now }, row)
                let update = try connection.statement(
                    composed:
                        "update app as a set newest_release = (\(CurrentRelease.rowIDSQL)) where a.id = ?")
                try update.run(row)
                try rankByCurrentRelease(of: row)
                try record(entry)
                // Cached entries contain the current release.
                caches.removeAll()
                return true
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    /// Sets the impact of each leak to its recent installs in the stored current release.
    func rankByCurrentRelease(of app: Int64) throws(StoreError) {
        try flushCountLog()
        // The first two statements use one partial index each. An unindexed leak (`is_unindexed = 1`) is added to the indexes
        // when it is reindexed.
        try connection.run(
            """
            update leak set impact = 0, rank_impact = 0 where app = ? and is_unindexed = 0 and rank_impact > 0
            """, app)
        try connection.run("update leak set impact = 0 where app = ? and is_unindexed = 1", app)
        try connection.run(
            """
            update leak set impact = s.installs, rank_impact = case is_unindexed when 0 then s.installs else rank_impact end
            from leak_release c join recent_install_set s on s.id = c.id
            where c.release = (select newest_release from app where id = ?) and leak.id = c.leak and s.installs > 0
            """, app)
    }
}

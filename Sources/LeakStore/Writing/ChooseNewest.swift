extension NewestVersion {
    /// ``VersionOrder/numbered`` as a literal of SQLite.
    private static let numbered = "x'02'"
    /// ``NewestVersion/order(of:numbered:)`` for rows `r`, in the syntax of SQLite.
    static let order = order(of: "r", numbered: numbered)
    static let isInField = isInField("r", numbered: numbered)

    /// SQL for the id of the newest release of an app `a`.
    static let row = "select r.id from release r where r.app = a.id order by \(order) limit 1"
}

extension Writer {
    /// Chooses the newest release again for each app whose newest release may have changed because of the counted reports.
    func chooseNewest(_ rows: ResolvedRows, _ aggregate: SubmissionAggregate) throws(StoreError) {
        for (index, app) in aggregate.apps.map({ rows.apps[$0.number] }).enumerated() {
            let mayChange =
                !app.isNewestInField
                || aggregate.releases.contains { release in
                    release.app == index
                        && app.newestOrderKey?.lexicographicallyPrecedes(rows.releases[release.number].order)
                            ?? true
                }
            if mayChange { try chooseNewest(of: app) }
        }
    }

    private func chooseNewest(of app: AppEntry) throws(StoreError) {
        let select = try connection.statement(
            composed: """
                select r.id, r.order_key, \(NewestVersion.isInField) from release r where r.app = ?
                order by \(NewestVersion.order) limit 1
                """)
        defer { select.reset() }
        try select.bind(app.id)
        guard try select.step() else { return }
        let row = select.int64(0)
        (app.newestOrderKey, app.isNewestInField) = (select.bytes(1), select.int(2) == 1)
        guard row != app.newestReleaseRow else { return }
        app.newestReleaseRow = row
        try connection.run("update app set newest_release = ? where id = ?", row, app.id)
        try rankByNewest(of: app.id)
    }

    /// Chooses the newest release of an app, without using or changing the cache.
    func chooseNewest(ofApp app: Int64) throws(StoreError) {
        let update = try connection.statement(
            composed: """
                update app as a set newest_release = (\(NewestVersion.row))
                where a.id = ? and newest_release is not (\(NewestVersion.row))
                """)
        try update.run(app)
        if connection.changes > 0 { try rankByNewest(of: app) }
    }

    /// Sets the impact of each leak to its installs in the stored newest release.
    private func rankByNewest(of app: Int64) throws(StoreError) {
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

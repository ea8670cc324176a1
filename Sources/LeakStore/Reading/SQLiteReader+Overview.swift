extension SQLiteReader {
    private static let maxTitlesShown = 3

    func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
        try snapshot { () throws(StoreError) in
            let (current, previous) = try currentReleases(ofOnly: app)
            let leakStates = try leakStates(app: app, now: now)
            let (newLeaks, newLeakTitles) = try newLeaks(app, leakStates)
            let regressedLeaks = try readRegressedLeaks(app)
            let recentCounts = try recentCounts(app, period, now: now)
            let totals = try totals(app)
            return Overview(
                currentRelease: current, previousRelease: previous,
                lastSessions: current?.sessions == 0 ? try readLastSessions(app) : nil,
                newLeaks: newLeaks,
                newLeakTitles: newLeakTitles, regressedLeaks: regressedLeaks.count,
                regressedLeakTitles: regressedLeaks.titles,
                period: period, recentReports: recentCounts.reports, recentInstalls: recentCounts.installs,
                recentLeaks: recentCounts.leaks,
                leaks: totals.leaks, reports: totals.reports, known: leakStates.totals(.known),
                resolved: leakStates.totals(.resolved), ignored: leakStates.totals(.ignored),
                slow: leakStates.totals(.slow),
                dropped: try droppedReports(of: app), overLimit: try readOverLimitCounts(app))
        }
    }

    /// Returns the current release of one app, and the version before it. If `app` stands for all apps, returns the releases of
    /// the only app, or none if there are several apps, because versions of different apps cannot be compared.
    private func currentReleases(
        ofOnly app: AppScope
    ) throws(StoreError) -> (current: ReleaseSummary?, previous: ReleaseSummary?) {
        if let key = app.key { return try currentReleases(key) }
        let names = try texts(
            connection.statement("select name from app where environment = ? limit 2"), [app.environment])
        guard names.count == 1 else { return (nil, nil) }
        return try currentReleases(AppKey(names[0], environment: app.environment))
    }

    /// Returns the session counts of the highest version with sessions, among the ``ReleaseSummary/maxListed`` versions below
    /// the current release.
    private func readLastSessions(_ app: AppScope) throws(StoreError) -> VersionSessions? {
        let select = try connection.statement(
            """
            select version, sessions, leaky_sessions from (
              select r.version, r.sessions, r.leaky_sessions, r.order_key
              from app a join release n on n.id = a.newest_release
              join release r on r.app = a.id and r.order_key < n.order_key
              where a.environment = ?3 and (?1 is null or a.name = ?1) order by r.order_key desc limit ?2)
            where sessions > 0 order by order_key desc limit 1
            """)
        defer { select.reset() }
        try select.bind(app.app, ReleaseSummary.maxListed, app.environment)
        guard try select.step() else { return nil }
        return VersionSessions(
            version: select.text(0), sessions: select.int(1), leakySessions: select.int(2))
    }

    private func readRegressedLeaks(_ app: AppScope) throws(StoreError) -> (count: Int, titles: [String]) {
        let leaks = try decidedLeaks(app: app).filter { $0.decisionStatus.isRegressed }
            .sorted { ($1.reports, $0.leakRowID) < ($0.reports, $1.leakRowID) }
        return (leaks.count, try titles(of: leaks.prefix(Self.maxTitlesShown).map(\.leakRowID)))
    }

    /// Returns the titles of leaks, in the same order.
    private func titles(of leaks: [Int64]) throws(StoreError) -> [String] {
        guard !leaks.isEmpty else { return [] }
        return try texts(
            connection.statement(
                "select t.title from json_each(?) j join leak_text t on t.leak = j.value order by j.key"),
            [leaks.jsonArray])
    }

    private func newLeaks(
        _ app: AppScope, _ leakStates: LeakStates
    ) throws(StoreError) -> (count: Int, titles: [String]) {
        let releases = try connection.statement(
            """
            select r.id, r.new_leaks from app a join release r on r.id = a.newest_release and r.new_leaks > 0
            where a.environment = ?2 and (?1 is null or a.name = ?1)
            """)
        defer { releases.reset() }
        try releases.bind(app.app, app.environment)
        let isNoneSetAside = leakStates.totals(of: LeakState.setAside).leaks == 0
        var count = 0
        var titledLeaks: [(reports: Int, rowID: Int64)] = []
        while try releases.step() {
            count += releases.int(1)
            for leaks in [
                try connection.statement(
                    """
                    select id, rank_reports from leak where first_release = ? and is_unindexed = 0
                    order by rank_reports desc
                    """),
                try connection.statement(
                    "select id, reports from leak where first_release = ? and is_unindexed = 1 order by reports desc"
                ),
            ] {
                defer { leaks.reset() }
                try leaks.bind(releases.int64(0))
                var titleCount = 0
                // If some leaks are set aside, reads all new leaks, to subtract those that are set aside from the count.
                while !isNoneSetAside || titleCount < Self.maxTitlesShown, try leaks.step() {
                    if leakStates.isSetAside(leaks.int64(0)) {
                        count -= 1
                    } else if titleCount < Self.maxTitlesShown {
                        titledLeaks.append((leaks.int(1), leaks.int64(0)))
                        titleCount += 1
                    }
                }
            }
        }
        titledLeaks.sort { ($1.reports, $0.rowID) < ($0.reports, $1.rowID) }
        return (max(count, 0), try titles(of: titledLeaks.prefix(Self.maxTitlesShown).map(\.rowID)))
    }

    /// Returns the counts of a period. The last 24 hours are read from ten-minute slots. A longer period is read from days and
    /// from slots, because reports count in days only after their slots were deleted.
    private func recentCounts(
        _ app: AppScope, _ period: Period, now: Int64
    ) throws(StoreError) -> (reports: Int, installs: Int, leaks: Int) {
        let firstDay = period.firstAppDay(now: now)
        let firstSlot = period.firstSlot(now: now)
        let select = try connection.statement(
            """
            select s.reports, i.members from app a join app_slot s on s.app = a.id and s.slot >= ?2
            left join install_set i on i.id = s.id << 3 | 3
            where a.environment = ?4 and (?1 is null or a.name = ?1)
            union all
            select d.reports, i.members from app a join app_day d on d.app = a.id and d.day >= ?3
            left join install_set i on i.id = d.id << 3 | 5
            where a.environment = ?4 and (?1 is null or a.name = ?1)
            """)
        defer { select.reset() }
        try select.bind(app.app, firstSlot, firstDay, app.environment)
        var reports = 0
        var installs = InstallSet()
        while try select.step() {
            reports.addBounded(select.int(0))
            guard !select.isNull(1) else { continue }
            guard let set = InstallSet(bytes: select.bytes(1)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            installs.merge(set)
        }
        let count = try connection.statement(
            """
            select sum(
              (select count(*) from leak where app = a.id and is_unindexed = 0 and rank_last_seen >= ?2)
              + (select count(*) from leak where app = a.id and is_unindexed = 1 and last_seen >= ?2))
            from app a where a.environment = ?3 and (?1 is null or a.name = ?1)
            """)
        defer { count.reset() }
        try count.bind(app.app, period.startTime(now: now), app.environment)
        return (reports, installs.count, try count.step() ? count.int(0) : 0)
    }

    /// Returns the totals of all leaks, which are stored in the rows of the apps.
    func totals(_ app: AppScope) throws(StoreError) -> LeakTotals {
        let select = try connection.statement(
            """
            select cast(min(total(leaks), LARGEST_TOTAL) as integer),
              cast(min(total(reports), LARGEST_TOTAL) as integer)
            from app where environment = ?2 and (?1 is null or name = ?1)
            """)
        defer { select.reset() }
        try select.bind(app.app, app.environment)
        return try select.step() ? LeakTotals(leaks: select.int(0), reports: select.int(1)) : LeakTotals()
    }

    private func droppedReports(of app: AppScope) throws(StoreError) -> [Submission.Dropped] {
        let select = try connection.statement(
            """
            select a.name, d.reason, d.count from app a join dropped d on d.app = a.id
            where a.environment = ?2 and (?1 is null or a.name = ?1) order by a.name, d.count desc, d.reason
            """)
        defer { select.reset() }
        try select.bind(app.app, app.environment)
        var dropped: [Submission.Dropped] = []
        while try select.step() {
            dropped.append(
                Submission.Dropped(
                    app: select.text(0), environment: app.environment, reason: select.text(1),
                    count: select.int(2)))
        }
        return dropped
    }

    private func readOverLimitCounts(_ app: AppScope) throws(StoreError) -> [OverLimitCount] {
        let select = try connection.statement(
            """
            select a.name, b.name, b.count from app a join over_limit b on b.app = a.id
            where a.environment = ?2 and (?1 is null or a.name = ?1) order by a.name, b.name
            """)
        defer { select.reset() }
        try select.bind(app.app, app.environment)
        var counts: [OverLimitCount] = []
        while try select.step() {
            guard let limit = OverLimitCount.Name(rawValue: select.text(1)) else {
                throw .unreadable("a limit", in: connection.path)
            }
            counts.append(
                OverLimitCount(
                    app: AppKey(select.text(0), environment: app.environment), limit: limit,
                    count: select.int(2)))
        }
        return counts
    }
}

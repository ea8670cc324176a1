extension SQLiteReader {
    private static let maxTitlesShown = 3

    func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
        try snapshot { connection throws(StoreError) in
            let (current, previous) = try currentReleases(ofOnly: app, on: connection)
            let leakStates = try leakStates(app: app, now: now, on: connection)
            let (newLeaks, newLeakTitles) = try newLeaks(app, leakStates)
            let regressedLeaks = try readRegressedLeaks(app)
            let (recentCounts, recentLeaks, totals, dropped, overLimit) = try connection.readAll(
                Self.recentCounts(app, period, now: now), Self.recentLeaks(app, period, now: now),
                StoreQueries.totals(app), StoreQueries.droppedReports(of: app),
                StoreQueries.overLimitCounts(app))
            return Overview(
                currentRelease: current, previousRelease: previous,
                lastSessions: current?.sessions == 0
                    ? try connection.read(StoreQueries.lastSessions(app)) : nil,
                newLeaks: newLeaks,
                newLeakTitles: newLeakTitles, regressedLeaks: regressedLeaks.count,
                regressedLeakTitles: regressedLeaks.titles,
                period: period, recentReports: recentCounts.reports,
                recentInstalls: recentCounts.installs.count, recentLeaks: Int(recentLeaks.first ?? 0),
                leaks: totals?.leaks ?? 0, reports: totals?.reports ?? 0, known: leakStates.totals(.known),
                resolved: leakStates.totals(.resolved), ignored: leakStates.totals(.ignored),
                slow: leakStates.totals(.slow), dropped: dropped, overLimit: overLimit)
        }
    }

    private func readRegressedLeaks(_ app: AppScope) throws(StoreError) -> (count: Int, titles: [String]) {
        let leaks = try decidedLeaks(app: app, on: connection).filter { $0.decisionStatus.isRegressed }
            .sorted { ($1.reports, $0.leakRowID) < ($0.reports, $1.leakRowID) }
        return (leaks.count, try titles(of: leaks.prefix(Self.maxTitlesShown).map(\.leakRowID)))
    }

    /// Returns the titles of leaks, in the same order.
    private func titles(of leaks: [Int64]) throws(StoreError) -> [String] {
        guard !leaks.isEmpty else { return [] }
        return try connection.read(
            StoreRead<[String]>.texts(
                "select t.title from json_each($1) j join leak_text t on t.leak = j.value order by j.key",
                .integers(leaks)))
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
        let areAllCounted =
            leakStates.totals(of: LeakState.setAside).leaks == 0 && leakStates.others.isEmpty
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
                // If some leaks are set aside, or count all others, every new leak is read, to subtract such leaks from the count.
                while !areAllCounted || titleCount < Self.maxTitlesShown, try leaks.step() {
                    let rowID = leaks.int64(0)
                    if leakStates.isSetAside(rowID) || leakStates.others.contains(rowID) {
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

    /// Reads the counts of a period. The last 24 hours are read from ten-minute slots. A longer period is read from days and
    /// from slots, because reports count in days only after their slots were deleted.
    private static func recentCounts(
        _ app: AppScope, _ period: Period, now: Int64
    ) -> StoreRead<StoreQueries.RecentCounts> {
        StoreQueries.recentCounts(
            """
            select s.reports, i.members from app a join app_slot s on s.app = a.id and s.slot >= $3
            left join install_set i on i.id = s.id << 3 | 3
            where a.environment = $2 and ($1 is null or a.name = $1)
            union all
            select d.reports, i.members from app a join app_day d on d.app = a.id and d.day >= $4
            left join install_set i on i.id = d.id << 3 | 5
            where a.environment = $2 and ($1 is null or a.name = $1)
            """, .text(app.app), .text(app.environment), .int(period.firstSlot(now: now)),
            .int(period.firstAppDay(now: now)))
    }

    private static func recentLeaks(
        _ app: AppScope, _ period: Period, now: Int64
    ) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>.numbers(
            """
            select sum(
              (select count(*) from leak where app = a.id and is_unindexed = 0 and rank_last_seen >= $3)
              + (select count(*) from leak where app = a.id and is_unindexed = 1 and last_seen >= $3))
            from app a where a.environment = $2 and ($1 is null or a.name = $1)
            """, .text(app.app), .text(app.environment), .integer(period.startTime(now: now)))
    }
}

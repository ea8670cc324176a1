/// A row of `recent_install_set`: the installs of a leak in a release.
struct RecentInstallSet {
    /// The row ID in `leak_release`.
    let leakReleaseRowID: Int64
    var installs = RecentInstalls()
    /// The day for which the stored number of installs was counted: ``RecentInstalls/count(on:)``.
    var day = 0
}

extension SQLiteConnection {
    /// Adds installs to their sets. The impact of a leak is written together with the counts of the leak.
    ///
    /// - Parameter didRead: called with each set of recent installs in the log, after the installs were added.
    func add(
        _ recentInstalls: [LoggedCounts.RecentInstall], didRead: (RecentInstallSet) -> Void
    ) throws(StoreError) {
        let sorted = recentInstalls.sorted { ($0.leakReleaseRowID, $0.day) < ($1.leakReleaseRowID, $1.day) }
        var index = 0
        while index < sorted.count {
            var set = try recentInstallSet(sorted[index].leakReleaseRowID)
            var isChanged = false
            while index < sorted.count, sorted[index].leakReleaseRowID == set.leakReleaseRowID {
                if set.installs.insert(sorted[index].install, day: sorted[index].day) { isChanged = true }
                index += 1
            }
            didRead(set)
            guard isChanged else { continue }
            set.day = RecentInstalls.laterDay(set.day, today: set.installs.lastDay)
            try write(set)
        }
    }

    /// Stores a set, or deletes its row if the set is empty, and updates the impact of its leak.
    func put(_ set: RecentInstallSet) throws(StoreError) {
        let count = try write(set)
        try run(
            """
            update leak set impact = ?2, rank_impact = case is_unindexed when 0 then ?2 else rank_impact end
            where id = (select c.leak from leak_release c join release r on r.id = c.release
                join app a on a.id = r.app and a.newest_release = c.release where c.id = ?1)
              and impact <> ?2
            """, set.leakReleaseRowID, count)
    }

    /// - Returns: the number of installs.
    @discardableResult
    private func write(_ set: RecentInstallSet) throws(StoreError) -> Int {
        let count = set.installs.count(on: set.day)
        if set.installs.isEmpty {
            try run("delete from recent_install_set where id = ?", set.leakReleaseRowID)
        } else {
            try run(
                """
                insert into recent_install_set (id, installs, day, members) values (?, ?, ?, ?)
                on conflict (id) do update set installs = excluded.installs, day = excluded.day,
                  members = excluded.members
                """, set.leakReleaseRowID, count, set.day, set.installs.bytes)
        }
        return count
    }

    /// Returns the set of a row of `leak_release`; an empty set if no install was recorded for that row.
    func recentInstallSet(_ row: Int64) throws(StoreError) -> RecentInstallSet {
        let select = try statement("select id, day, members from recent_install_set where id = ?")
        defer { select.reset() }
        try select.bind(row)
        return try sets(select).first ?? RecentInstallSet(leakReleaseRowID: row)
    }

    /// Returns sets in the order of their row IDs.
    ///
    /// - Parameter today: if given, only sets are returned whose ``RecentInstallSet/day`` is before this day, or so far ahead
    ///   that it counts as impossible (``RecentInstalls/impossibleLeadDays``).
    func recentInstallSets(
        after row: Int64, expiringOn today: Int? = nil, limit: Int
    ) throws(StoreError) -> [RecentInstallSet] {
        let select = try statement(
            """
            select id, day, members from recent_install_set
            where id > ?1 and (?2 is null or day < ?2 or day >= ?3) order by id limit ?4
            """)
        defer { select.reset() }
        try select.bind(row, today, today.map { $0 + RecentInstalls.impossibleLeadDays }, limit)
        return try sets(select)
    }

    /// Reads the sets. A set that cannot be read is returned empty. New reports fill it again, so that it is complete after
    /// ``RecentInstalls/days`` days. A verification of the database reports such a set.
    private func sets(_ select: Statement) throws(StoreError) -> [RecentInstallSet] {
        var sets: [RecentInstallSet] = []
        while try select.step() {
            let installs = RecentInstalls(bytes: select.bytes(2)) ?? RecentInstalls()
            sets.append(
                RecentInstallSet(leakReleaseRowID: select.int64(0), installs: installs, day: select.int(1)))
        }
        return sets
    }
}

extension SQLiteReader {
    func check(
        app: String, version: String, baseline: String?, now: Int64
    ) throws(StoreError) -> ReleaseCheck? {
        try snapshot { () throws(StoreError) in
            guard let release = try totals(ofRelease: version, app: app) else { return nil }
            let base = try baseline.map { text throws(StoreError) in
                try ReleaseCheck.bound(baseline: text, of: version)
            }
            let floor = ReleaseCheck.floor(baseline: baseline, of: version)
            let before = try base == nil ? versionBefore(version, from: floor, app: app) : nil
            let bound = base ?? before.map { VersionOrder($0).above } ?? floor
            let leakStates = try leakStates(app: app, now: now)
            let checked = ReleaseCheckLeaks(
                try seen(in: release.row, since: bound, floor: floor), in: version, leakStates,
                regressed: try regressedLeaks(app: app, in: release.row))
            return ReleaseCheck(
                app: app, version: version, baseline: baseline ?? before,
                new: try rows(checked.new, of: release.row, leakStates, now: now),
                newCount: checked.new.count,
                regressed: try rows(checked.regressed, of: release.row, leakStates, now: now),
                regressedCount: checked.regressed.count, setAside: checked.setAside, leaks: release.leaks,
                reports: release.reports)
        }
    }

    private func totals(
        ofRelease version: String, app: String
    ) throws(StoreError) -> (row: Int64, leaks: Int, reports: Int)? {
        let select = try connection.statement(
            """
            select r.id, r.leaks, r.reports from app a join release r on r.app = a.id and r.version = ?
            where a.name = ?
            """)
        defer { select.reset() }
        try select.bind(version, app)
        return try select.step() ? (select.int64(0), select.int(1), select.int(2)) : nil
    }

    /// Returns the newest version that ranks lower than the given one.
    private func versionBefore(
        _ version: String, from floor: [UInt8], app: String
    ) throws(StoreError) -> String? {
        try texts(
            connection.statement(
                """
                select r.version from app a join release r on r.app = a.id and r.order_key < ? and r.order_key >= ?
                where a.name = ? order by r.order_key desc limit 1
                """), [VersionOrder(version).atOrAbove, floor, app]
        ).first
    }

    /// Returns the leaks with reports in a release, their reports, and whether no release from the floor up to the bound has them.
    private func seen(
        in release: Int64, since bound: [UInt8], floor: [UInt8]
    ) throws(StoreError) -> [ReleaseCheckLeaks.Seen] {
        // If the first release decides, the other releases are not read.
        let select = try connection.statement(
            """
            select c.leak, c.reports, case when f.order_key >= ?2 then 1 when f.order_key >= ?3 then 0 else
                not exists (select 1 from leak_release p join release r on r.id = p.release
                  where p.leak = c.leak and r.order_key >= ?3 and r.order_key < ?2) end
            from leak_release c join leak l on l.id = c.leak
            join release f on f.id = l.first_release where c.release = ?1 and c.reports > 0
            """)
        defer { select.reset() }
        try select.bind(release, bound, floor)
        var seen: [ReleaseCheckLeaks.Seen] = []
        while try select.step() {
            seen.append(
                ReleaseCheckLeaks.Seen(
                    row: select.int64(0), reports: select.int(1), isNew: select.int(2) == 1))
        }
        return seen
    }

    /// Reads the rows of the first of these leaks, as they are in a release.
    private func rows(
        _ leaks: [Int64], of release: Int64, _ leakStates: LeakStates, now: Int64
    ) throws(StoreError) -> [LeakRow] {
        let first = Array(leaks.prefix(ReleaseCheck.rowLimit))
        guard !first.isEmpty else { return [] }
        let select = try connection.statement(
            composed: """
                with page as (
                  select c.leak as id, 0 as k1, 0 as k2, c.reports as reports, c.installs as installs,
                    c.release as looked_at
                  from json_each(?) j cross join leak_release c on c.leak = j.value and c.release = ?
                )
                \(LeakRow.select)
                """)
        defer { select.reset() }
        try select.bind(first.list, release)
        var found: [Int64: LeakRow] = [:]
        while try select.step() { found[select.int64(0)] = try LeakRow(select, in: connection.path) }
        let numbers = first.filter { found[$0] != nil }
        var rows = numbers.compactMap { found[$0] }
        try complete(&rows, numbers: numbers, leakStates: leakStates, now: now)
        return rows
    }
}

extension ReleaseCheck {
    /// Returns the lowest key of the versions to compare with. A text without a number (`unknown`) may be of any age, and says
    /// nothing about what a numbered version adds.
    ///
    /// - Parameter baseline: a text without a number is accepted as it is.
    package static func floor(baseline: String?, of version: String) -> [UInt8] {
        [baseline, version].allSatisfy { $0.map { VersionOrder($0).isNumbered } ?? true }
            ? VersionOrder.numbered : []
    }

    /// - Returns: the least key of a version that is newer than the baseline.
    package static func bound(baseline: String, of version: String) throws(StoreError) -> [UInt8] {
        let (base, checked) = (VersionOrder(baseline), VersionOrder(version))
        guard base.atOrAbove.lexicographicallyPrecedes(checked.atOrAbove) else {
            throw StoreError(
                .invalidArgument,
                "the baseline \(baseline) is not older than \(version); name an older version"
            )
        }
        return base.above
    }
}

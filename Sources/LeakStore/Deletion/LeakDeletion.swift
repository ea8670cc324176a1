/// The deletion of leaks in one transaction: what has been deleted, and what is left to compute from the remaining rows.
struct LeakDeletion {
    var counts = ForgetCounts()
    /// `true` if the releases of the deleted leaks stay, so that their sets of installs must be computed again.
    var keepsReleases = false
    /// `true` if leaks keep the times when they were first and last seen, although the counts of these times may be deleted. This
    /// is the case for versions that are deleted by their age.
    var keepsTimes = false
    /// `true` if events stay, because no person deletes the leaks and releases that they are about.
    var keepsEvents = false
    /// The deleted reports, by row ID in `app`.
    var reports: [Int64: ForgottenReports] = [:]
    /// Row IDs of the releases whose set of installs may have lost members.
    var changedReleases: Set<Int64> = []
}

extension Writer {
    /// Deletes a leak in one release, or completely. A leak without other releases is deleted completely.
    ///
    /// - Parameter release: the row ID of the release; `nil` for all releases.
    func delete(
        leak: Int64, in release: Int64?, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        let app = try singleNumber("select app from leak where id = ?", leak)
        let allReleases = try numbers("select release from leak_release where leak = ?", leak)
        let releases = release.map { [$0] } ?? allReleases
        let isComplete = Set(releases) == Set(allReleases)
        let formerFirstRelease = try singleNumber("select first_release from leak where id = ?", leak)
        if !isComplete, let release { try subtractFromDecisions(about: leak, release: release) }
        try connection.deleteFromMerges(leaks: [leak], release: isComplete ? nil : release)
        try recordReports(of: leak, in: isComplete ? nil : release, app: app, by: &deletion)
        var deletedCounts = ReportCounts()
        for release in releases {
            try deletedCounts.add(deleteCounts(of: leak, in: release, app: app, by: &deletion))
        }
        deletion.counts.reports.addBounded(deletedCounts.reports)
        if isComplete {
            try deleteRow(of: leak, app: app, by: &deletion)
            try connection.run(
                "update release set new_leaks = new_leaks - 1 where id = ?", formerFirstRelease)
        } else if let release {
            try connection.run("delete from leak_hour where leak = ? and release = ?", leak, release)
            try connection.run("delete from leak_day where leak = ? and release = ?", leak, release)
            try deleteSamples(of: leak, release: release, app: app, by: &deletion)
            try updateRow(of: leak, without: deletedCounts)
            if !deletion.keepsTimes { try updateTimes(of: leak) }
            let firstRelease = try singleNumber("select first_release from leak where id = ?", leak)
            if firstRelease != formerFirstRelease {
                try connection.run(
                    "update release set new_leaks = new_leaks - 1 where id = ?", formerFirstRelease)
                try connection.run("update release set new_leaks = new_leaks + 1 where id = ?", firstRelease)
            }
        }
        if isComplete { try connection.run("update app set leaks = leaks - 1 where id = ?", app) }
        try subtract(
            deletedCounts, from: app,
            by: """
                update app set reports = reports - ?2, freed = freed - ?3
                where id = ?1 and max(reports, freed) < LARGEST_TOTAL
                """, or: .appTotals)
    }

    private struct ReportCounts {
        var reports = 0
        var freed = 0

        mutating func add(_ other: ReportCounts) {
            reports.addBounded(other.reports)
            freed.addBounded(other.freed)
        }
    }

    /// Subtracts deleted reports from a row. If a total of the row has reached ``Total/largest``, computes the totals from the
    /// remaining rows instead.
    private func subtract(
        _ counts: ReportCounts, from row: Int64, by update: StaticString, or check: RowCheck
    ) throws(StoreError) {
        try connection.run(update, row, counts.reports, counts.freed)
        if connection.changes == 0 { try compute(check, of: row) }
    }

    /// Adds the reports of a leak to the reports that ``finish(_:)`` subtracts from the slots and days of the app. Subtracts them
    /// from the hours of releases that stay.
    ///
    /// - Parameter release: the row ID of the release; `nil` for all releases.
    private func recordReports(
        of leak: Int64, in release: Int64?, app: Int64, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        var reports = deletion.reports[app] ?? ForgottenReports()
        let days = try connection.statement(
            "select day, reports from leak_day where leak = ?1 and (?2 is null or release = ?2)")
        defer { days.reset() }
        try days.bind(leak, release)
        while try days.step() { reports.add(days.int(1), day: days.int(0)) }
        let hours = try connection.statement(
            "select hour, release, reports from leak_hour where leak = ?1 and (?2 is null or release = ?2)")
        defer { hours.reset() }
        try hours.bind(leak, release)
        var hourCounts: [(hour: Int, release: Int64, reports: Int)] = []
        while try hours.step() { hourCounts.append((hours.int(0), hours.int64(1), hours.int(2))) }
        for count in hourCounts { reports.add(count.reports, hour: count.hour) }
        deletion.reports[app] = reports
        guard deletion.keepsReleases else { return }
        for count in hourCounts {
            try connection.run(
                """
                update release_hour set reports = max(0, reports - ?4) where app = ?1 and hour = ?2 and release = ?3
                """, app, count.hour, count.release, count.reports)
        }
    }

    /// Deletes the counts of a leak in a release, except those by hour and day, and its sets of installs. Subtracts the counts from
    /// the totals of the release.
    private func deleteCounts(
        of leak: Int64, in release: Int64, app: Int64, by deletion: inout LeakDeletion
    ) throws(StoreError) -> ReportCounts {
        let builds = try numbers(
            "select p.id from leak_build p join build b on b.id = p.build where p.leak = ? and b.release = ?",
            leak, release)
        for build in builds {
            try put(InstallSet(), in: InstallScope.leakBuild.rowID(ownerRowID: build))
            try connection.run("delete from leak_build where id = ?", build)
        }
        try connection.run("update app set cells = max(0, cells - ?) where id = ?", builds.count, app)
        let select = try connection.statement(
            "select id, reports, freed, installs from leak_release where leak = ? and release = ?")
        try select.bind(leak, release)
        guard try select.step() else {
            select.reset()
            return ReportCounts()
        }
        let row = select.int64(0)
        let counts = ReportCounts(reports: select.int(1), freed: select.int(2))
        if select.int(3) > 0 { deletion.changedReleases.insert(release) }
        select.reset()
        try put(InstallSet(), in: InstallScope.leakRelease.rowID(ownerRowID: row))
        try connection.run("delete from recent_install_set where id = ?", row)
        try connection.run("delete from leak_release where id = ?", row)
        try connection.run(
            """
            delete from decision_release where release = ?2 and decision in (select id from decision where leak = ?1)
            """, leak, release)
        try connection.run("update release set leaks = leaks - 1 where id = ?", release)
        try subtract(
            counts, from: release,
            by: """
                update release set reports = reports - ?2, freed = freed - ?3
                where id = ?1 and max(reports, freed) < LARGEST_TOTAL
                """, or: .releaseTotals)
        return counts
    }

    /// Deletes the row of a leak whose counts by release were deleted, and all other rows about the leak.
    private func deleteRow(
        of leak: Int64, app: Int64, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        for slot in 0..<SampleSlot.count {
            try connection.run(
                "delete from sample where id = ?", SampleSlot.rowID(leakRowID: leak, slot: slot))
            deletion.counts.samples += connection.changes
        }
        try connection.run(
            "delete from decision_release where decision in (select id from decision where leak = ?)", leak)
        try connection.run("delete from decision where leak = ?", leak)
        deletion.counts.decisions += connection.changes
        try deleteElements(of: leak)
        try addTextBytes(of: leak, sign: -1)
        try connection.run("update app set text_bytes = max(0, text_bytes) where id = ?", app)
        try put(InstallSet(), in: InstallScope.leak.rowID(ownerRowID: leak))
        if !deletion.keepsEvents { try connection.deleteEvents(ofLeaks: [leak]) }
        // Each table has its own statement, because foreign keys may be off, so that nothing is deleted by cascade.
        try connection.run("delete from merged_leak where leak = ?", leak)
        try connection.run("delete from leak_value where leak = ?", leak)
        try connection.run("delete from leak_lived where leak = ?", leak)
        try connection.run("delete from leak_hour where leak = ?", leak)
        try connection.run("delete from leak_day where leak = ?", leak)
        try connection.run("delete from leak_text where leak = ?", leak)
        try connection.run("delete from leak where id = ?", leak)
        deletion.counts.leaks += 1
    }

    /// Deletes the samples of a leak in a release. Reports of versions beyond a limit are counted in the release `other`, but
    /// their samples have their own version.
    private func deleteSamples(
        of leak: Int64, release: Int64, app: Int64, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        for slot in 0..<SampleSlot.count {
            try connection.run(
                """
                delete from sample where id = ?1 and (
                  version = (select version from release where id = ?2)
                  or exists (select 1 from release where id = ?2 and version = 'other')
                    and not exists (select 1 from release r where r.app = ?3 and r.version = sample.version))
                """, SampleSlot.rowID(leakRowID: leak, slot: slot), release, app)
            deletion.counts.samples += connection.changes
        }
    }

    /// Subtracts from `reports_then` of each decision about a leak the reports in a release from before the decision. Must run
    /// before the counts are deleted.
    private func subtractFromDecisions(about leak: Int64, release: Int64) throws(StoreError) {
        try connection.run(
            """
            update decision as d set reports_then = max(0, min(
              d.reports_then
                - (select cast(total(reports) as integer) from leak_day
                   where leak = ?1 and release = ?2 and day < d.at / 86400000)
                - (select cast(total(reports) as integer) from leak_hour
                   where leak = ?1 and release = ?2 and hour between d.at / 86400000 * 24 and d.at / 3600000),
              (select l.reports - c.reports from leak l join leak_release c on c.leak = l.id
               where l.id = ?1 and c.release = ?2)))
            where d.leak = ?1 and d.reports_then is not null
            """, leak, release)
    }

    /// Computes the row of a leak, and its counts that are not stored by release, from its remaining counts.
    private func updateRow(of leak: Int64, without deletedCounts: ReportCounts) throws(StoreError) {
        let select = try connection.statement("select reports, freed, sightings from leak where id = ?")
        try select.bind(leak)
        guard try select.step() else { return select.reset() }
        let former = (reports: select.int(0), freed: select.int(1), sightings: select.int(2))
        select.reset()
        try subtract(
            deletedCounts, from: leak,
            by: """
                update leak set reports = reports - ?2, freed = freed - ?3
                where id = ?1 and max(reports, freed) < LARGEST_TOTAL
                """, or: .leakTotals)
        let reports = Int(try singleNumber("select reports from leak where id = ?", leak))
        let freed = Int(try singleNumber("select freed from leak where id = ?", leak))
        let sightings = ForgottenReports.remaining(
            former.sightings, reports: reports, of: former.reports)
        let highestOrdinal = try singleNumber(
            """
            select coalesce(max(ordinal), 0) from sample where id in (
              with recursive slot (number) as (select 0 union all select number + 1 from slot where number < ?2)
              select number << 40 | ?1 from slot)
            """, leak, SampleSlot.count - 1)
        try connection.run(
            """
            update leak as l set is_unindexed = 1, sightings = ?2,
              first_order = case when exists (select 1 from leak_release c where c.leak = l.id and c.release = l.first_release)
                then l.first_order end,
              first_release = coalesce(
                (select c.release from leak_release c where c.leak = l.id and c.release = l.first_release),
                (select r.id from leak_release c join release r on r.id = c.release
                 where c.leak = l.id order by r.order_key, r.id limit 1)),
              last_release = (select r.id from leak_release c join release r on r.id = c.release
                where c.leak = l.id order by r.order_key desc, r.id limit 1)
            where id = ?1
            """, leak, max(sightings, Int(highestOrdinal)))
        try compute(.firstBuild, of: leak)
        try scaleValues(of: leak, reports: reports, formerReports: former.reports)
        try scaleLived(of: leak, freed: freed, formerFreed: former.freed)
        let builds = try numbers("select id from leak_build where leak = ?", leak)
        var union = InstallSet()
        if builds.count > 1 {
            for build in builds {
                union.merge(
                    try installSet(
                        by: "select members from install_set where id = ?",
                        InstallScope.leakBuild.rowID(ownerRowID: build)))
            }
        }
        // A leak that was seen in only one build has no set of its own: it uses the set of the build.
        try put(union, in: InstallScope.leak.rowID(ownerRowID: leak))
        try connection.run("update leak set installs = ? where id = ?", union.count, leak)
        try compute(.leakInstalls, of: leak)
        try compute(.impact, of: leak)
    }

    /// Narrows the times when a leak was first and last seen to its remaining hours and days with reports.
    private func updateTimes(of leak: Int64) throws(StoreError) {
        let select = try connection.statement(
            """
            select d.lowest, d.highest,
              (select min(hour) from leak_hour where leak = ?1 and hour between d.lowest * 24 and d.lowest * 24 + 23),
              (select max(hour) from leak_hour where leak = ?1 and hour between d.highest * 24 and d.highest * 24 + 23)
            from (select min(day) as lowest, max(day) as highest from leak_day where leak = ?1) d
            """)
        defer { select.reset() }
        try select.bind(leak)
        guard try select.step(), let firstDay = select.optionalInt64(0), let lastDay = select.optionalInt64(1)
        else { return }
        let start =
            select.optionalInt64(2).map { $0 * Calendar.hourMilliseconds }
            ?? firstDay * Calendar.dayMilliseconds
        let end =
            select.optionalInt64(3).map { ($0 + 1) * Calendar.hourMilliseconds - 1 }
            ?? (lastDay + 1) * Calendar.dayMilliseconds - 1
        try connection.run(
            """
            update leak set first_seen = max(first_seen, ?2), last_seen = max(first_seen, ?2, min(last_seen, ?3))
            where id = ?1
            """, leak, start, end)
    }

    /// Reduces the reports by system and by model in proportion to the reports of the leak.
    private func scaleValues(of leak: Int64, reports: Int, formerReports: Int) throws(StoreError) {
        for kind in ValueKind.allCases where kind.countsReports {
            let rows = try values(kind, of: leak)
            let sum = rows.reduce(into: 0) { $0.addBounded($1.reports) }
            let scaled = ForgottenReports.scaled(
                rows.map(\.reports),
                toSum: min(reports, ForgottenReports.remaining(sum, reports: reports, of: formerReports)))
            for (row, count) in zip(rows, scaled) where count != row.reports {
                if count == 0 {
                    try connection.run(
                        "delete from leak_value where leak = ? and kind = ? and value = ?", leak,
                        kind.rawValue, row.value)
                } else {
                    try connection.run(
                        "update leak_value set reports = ?4 where leak = ?1 and kind = ?2 and value = ?3",
                        leak,
                        kind.rawValue, row.value, count)
                }
            }
        }
    }

    /// Reduces the histogram of how long objects stayed in proportion to the freed objects of the leak.
    private func scaleLived(of leak: Int64, freed: Int, formerFreed: Int) throws(StoreError) {
        guard var histogram = try histogram(of: leak) else { return }
        histogram.scale(
            to: ForgottenReports.remaining(histogram.count, reports: freed, of: formerFreed))
        guard !histogram.isEmpty else {
            return try connection.run("delete from leak_lived where leak = ?", leak)
        }
        try connection.run("update leak_lived set histogram = ? where leak = ?", histogram.bytes, leak)
    }
}

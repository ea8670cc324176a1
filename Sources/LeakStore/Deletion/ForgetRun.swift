/// The progress of a call of ``Store/forget(_:audit:while:)``, step by step.
struct ForgetRun {
    let target: ForgetTarget
    fileprivate(set) var counts = ForgetCounts()
    /// `true` if the next step may delete rows of `release`, because few of their leaks are left.
    fileprivate var deletesReleases = false
    /// The entry for the audit log, until a step has written it.
    fileprivate var pendingEntry: AuditEntry?

    init(target: ForgetTarget, audit entry: AuditEntry?) {
        self.target = target
        pendingEntry = entry
    }
}

extension Writer {
    /// Maximum number of leaks that one step deletes, completely or in one release.
    private static let maxForgottenLeaks = 20
    /// Number of changed rows after which a step deletes no further leak. 2,000 rows take a few milliseconds.
    private static let maxForgottenRows = 2_000
    /// Number of counts by hour and day above which one step deletes only one release of a leak.
    private static let maxForgottenCounts = 5_000

    /// Deletes some data of the target, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of run: inout ForgetRun) throws(StoreError) -> Bool {
        // With foreign keys, SQLite would search all counts of all leaks for each deleted release. The transaction deletes all
        // rows that refer to the release itself.
        let areForeignKeysOff = run.deletesReleases
        if areForeignKeysOff { try connection.execute("pragma foreign_keys = off") }
        defer { if areForeignKeysOff { try? connection.execute("pragma foreign_keys = on") } }
        do throws(StoreError) {
            var next = run
            let isLeft = try connection.transaction(.immediate) { () throws(StoreError) -> Bool in
                try clearCachesIfOthersWrote()
                // Rows in the logs may refer to leaks that are deleted below.
                try flushLogs()
                var deletion = LeakDeletion()
                let isLeft = try runStep(of: &next, by: &deletion)
                try finish(deletion)
                try reindexAll()
                try recordDeletion()
                // Cached entries refer to rows that do not exist any more.
                caches.removeAll()
                next.counts.add(deletion.counts)
                if !next.counts.isEmpty {
                    try record(next.pendingEntry)
                    next.pendingEntry = nil
                }
                return isLeft
            }
            run = next
            return isLeft
        } catch {
            clearCaches()
            throw error
        }
    }

    private func runStep(
        of run: inout ForgetRun, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        switch run.target {
        case .leak(let id):
            guard let leak = try numbers("select id from leak where key = ?", id.bytes).first else {
                return false
            }
            deletion.keepsReleases = true
            let isLarge =
                try singleNumber(
                    """
                    select (select count(*) from leak_hour where leak = ?1) + (select count(*) from leak_day where leak = ?1)
                    """, leak) > Self.maxForgottenCounts
            let release =
                try isLarge ? numbers("select release from leak_release where leak = ?", leak).first : nil
            try delete(leak: leak, in: release, by: &deletion)
            return try numbers("select id from leak where key = ?", id.bytes).first != nil
        case .version(let version, let app):
            let release = try numbers(
                """
                select r.id from app a join release r on r.app = a.id
                where a.name = ? and a.environment = ? and r.version = ?
                """, app.name, app.environment, version
            ).first
            guard let release else { return false }
            return try deleteSome(ofRelease: release, &run, by: &deletion)
        case .environment(let app):
            let rowID = try numbers(
                "select id from app where name = ? and environment = ?", app.name, app.environment
            ).first
            guard let rowID else { return false }
            return try deleteSome(ofApp: rowID, &run, by: &deletion)
        case .app(let name):
            guard let app = try numbers("select id from app where name = ? order by id", name).first else {
                return false
            }
            _ = try deleteSome(ofApp: app, &run, by: &deletion)
            return true
        }
    }

    /// Deletes some leaks of a release; with the last ones, the release.
    ///
    /// - Returns: `true` if the release still exists.
    private func deleteSome(
        ofRelease release: Int64, _ run: inout ForgetRun, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        let leaks = try numbers(
            "select leak from leak_release where release = ? order by leak limit ?", release,
            Self.maxForgottenLeaks + 1)
        guard leaks.count > Self.maxForgottenLeaks || run.deletesReleases else {
            run.deletesReleases = true
            return true
        }
        guard try delete(leaks, in: release, by: &deletion) else {
            run.deletesReleases = false
            return true
        }
        try delete(release: release, by: &deletion)
        return false
    }

    /// Deletes some leaks of an app; with the last ones, the releases and the app.
    ///
    /// - Returns: `true` if the app still exists.
    private func deleteSome(
        ofApp app: Int64, _ run: inout ForgetRun, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        let leaks = try numbers(
            "select id from leak where app = ? order by id limit ?", app, Self.maxForgottenLeaks + 1)
        guard leaks.count > Self.maxForgottenLeaks || run.deletesReleases else {
            run.deletesReleases = true
            return true
        }
        guard try delete(leaks, in: nil, by: &deletion) else {
            run.deletesReleases = false
            return true
        }
        for release in try numbers("select id from release where app = ?", app) {
            try delete(release: release, by: &deletion)
        }
        try delete(app: app, by: &deletion)
        run.deletesReleases = false
        return false
    }

    /// Deletes as many of the leaks as one step may delete.
    ///
    /// - Returns: `true` if all were deleted.
    private func delete(
        _ leaks: [Int64], in release: Int64?, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        let formerChanges = connection.totalChanges
        for (number, leak) in leaks.enumerated() {
            guard number < Self.maxForgottenLeaks,
                connection.totalChanges - formerChanges < Self.maxForgottenRows
            else { return false }
            try delete(leak: leak, in: release, by: &deletion)
        }
        return true
    }

    /// Changes the number that ``lastMerge()`` returns, so that readers and erasures notice that leaks were deleted.
    private func recordDeletion() throws(StoreError) {
        try connection.run("update sqlite_sequence set seq = seq + 1 where name = 'merged_leak'")
        guard connection.changes == 0 else { return }
        try connection.run("insert into sqlite_sequence (name, seq) values ('merged_leak', 1)")
    }
}

/// The deletion of leaks in one transaction: what has been deleted, and what is left to compute from the remaining rows.
private struct LeakDeletion {
    var counts = ForgetCounts()
    /// `true` if the releases of the deleted leaks stay, so that their sets of installs must be computed again.
    var keepsReleases = false
    /// The deleted reports, by row ID in `app`.
    var reports: [Int64: ForgottenReports] = [:]
    /// Row IDs of the releases whose set of installs may have lost members.
    var changedReleases: Set<Int64> = []
}

extension ForgetCounts {
    package mutating func add(_ other: ForgetCounts) {
        environments += other.environments
        versions += other.versions
        leaks += other.leaks
        reports.addBounded(other.reports)
        samples += other.samples
        decisions += other.decisions
    }
}

// MARK: Leaks

extension Writer {
    /// Deletes a leak in one release, or completely. A leak without other releases is deleted completely.
    ///
    /// - Parameter release: the row ID of the release; `nil` for all releases.
    private func delete(
        leak: Int64, in release: Int64?, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        let app = try singleNumber("select app from leak where id = ?", leak)
        let allReleases = try numbers("select release from leak_release where leak = ?", leak)
        let releases = release.map { [$0] } ?? allReleases
        let isComplete = Set(releases) == Set(allReleases)
        let formerFirstRelease = try singleNumber("select first_release from leak where id = ?", leak)
        if !isComplete, let release { try subtractFromDecisions(about: leak, release: release) }
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

    /// Computes the columns of a check from other rows.
    private func compute(_ check: RowCheck, of row: Int64) throws(StoreError) {
        guard let update = check.rowUpdateSQL else { return }
        try connection.statement(composed: update).run(row)
    }

    /// Adds the reports of a leak to the reports that ``finish(_:)`` subtracts from the days of the app.
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

    /// Deletes the counts and sets of a leak in a release, except hours and days, and subtracts them from the release.
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

    /// Deletes the row of a leak whose counts were deleted, and all other rows about it.
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
        // Deleted one by one, because the foreign keys of these tables may be off.
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

    /// Reduces the number of reports that decisions about a leak refer to by the reports in a release from before each decision.
    /// Must run before the counts are deleted.
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

    /// Computes the row of a leak, and the rows that are not stored by release, from its remaining counts.
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
              first_release = (select r.id from leak_release c join release r on r.id = c.release
                where c.leak = l.id order by r.order_key, r.id limit 1),
              last_release = (select r.id from leak_release c join release r on r.id = c.release
                where c.leak = l.id order by r.order_key desc, r.id limit 1)
            where id = ?1
            """, leak, max(sightings, Int(highestOrdinal)))
        try compute(.firstBuild, of: leak)
        try updateTimes(of: leak)
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

    /// Reduces the counts of times in proportion to the freed objects of the leak.
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

// MARK: Releases and apps

extension Writer {
    /// Deletes a release without leaks, with its builds, sessions and checks.
    private func delete(release: Int64, by deletion: inout LeakDeletion) throws(StoreError) {
        let app = try singleNumber("select app from release where id = ?", release)
        deletion.changedReleases.remove(release)
        try put(InstallSet(), in: InstallScope.release.rowID(ownerRowID: release))
        try connection.run(
            "delete from build_check where build in (select id from build where release = ?)", release)
        try connection.run("delete from build where release = ?", release)
        try connection.run("delete from release_hour where app = ? and release = ?", app, release)
        try connection.run("delete from release where id = ?", release)
        // SQLite may use the row IDs of the newest release and build again. A later release or build was not known when a
        // decision was made, so decisions must not refer to the deleted rows.
        try connection.run(
            """
            update decision set known_release = (select coalesce(max(id), 0) from release)
            where known_release > (select coalesce(max(id), 0) from release)
            """)
        try connection.run(
            """
            update decision set known_build = (select coalesce(max(id), 0) from build)
            where known_build > (select coalesce(max(id), 0) from build)
            """)
        try connection.run(
            """
            update app set pinned_by = case pinned_release when ?2 then null else pinned_by end,
              pinned_at = case pinned_release when ?2 then null else pinned_at end,
              pinned_release = nullif(pinned_release, ?2), newest_release = nullif(newest_release, ?2)
            where id = ?1
            """, app, release)
        deletion.counts.versions += 1
        deletion.reports[app] = deletion.reports[app] ?? ForgottenReports()
    }

    /// Deletes an app without leaks and releases.
    private func delete(app: Int64, by deletion: inout LeakDeletion) throws(StoreError) {
        deletion.reports[app] = nil
        for delete: StaticString in [
            "delete from install_set where id in (select id << 3 | 3 from app_slot where app = ?)",
            "delete from install_set where id in (select id << 3 | 5 from app_day where app = ?)",
            "delete from app_slot where app = ?", "delete from app_day where app = ?",
            "delete from dropped where app = ?", "delete from over_limit where app = ?",
            "delete from leak_element where app = ?", "delete from release_hour where app = ?",
            "delete from app where id = ?",
        ] { try connection.run(delete, app) }
        deletion.counts.environments += 1
    }

    /// Updates the apps and releases of the deleted rows.
    private func finish(_ deletion: LeakDeletion) throws(StoreError) {
        if deletion.keepsReleases {
            for release in deletion.changedReleases.sorted() { try rebuildInstalls(of: release) }
        }
        for (app, reports) in deletion.reports.sorted(by: { $0.key < $1.key }) {
            try subtract(reports, fromDaysOf: app)
            if deletion.keepsReleases {
                try connection.run(
                    "delete from release_hour where app = ? and sessions = 0 and reports = 0", app)
            }
            let former = try storedCurrentRelease(of: app)
            try compute(.currentRelease, of: app)
            if try storedCurrentRelease(of: app) != former { try rankByCurrentRelease(of: app) }
        }
    }

    private func storedCurrentRelease(of app: Int64) throws(StoreError) -> Int64? {
        try numbers("select newest_release from app where id = ? and newest_release is not null", app).first
    }

    /// Computes the installs of a release from those of its leaks.
    private func rebuildInstalls(of release: Int64) throws(StoreError) {
        let select = try connection.statement(
            """
            select i.members from leak_release c join install_set i on i.id = coalesce(
              (select id from install_set where id = c.id << 3 | 4),
              (select p.id << 3 | 1 from leak_build p join build b on b.id = p.build
               where p.leak = c.leak and b.release = c.release limit 1))
            where c.release = ?
            """)
        defer { select.reset() }
        try select.bind(release)
        var union = InstallSet()
        while try select.step() {
            guard let set = InstallSet(bytes: select.bytes(0)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            union.merge(set)
        }
        try put(union, in: InstallScope.release.rowID(ownerRowID: release))
        try connection.run("update release set installs = ? where id = ?", union.count, release)
    }

    /// Subtracts deleted reports from the ten-minute slots and days of an app, and deletes those without reports.
    private func subtract(_ reports: ForgottenReports, fromDaysOf app: Int64) throws(StoreError) {
        guard !reports.days.isEmpty else { return }
        var (slots, days): ([Int: Int], [Int: Int]) = ([:], [:])
        let slotRows = try connection.statement("select slot, reports from app_slot where app = ?")
        defer { slotRows.reset() }
        try slotRows.bind(app)
        while try slotRows.step() { slots[slotRows.int(0)] = slotRows.int(1) }
        let dayRows = try connection.statement("select day, reports from app_day where app = ?")
        defer { dayRows.reset() }
        try dayRows.bind(app)
        while try dayRows.step() { days[dayRows.int(0)] = dayRows.int(1) }
        let changed = reports.subtracted(fromSlots: slots, days: days)
        for (slot, count) in changed.slots.sorted(by: { $0.key < $1.key }) {
            if count == 0 {
                try connection.run(
                    """
                    delete from install_set where id = (select id << 3 | 3 from app_slot where app = ? and slot = ?)
                    """, app, slot)
                try connection.run("delete from app_slot where app = ? and slot = ?", app, slot)
            } else {
                try connection.run(
                    "update app_slot set reports = ?3 where app = ?1 and slot = ?2", app, slot, count)
            }
        }
        for (day, count) in changed.days.sorted(by: { $0.key < $1.key }) {
            if count == 0 {
                try connection.run(
                    """
                    delete from install_set where id = (select id << 3 | 5 from app_day where app = ? and day = ?)
                    """, app, day)
                try connection.run("delete from app_day where app = ? and day = ?", app, day)
            } else {
                try connection.run(
                    "update app_day set reports = ?3 where app = ?1 and day = ?2", app, day, count)
            }
        }
    }
}

// Writing the counts of apps, releases, builds and days.

extension Writer {
    /// Adds the counts of an app, with its dropped reports and the items beyond its limits.
    func write(_ app: SubmissionAggregate.App, to entry: AppEntry) throws(StoreError) {
        try connection.run(
            """
            update app set last_seen = max(last_seen, ?), reports = min(reports + ?, LARGEST_TOTAL),
              freed = min(freed + ?, LARGEST_TOTAL), cells = ?, text_bytes = ?,
              is_shared = max(is_shared, ?, made_by is not ?)
            where id = ?
            """, app.lastSeen, app.reports, app.freed, entry.cells, entry.textBytes,
            app.hasOtherKeys ? 1 : 0, app.ingestKey, entry.id)
        for (reason, count) in app.dropped { try writeDropped(count, reason: reason.text, of: entry) }
        for (limit, count) in app.overLimitCounts { try addOverLimitCount(count, of: limit, to: entry) }
    }

    private func writeDropped(_ count: Int, reason: String, of app: AppEntry) throws(StoreError) {
        try connection.run(
            "update dropped set count = min(count + ?, LARGEST_TOTAL) where app = ? and reason = ?", count,
            app.id, reason)
        guard connection.changes == 0 else { return }
        var isOverLimit = false
        // The collector's own reason always counts under its name.
        if reason != StoreLimits.other, reason != DiscardedLeak.reason {
            let reasonCount = try number(
                cached: app.reasonCount,
                by: "select count(*) from dropped where app = ? and reason not in ('other', 'discarded')",
                of: app.id)
            isOverLimit = reasonCount >= limits.droppedReasonsPerApp
            app.reasonCount = reasonCount + (isOverLimit ? 0 : 1)
        }
        try connection.run(
            """
            insert into dropped (app, reason, count) values (?, ?, ?)
            on conflict (app, reason) do update set count = min(count + excluded.count, LARGEST_TOTAL)
            """, app.id, isOverLimit ? StoreLimits.other : reason, count)
        if isOverLimit { try addOverLimitCount(count, of: .droppedReasons, to: app) }
    }

    /// Adds items beyond a limit to their count: ``OverLimitCount``.
    func addOverLimitCount(_ count: Int, of limit: OverLimitCount.Name, to app: AppEntry) throws(StoreError) {
        try connection.run(
            """
            insert into over_limit (app, name, count) values (?, ?, ?)
            on conflict (app, name) do update set count = min(count + excluded.count, LARGEST_TOTAL)
            """, app.id, limit.rawValue, count)
    }

    /// Adds the counts of a release.
    func write(
        _ release: SubmissionAggregate.Release, to entry: ReleaseEntry
    ) throws(StoreError) {
        try connection.run(
            """
            update release set first_seen = min(first_seen, ?), last_seen = max(last_seen, ?),
              reports = min(reports + ?, LARGEST_TOTAL), freed = min(freed + ?, LARGEST_TOTAL),
              sessions = min(sessions + ?, LARGEST_TOTAL),
              leaky_sessions = min(leaky_sessions + ?, LARGEST_TOTAL), checks = min(checks + ?, LARGEST_TOTAL),
              is_shared = max(is_shared, ?, made_by is not ?)
            where id = ?
            """, release.span.first, release.span.last, release.reports, release.freed, release.sessions,
            release.leakySessions, release.checks, release.hasOtherKeys ? 1 : 0, release.key, entry.id)
    }

    /// Counts the sessions and checks of a build.
    func writeUsage(
        of build: SubmissionAggregate.Build, to entry: ResolvedRows.Build, app: AppEntry, day: Int
    ) throws(StoreError) {
        try connection.run(
            """
            update build set session_buckets = add_buckets(session_buckets, ?),
              leaky_buckets = add_buckets(leaky_buckets, ?)
            where id = ?
            """, BucketCounts(build.sessions).bytes, BucketCounts(build.leakySessions).bytes, entry.buildRowID
        )
        var overLimitCounts: [OverLimitCount.Name: Int] = [:]
        for (className, check) in build.checks.sorted(by: { $0.key.text < $1.key.text }) {
            if let limit = try writeChecks(check, of: className.text, to: entry.buildRowID, day: day) {
                overLimitCounts[limit, default: 0].addBounded(check.count)
            }
        }
        for (limit, count) in overLimitCounts { try addOverLimitCount(count, of: limit, to: app) }
    }

    /// Counts the checks of a class in a build.
    ///
    /// - Parameter day: the day for which the bytes of a new class are counted.
    /// - Returns: the limit because of which the class is not counted under its own name; `nil` if it is.
    private func writeChecks(
        _ check: SubmissionAggregate.Check, of className: String, to build: Int64, day: Int
    ) throws(StoreError) -> OverLimitCount.Name? {
        let buckets = BucketCounts(check.buckets).bytes
        try connection.run(
            """
            update build_check set checks = min(checks + ?, LARGEST_TOTAL), buckets = add_buckets(buckets, ?)
            where build = ? and class = ?
            """, check.count, buckets, build, className)
        guard connection.changes == 0 else { return nil }
        var limit: OverLimitCount.Name?
        if className != StoreLimits.other {
            let classCount = try number(
                by: "select count(*) from build_check where build = ? and class <> 'other'", of: build)
            if classCount >= limits.checkClassesPerBuild {
                limit = .checkClasses
            } else if try !admitDetail(bytes: DetailBytes.ofCheck(className), keys: check.keys, day: day) {
                limit = .details
            }
        }
        try connection.run(
            """
            insert into build_check (build, class, checks, buckets) values (?, ?, ?, ?)
            on conflict (build, class) do update set checks = min(checks + excluded.checks, LARGEST_TOTAL),
              buckets = add_buckets(buckets, excluded.buckets)
            """, build, limit == nil ? className : StoreLimits.other, check.count, buckets)
        return limit
    }

    /// Adds the new installs of a release's leaks to the set of the release.
    func flushInstalls(of release: ReleaseEntry) throws(StoreError) {
        guard !release.newInstalls.isEmpty else { return }
        let newInstalls = release.newInstalls
        release.newInstalls = []
        guard let change = try add(newInstalls, to: .release, of: release.id) else { return }
        try connection.run("update release set installs = ? where id = ?", change.installCount, release.id)
    }

    // MARK: Slots and days

    /// Counts reports in their ten-minute slots. If a slot was deleted already, its reports count in their day.
    ///
    /// - Parameter expiry: ``StoreClock/expiryTime``.
    func writeSlots(of aggregate: SubmissionAggregate, _ rows: ResolvedRows, expiry: Int64) throws(StoreError)
    {
        let oldest = SlotWindow.oldestKept(now: expiry)
        let firstDay = Retention.firstAppDay(now: expiry)
        for slot in aggregate.slots {
            let app = rows.apps[aggregate.apps[slot.app].number].id
            if slot.number >= oldest {
                try write(slot, ofApp: app)
            } else if slot.day >= firstDay {
                let day = try write(slot.reports, onDay: slot.day, ofApp: app)
                _ = try add(slot.installHashes, to: .day, of: day)
            }
        }
    }

    private func write(_ slot: SubmissionAggregate.SlotCount, ofApp app: Int64) throws(StoreError) {
        let upsert = try connection.statement(
            """
            insert into app_slot (app, slot, reports) values (?, ?, ?)
            on conflict (app, slot) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            returning id
            """)
        defer { upsert.reset() }
        try upsert.bind(app, slot.number, slot.reports)
        guard try upsert.step() else { return }
        let rowID = upsert.int64(0)
        while try upsert.step() {}
        _ = try add(slot.installHashes, to: .slot, of: rowID)
    }

    /// Adds reports to a day of an app.
    ///
    /// - Returns: the row ID in `app_day`.
    private func write(_ reports: Int, onDay day: Int, ofApp app: Int64) throws(StoreError) -> Int64 {
        let upsert = try connection.statement(
            """
            insert into app_day (app, day, reports) values (?, ?, ?)
            on conflict (app, day) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            returning id
            """)
        defer { upsert.reset() }
        try upsert.bind(app, day, reports)
        var rowID: Int64 = 0
        while try upsert.step() { rowID = upsert.int64(0) }
        return rowID
    }

    /// Adds the counts of the oldest ten-minute slots, at most `limit`, to their days, and deletes the slots. Slots of days
    /// before `firstDay` are only deleted.
    ///
    /// - Returns: the number of deleted ten-minute slots.
    func rollUp(slotsBefore oldest: Int, firstDay: Int, limit: Int) throws(StoreError) -> Int {
        let select = try connection.statement(
            "select id, app, slot, reports from app_slot where slot < ? order by slot, id limit ?")
        defer { select.reset() }
        try select.bind(oldest, limit)
        var slots: [(rowID: Int64, app: Int64, day: Int, reports: Int)] = []
        while try select.step() {
            slots.append(
                (select.int64(0), select.int64(1), Calendar.day(ofSlot: select.int(2)), select.int(3)))
        }
        select.reset()
        for slot in slots {
            let set = InstallScope.slot.rowID(ownerRowID: slot.rowID)
            if slot.day >= firstDay {
                let day = try write(slot.reports, onDay: slot.day, ofApp: slot.app)
                try merge(set, into: InstallScope.day.rowID(ownerRowID: day))
            }
            try connection.run("delete from install_set where id = ?", set)
            try connection.run("delete from app_slot where id = ?", slot.rowID)
        }
        return slots.count
    }
}

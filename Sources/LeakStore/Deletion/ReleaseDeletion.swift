// The deletion of releases and apps whose leaks are deleted.
extension Writer {
    /// Deletes a release, whose leaks were deleted before, together with its builds, sessions and checks.
    func delete(release: Int64, by deletion: inout LeakDeletion) throws(StoreError) {
        let app = try singleNumber("select app from release where id = ?", release)
        deletion.changedReleases.remove(release)
        if !deletion.keepsEvents { try connection.deleteEvents(ofReleases: [release]) }
        try put(InstallSet(), in: InstallScope.release.rowID(ownerRowID: release))
        try connection.run(
            "delete from build_check where build in (select id from build where release = ?)", release)
        try connection.run("delete from build where release = ?", release)
        try connection.run("delete from release_hour where app = ? and release = ?", app, release)
        try connection.run("delete from release where id = ?", release)
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

    /// Deletes an app, whose leaks and releases were deleted before.
    func delete(app: Int64, by deletion: inout LeakDeletion) throws(StoreError) {
        deletion.reports[app] = nil
        try connection.deleteEvents(ofApp: app)
        for delete: StaticString in [
            "delete from install_set where id in (select id << 3 | 3 from app_slot where app = ?)",
            "delete from install_set where id in (select id << 3 | 5 from app_day where app = ?)",
            "delete from app_slot where app = ?", "delete from app_day where app = ?",
            "delete from dropped where app = ?", "delete from over_limit where app = ?",
            "delete from leak_element where app = ?", "delete from release_hour where app = ?",
            "delete from discarded_leak where app = ?",
            // The rules belong to all environments of the app.
            """
            delete from app_rules where app = (select name from app a where a.id = ?1
              and not exists (select 1 from app where name = a.name and id <> ?1))
            """,
            "delete from app where id = ?",
        ] { try connection.run(delete, app) }
        deletion.counts.environments += 1
    }

    /// Updates everything that counted the deleted rows or refers to them: decisions, releases, days and apps.
    func finish(_ deletion: LeakDeletion) throws(StoreError) {
        if deletion.counts.versions > 0 || deletion.counts.builds > 0 {
            // SQLite may give the row IDs of a deleted newest release and build to later rows. A decision that still refers to
            // these row IDs would treat the later release or build as one that was known when the decision was made.
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
        }
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

    /// Computes the set of installs of a release from the sets of its leaks.
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

    /// Subtracts deleted reports from the ten-minute slots and days of an app, and deletes slots and days without remaining
    /// reports.
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

/// The progress of a call of ``Store/forget(_:audit:while:)``, step by step.
struct ForgetRun {
    let target: ForgetTarget
    fileprivate(set) var counts = ForgetCounts()
    /// `true` if the next step may delete rows of `release`, because few of their leaks are left.
    fileprivate var deletesReleases = false
    /// Row IDs of the apps that are left to delete, for ``ForgetTarget/app(_:)``; `nil` before the first step. An app that is
    /// reported again meanwhile is a new one, and stays.
    fileprivate var apps: [Int64]?
    /// The progress for ``ForgetTarget/key(_:since:)``.
    fileprivate var undo = KeyUndo()
    /// The entry for the audit log.
    fileprivate let entry: AuditEntry?
    /// ``entry``, until the first step that deletes something has written it.
    fileprivate var pendingEntry: AuditEntry?

    init(target: ForgetTarget, audit entry: AuditEntry?) {
        self.target = target
        (self.entry, pendingEntry) = (entry, entry)
    }
}

extension ForgetRun {
    fileprivate mutating func finishTable() {
        undo.finishTable()
        deletesReleases = false
    }
}

extension Writer {
    /// Maximum number of leaks that one step deletes, completely or in one release.
    static let maxForgottenLeaks = 20
    /// Maximum number of releases of an app that one step deletes.
    private static let maxForgottenReleases = 10
    /// Number of changed rows after which a step deletes no further leak. 2,000 rows take a few milliseconds.
    static let maxForgottenRows = 2_000
    /// Maximum number of leaks, or of empty builds, that one step deletes for an ingest key, or by age. Each step computes the installs of the
    /// leaks' versions from all leaks of these versions, so fewer and larger steps take less time.
    static let maxUndoneRows = 100
    /// Number of row IDs that one step searches for rows that an ingest key made.
    private static let maxSearchedRows: Int64 = 50_000
    /// Number of counts by hour and day above which one step deletes only one release of a leak.
    private static let maxForgottenCounts = 5_000

    /// Deletes some data of the target, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of run: inout ForgetRun) throws(StoreError) -> Bool {
        // With foreign keys on, SQLite would search the counts of all leaks for rows that refer to each deleted release. The
        // transaction deletes these rows itself.
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
                guard let isLeft = try runStep(of: &next, by: &deletion) else { return false }
                if !deletion.counts.isEmpty {
                    try record(next.pendingEntry)
                    next.pendingEntry = nil
                }
                try finish(deletion)
                try reindexAll()
                try recordDeletion()
                // Cached entries refer to rows that do not exist any more.
                caches.removeAll()
                next.counts.add(deletion.counts)
                return isLeft
            }
            run = next
            return isLeft
        } catch {
            clearCaches()
            throw error
        }
    }

    /// - Returns: `true` if another step is needed; `nil` if there is nothing to delete.
    private func runStep(
        of run: inout ForgetRun, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool? {
        switch run.target {
        case .leak(let id):
            guard let leak = try numbers("select id from leak where key = ?", id.bytes).first else {
                return nil
            }
            try deleteSome(ofLeak: leak, by: &deletion)
            return try numbers("select id from leak where key = ?", id.bytes).first != nil
        case .version(let version, let app):
            let release = try numbers(
                """
                select r.id from app a join release r on r.app = a.id
                where a.name = ? and a.environment = ? and r.version = ?
                """, app.name, app.environment, version
            ).first
            guard let release else { return nil }
            return try deleteSome(
                ofRelease: release, deletesReleases: &run.deletesReleases, by: &deletion)
        case .environment(let app):
            let rowID = try numbers(
                "select id from app where name = ? and environment = ?", app.name, app.environment
            ).first
            guard let rowID else { return nil }
            return try deleteSome(ofApp: rowID, &run, by: &deletion)
        case .app(let name):
            var apps: [Int64]
            if let left = run.apps {
                apps = left
            } else {
                apps = try numbers("select id from app where name = ? order by id", name)
            }
            // Another call may have deleted the first apps meanwhile.
            while let app = apps.first,
                try numbers("select id from app where id = ? and name = ?", app, name).isEmpty
            {
                apps.removeFirst()
            }
            guard let app = apps.first else { return nil }
            if try !deleteSome(ofApp: app, &run, by: &deletion) { apps.removeFirst() }
            run.apps = apps
            return !apps.isEmpty
        case .key(let key, let since):
            guard !run.undo.isDone else { return nil }
            try deleteSome(madeBy: key, since: since ?? .min, &run, by: &deletion)
            return true
        }
    }

    /// Returns the highest row ID of a table when its deletion began.
    private func highestRow(of undo: KeyUndo, by sql: StaticString) throws(StoreError) -> Int64 {
        if let highest = undo.highestRow { return highest }
        return try singleNumber(sql)
    }

    /// Deletes some of the rows that an ingest key made, or goes on with the search for them.
    private func deleteSome(
        madeBy key: Int64, since: Int64, _ run: inout ForgetRun, by deletion: inout LeakDeletion
    ) throws(StoreError) {
        guard let table = run.undo.table else { return }
        let former = run.undo.lastRow
        let formerChanges = connection.totalChanges
        let highest: Int64
        switch table {
        case .app:
            highest = try highestRow(of: run.undo, by: "select coalesce(max(id), 0) from app")
            let app = try numbers(
                """
                select id from app where id > ? and id <= ? and made_by = ? and made_at >= ? and is_shared = 0
                order by id limit 1
                """, former, highest, key, since
            ).first
            guard let app else { return run.finishTable() }
            if try !deleteSome(ofApp: app, &run, by: &deletion) { run.undo.lastRow = app }
        case .merge:
            highest = try highestRow(of: run.undo, by: "select coalesce(max(id), 0) from leak_merge")
            let merge = try numbers(
                """
                select id from leak_merge where id > ? and id <= ? and made_by = ? and made_at >= ? and is_shared = 0
                order by id limit 1
                """, former, highest, key, since
            ).first
            guard let merge else { return run.finishTable() }
            switch try connection.undoNewestMerge(intoTargetOf: merge, at: run.entry?.at) {
            case .undone(let undone, let leaks):
                for leak in leaks {
                    try addNote(
                        undone.note, to: leak,
                        by: run.entry?.actor ?? Decision.AutomaticAuthor.keyUndo.rawValue,
                        now: run.entry?.at ?? undone.merge.at)
                }
                deletion.counts.merges += 1
                combinedDaysBefore = nil
            case .rejected(let target):
                deletion.keepsReleases = true
                try delete(leak: target, in: nil, by: &deletion)
                deletion.counts.merges += 1
            case nil: run.undo.lastRow = merge
            }
        case .leak:
            highest = try highestRow(of: run.undo, by: "select coalesce(max(id), 0) from leak")
            let end = min(highest, former + Self.maxSearchedRows)
            let leaks = try numbers(
                """
                select id from leak where id > ? and id <= ? and made_by = ? and made_at >= ? and is_shared = 0
                order by id limit ?
                """, former, end, key, since, Self.maxUndoneRows)
            deletion.keepsReleases = true
            for leak in leaks where connection.totalChanges - formerChanges < Self.maxForgottenRows {
                try delete(leak: leak, in: nil, by: &deletion)
                run.undo.lastRow = leak
            }
            guard leaks.isEmpty else { break }
            guard end < highest else { return run.finishTable() }
            run.undo.lastRow = end
        case .release:
            highest = try highestRow(of: run.undo, by: "select coalesce(max(id), 0) from release")
            guard run.deletesReleases else {
                run.deletesReleases = true
                break
            }
            let releases = try numbers(
                """
                select id from release where id > ? and id <= ? and made_by = ? and made_at >= ? and is_shared = 0
                order by id limit ?
                """, former, highest, key, since, Self.maxForgottenReleases)
            guard !releases.isEmpty else { return run.finishTable() }
            for release in releases where connection.totalChanges - formerChanges < Self.maxForgottenRows {
                // The release may have leaks that another key made or has reported too. Only their counts in it are deleted.
                let leaks = try numbers(
                    "select leak from leak_release where release = ? order by leak limit ?", release,
                    Self.maxForgottenLeaks + 1)
                guard try delete(leaks, in: release, by: &deletion) else { break }
                try delete(release: release, by: &deletion)
                run.undo.lastRow = release
            }
        case .build:
            highest = try highestRow(of: run.undo, by: "select coalesce(max(id), 0) from build")
            guard run.deletesReleases else {
                run.deletesReleases = true
                break
            }
            let end = min(highest, former + Self.maxSearchedRows)
            let builds = try numbers(
                """
                select id from build as b where id > ? and id <= ? and made_by = ? and made_at >= ?
                  and length(session_buckets) = 0 and length(leaky_buckets) = 0
                  and not exists (select 1 from build_check where build = b.id)
                  and not exists (select 1 from leak_release c join leak_build p on p.leak = c.leak and p.build = b.id
                    where c.release = b.release)
                order by id limit ?
                """, former, end, key, since, Self.maxUndoneRows)
            for build in builds { try connection.run("delete from build where id = ?", build) }
            deletion.counts.builds += builds.count
            if builds.count == Self.maxUndoneRows {
                run.undo.lastRow = builds.last ?? end
            } else {
                guard end < highest else { return run.finishTable() }
                run.undo.lastRow = end
            }
        }
        run.undo.highestRow = highest
    }

    /// Deletes a leak, or, if it has many counts, the part of it in one release.
    func deleteSome(ofLeak leak: Int64, by deletion: inout LeakDeletion) throws(StoreError) {
        deletion.keepsReleases = true
        let isLarge =
            try singleNumber(
                """
                select (select count(*) from leak_hour where leak = ?1) + (select count(*) from leak_day where leak = ?1)
                """, leak) > Self.maxForgottenCounts
        let release =
            try isLarge ? numbers("select release from leak_release where leak = ?", leak).first : nil
        try delete(leak: leak, in: release, by: &deletion)
    }

    /// Deletes some leaks of a release; with the last ones, the release.
    ///
    /// - Parameter deletesReleases: `true` if foreign keys are off, so that this step may delete the release. The function sets the
    ///   value for the next step.
    /// - Returns: `true` if the release still exists.
    func deleteSome(
        ofRelease release: Int64, deletesReleases: inout Bool, by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        let leaks = try numbers(
            "select leak from leak_release where release = ? order by leak limit ?", release,
            Self.maxForgottenLeaks + 1)
        guard leaks.count > Self.maxForgottenLeaks || deletesReleases else {
            deletesReleases = true
            return true
        }
        guard try delete(leaks, in: release, by: &deletion) else {
            deletesReleases = false
            return true
        }
        try delete(release: release, by: &deletion)
        return false
    }

    /// Deletes some leaks of an app; after the last ones, the releases, and with the last releases the app.
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
        let releases = try numbers(
            "select id from release where app = ? order by id limit ?", app, Self.maxForgottenReleases + 1)
        for release in releases.prefix(Self.maxForgottenReleases) {
            try delete(release: release, by: &deletion)
        }
        guard releases.count <= Self.maxForgottenReleases else { return true }
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
}

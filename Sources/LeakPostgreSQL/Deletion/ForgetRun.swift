#if PostgreSQL
    internal import LeakStore

    /// The progress of a call of ``Store/forget(_:audit:while:)``, step by step.
    struct ForgetRun {
        let target: ForgetTarget
        fileprivate(set) var counts = ForgetCounts()
        /// Row IDs of the apps to delete, for ``ForgetTarget/app(_:)``; `nil` before the first step. An app that is
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

        /// A query for the rows that the next step may delete. It selects the row ID of their app, then that of the row itself: a
        /// leak, a release or an app. For ``ForgetTarget/key(_:since:)``, these are rows of the current ``KeyUndo/table``, in the
        /// order of their row IDs.
        fileprivate var rowsQuery: Query {
            switch target {
            case .leak(let id):
                Query("select app, id from leak where key = any($1::uuid[])", .uuids([id]))
            case .version(let version, let app):
                Query(
                    """
                    select a.id, r.id from app a join release r on r.app = a.id
                    where a.name = $1::text and a.environment = $2::text and r.version = $3::text
                    """, .text(app.name), .text(app.environment), .text(version))
            case .environment(let app):
                Query(
                    "select id, id from app where name = $1::text and environment = $2::text",
                    .text(app.name),
                    .text(app.environment))
            case .app(let name):
                Query(
                    """
                    select id, id from app where name = $1::text and ($2::bigint[] is null or id = any($2::bigint[]))
                    order by id
                    """, .text(name), apps.map { .integers($0) } ?? Parameter(type: .integers, bytes: nil))
            case .key(let key, let since):
                Query(
                    """
                    select \(undo.table?.appSQL ?? "id"), id from \(undo.table?.name ?? "app") t
                    where id > $1::bigint and id <= $2::bigint and made_by = $3::bigint and made_at >= $4::bigint
                      and \(undo.table?.conditionSQL ?? "true")
                    order by id limit \(Writer.maxUndoneRows)
                    """, .integer(undo.lastRow), .integer(undo.highestRow), .integer(key),
                    .integer(since ?? .min))
            }
        }
    }

    extension KeyUndo.Table {
        fileprivate var name: String {
            switch self {
            case .app: "app"
            case .merge: "leak_merge"
            case .leak: "leak"
            case .release: "release"
            case .build: "build"
            }
        }

        /// SQL for the app of a row `t`.
        fileprivate var appSQL: String {
            switch self {
            case .app: "id"
            case .merge, .leak, .release: "app"
            case .build: "(select app from release where id = t.release)"
            }
        }

        /// SQL for the condition that a row `t` is deleted.
        fileprivate var conditionSQL: String {
            guard self == .build else { return "is_shared = 0" }
            return """
                session_buckets = 0 and leaky_buckets = 0 and not exists (select 1 from build_check where build = t.id)
                  and not exists (select 1 from leak_release c join leak_build p on p.leak = c.leak and p.build = t.id
                    where c.release = t.release)
                """
        }

        /// A query for the highest row ID.
        fileprivate var highestRowQuery: Query { Query("select coalesce(max(id), 0) from \(name)") }
    }

    extension Writer {
        /// Maximum number of leaks that one step deletes, completely or in one release.
        static let maxForgottenLeaks = 20
        /// Maximum number of releases of an app that one step deletes.
        private static let maxForgottenReleases = 10
        /// Maximum number of leaks, of empty builds, or of releases without leaks that one step deletes for an ingest key, or by
        /// age. Each
        /// step computes the installs of the leaks' versions from all leaks of these versions, so fewer and larger steps take
        /// less time.
        static let maxUndoneRows = 100
        /// Number of counts by hour and day above which one step deletes only one release of a leak.
        private static let maxForgottenCounts = 5_000

        /// Deletes some data of the target, in a transaction of its own that locks the app, as a merge of leaks does.
        ///
        /// - Returns: `true` if another step is needed.
        func runStep(of run: inout ForgetRun) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                if case .key = run.target, run.undo.highestRow == nil, let table = run.undo.table {
                    run.undo.highestRow = try connection.run(table.highestRowQuery).first?.int64(0) ?? 0
                }
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery, run.rowsQuery,
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                guard let found = answers[2].first else {
                    try connection.run(Query("commit"))
                    guard case .key = run.target else { return false }
                    run.undo.finishTable()
                    return !run.undo.isDone
                }
                let (app, row) = (found.int64(0), found.int64(1))
                if case .app = run.target, run.apps == nil { run.apps = answers[2].map { $0.int64(0) } }
                let lockedRows = try connection.run([
                    Query("select id from app where id = $1::bigint for no key update", .integer(app)),
                    // Read after the lock, so that the rows do not change any more.
                    run.rowsQuery,
                ])[1]
                guard let locked = lockedRows.first, locked.int64(0) == app, locked.int64(1) == row else {
                    // Another collector has deleted the rows meanwhile.
                    try connection.run(Query("commit"))
                    return true
                }
                var deletion = LeakDeletion(app: app, connection: connection)
                let isLeft: Bool
                var lastRow: Int64?
                switch run.target {
                case .leak:
                    isLeft = try delete(leak: row, by: &deletion)
                case .version: isLeft = try deleteSome(ofRelease: row, by: &deletion)
                case .environment: isLeft = try deleteSome(ofApp: app, by: &deletion)
                case .app:
                    _ = try deleteSome(ofApp: app, by: &deletion)
                    isLeft = true
                case .key:
                    if run.undo.table == .merge {
                        lastRow = try undoMerge(row, entry: run.entry, by: &deletion)
                    } else {
                        lastRow = try deleteSome(
                            lockedRows.prefix { $0.int64(0) == app }.map { $0.int64(1) }, of: run.undo.table,
                            app: app, by: &deletion)
                    }
                    isLeft = true
                }
                try deletion.finish()
                let entry = deletion.counts.isEmpty ? nil : run.pendingEntry
                _ = try connection.run(
                    [InstallErasure.deletionMark, InstallErasure.cacheInvalidation]
                        + (entry?.queries ?? []) + [Query("commit")])
                run.counts.add(deletion.counts)
                if entry != nil { run.pendingEntry = nil }
                run.undo.lastRow = lastRow ?? run.undo.lastRow
                return isLeft
            } catch {
                connector.reset()
                throw error
            }
        }

        /// Undoes the newest merge by hand into the same leak as a merge. If it cannot be undone, deletes this leak.
        ///
        /// - Returns: `nil`; the number of the merge if it does not exist any more.
        private func undoMerge(
            _ merge: Int64, entry: AuditEntry?, by deletion: inout LeakDeletion
        ) throws(StoreError) -> Int64? {
            switch try deletion.connection.undoNewestMerge(intoTargetOf: merge, at: entry?.at) {
            case .undone(let undone, let leaks):
                combinedDaysBefore = nil
                for leak in leaks {
                    _ = try deletion.connection.run(
                        Self.noteQueries(
                            undone.note, to: leak,
                            by: entry?.actor ?? Decision.AutomaticAuthor.keyUndo.rawValue,
                            now: entry?.at ?? undone.merge.at))
                }
            case .rejected(let target):
                deletion.keepsReleases = true
                try deletion.delete(leaks: [target])
            case nil: return merge
            }
            deletion.counts.merges += 1
            return nil
        }

        /// Deletes some of the rows of an app that an ingest key made.
        ///
        /// - Parameter rows: the row IDs in the table, ascending, at least one.
        /// - Returns: the last row up to which all rows are deleted; `nil` if the first row still exists.
        private func deleteSome(
            _ rows: [Int64], of table: KeyUndo.Table?, app: Int64, by deletion: inout LeakDeletion
        ) throws(StoreError) -> Int64? {
            switch table {
            case .app: return try deleteSome(ofApp: app, by: &deletion) ? nil : app
            case .leak:
                deletion.keepsReleases = true
                let counted = try deletion.connection.run(
                    Query(
                        """
                        select id, \(Self.countsSQL(ofLeak: "l.id")) from unnest($1::bigint[]) as l (id) order by id
                        """, .integers(rows.map(Optional.some))))
                let leaks = Self.deletableLeaks(counted, limit: Self.maxUndoneRows).map { $0.int64(0) }
                try deletion.delete(leaks: leaks)
                return leaks.last
            case .build:
                _ = try deletion.connection.run(
                    Query(
                        "delete from build where id = any($1::bigint[])", .integers(rows.map(Optional.some))))
                deletion.counts.builds += rows.count
                return rows.last
            case .merge, .release, nil:
                let withLeaks = try deletion.connection.run(
                    Query(
                        """
                        select id from unnest($1::bigint[]) as r (id)
                        where exists (select 1 from leak_release where release = r.id) order by id limit 1
                        """, .integers(rows.map(Optional.some)))
                ).first?.int64(0)
                if let release = withLeaks, release == rows.first {
                    return try deleteSome(ofRelease: release, by: &deletion) ? nil : release
                }
                let empty = Array(rows.prefix { $0 != withLeaks })
                try deletion.delete(releases: empty)
                return empty.last
            }
        }

        /// Deletes a leak, or, if it has many counts, the part of it in one release.
        ///
        /// - Returns: `true` if the leak still exists.
        private func delete(leak: Int64, by deletion: inout LeakDeletion) throws(StoreError) -> Bool {
            deletion.keepsReleases = true
            let rows = try deletion.connection.run(
                Query(
                    """
                    select release, (select count(*) from leak_hour where leak = $1::bigint)
                      + (select count(*) from leak_day where leak = $1::bigint)
                    from leak_release where leak = $1::bigint order by release
                    """, .integer(leak)))
            if rows.count > 1, let first = rows.first, first.int(1) > Self.maxForgottenCounts {
                try deletion.delete(leaks: [leak], in: first.int64(0))
                return true
            }
            try deletion.delete(leaks: [leak])
            return false
        }

        /// Deletes as many of the first leaks as one step may delete, or a part of the first one.
        func deleteSome(
            ofLeaks leaks: [Int64], limit: Int = maxForgottenLeaks, by deletion: inout LeakDeletion
        ) throws(StoreError) {
            let rows = try deletion.connection.run(
                Query(
                    """
                    select l.id, \(Self.countsSQL(ofLeak: "l.id"))
                    from unnest($1::bigint[]) with ordinality as l (id, number) order by l.number
                    """, .integers(leaks.map(Optional.some))))
            let deleted = Self.deletableLeaks(rows, limit: limit)
            guard let first = deleted.first else { return }
            if deleted.count == 1 {
                _ = try delete(leak: first.int64(0), by: &deletion)
            } else {
                deletion.keepsReleases = true
                try deletion.delete(leaks: deleted.map { $0.int64(0) })
            }
        }

        /// Returns SQL for the number of counts by hour and day of a leak.
        private static func countsSQL(ofLeak leak: String) -> String {
            """
            ((select count(*) from leak_hour where leak = \(leak)) + (select count(*) from leak_day where leak = \(leak)))
            """
        }

        /// Returns as many of the first leaks as one step may delete, at least one.
        ///
        /// - Parameter rows: the leaks, with the number of their counts in the second column.
        private static func deletableLeaks(_ rows: Rows, limit: Int = maxForgottenLeaks) -> [Row] {
            var counts = 0
            var leaks: [Row] = []
            for row in rows where leaks.count < limit {
                counts += row.int(1)
                guard leaks.isEmpty || counts <= maxForgottenCounts else { break }
                leaks.append(row)
            }
            return leaks
        }

        /// Deletes some leaks of a release; with the last ones, the release.
        ///
        /// - Returns: `true` if the release still exists.
        func deleteSome(
            ofRelease release: Int64, by deletion: inout LeakDeletion
        ) throws(StoreError) -> Bool {
            let rows = try deletion.connection.run(
                Query(
                    """
                    select c.leak, \(Self.countsSQL(ofLeak: "c.leak")),
                      exists (select 1 from leak_release o where o.leak = c.leak and o.release <> c.release)
                    from leak_release c where c.release = $1::bigint order by c.leak limit $2::bigint
                    """, .integer(release), .integer(Self.maxForgottenLeaks + 1)))
            let leaks = Self.deletableLeaks(rows)
            try deletion.delete(leaks: leaks.filter { !$0.bool(2) }.map { $0.int64(0) })
            try deletion.delete(leaks: leaks.filter { $0.bool(2) }.map { $0.int64(0) }, in: release)
            guard rows.count == leaks.count else { return true }
            try deletion.delete(releases: [release])
            return false
        }

        /// Deletes some leaks of an app; after the last ones, the releases, and with the last releases the app.
        ///
        /// - Returns: `true` if the app still exists.
        private func deleteSome(
            ofApp app: Int64, by deletion: inout LeakDeletion
        ) throws(StoreError) -> Bool {
            let rows = try deletion.connection.run([
                Query(
                    """
                    select id, \(Self.countsSQL(ofLeak: "l.id")) from leak l where app = $1::bigint
                    order by id limit $2::bigint
                    """, .integer(app), .integer(Self.maxForgottenLeaks + 1)),
                Query(
                    "select id from release where app = $1::bigint order by id limit $2::bigint",
                    .integer(app), .integer(Self.maxForgottenReleases + 1)),
            ])
            let leaks = Self.deletableLeaks(rows[0])
            try deletion.delete(leaks: leaks.map { $0.int64(0) })
            guard rows[0].count == leaks.count else { return true }
            try deletion.delete(releases: rows[1].prefix(Self.maxForgottenReleases).map { $0.int64(0) })
            guard rows[1].count <= Self.maxForgottenReleases else { return true }
            try deletion.deleteApp()
            return false
        }
    }
#endif

/// Counts into one database file. Owned by one thread at a time.
///
/// What it remembers between calls is only what the last commit left in the file; a failure, or a commit by another
/// process, makes it forget everything.
final class Writer {
    typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

    /// Pages in the log before a commit copies them into the database: 16 MiB, since copying after every 1,000
    /// pages, SQLite's default, halves the throughput of large commits.
    static let checkpointPages = 4_000
    /// Size of the log above which ``tidy(now:)`` empties it.
    static let logBytes = 64 << 20
    /// How long readers may take to leave the log, while nothing is counted. A page is read in less.
    private static let logWaitMilliseconds: Int32 = 200
    /// When a log that could not be emptied is tried again.
    private static let logRetryMilliseconds: Int64 = 10_000

    let connection: Connection
    let redact: Redact
    let reservoir: Reservoir
    var caches = Caches()
    private var dataVersion: Int64?
    /// ``logBytes``, but for tests.
    var logLimit = Writer.logBytes
    /// ``InstallLog/setLimit``, but for tests.
    var installLogSets = InstallLog.setLimit
    private var logTriedAt: Int64?

    init(connection: Connection, redact: @escaping Redact, reservoir: Reservoir) throws(StoreError) {
        self.connection = connection
        self.redact = redact
        self.reservoir = reservoir
        // SQLite goes on without a log where a file system cannot share memory, and says so by the way.
        let mode = try connection.statement("pragma journal_mode = wal")
        defer { mode.reset() }
        var isLogged = false
        // To the end: the change is committed behind its row. Without a log, a power cut may bring back a journal
        // that undoes the last commit.
        while try mode.step() { isLogged = mode.text(0) == "wal" }
        guard isLogged else {
            throw StoreError(
                .other,
                "database \(connection.path): its file system cannot share memory between processes; choose a local "
                    + "disk")
        }
        mode.reset()
        try connection.execute(
            """
            pragma synchronous = full;
            pragma foreign_keys = on;
            pragma cache_size = -6144;
            pragma journal_size_limit = \(Self.logBytes);
            pragma wal_autocheckpoint = \(Self.checkpointPages);
            """)
    }

    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        do throws(StoreError) {
            // Nothing may fail behind the commit: what throws counts as not counted, and is sent again.
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try forgetIfOthersWrote()
                try readInstallLog()
                let receipts = try self.receipts(for: submissions, now: now)
                var tally = Tally()
                for (number, receipt) in receipts.enumerated() where receipt == .counted {
                    tally.add(submissions[number], number: number)
                }
                try write(tally, of: submissions, now: now)
                return receipts
            }
        } catch {
            caches.removeAll()
            throw error
        }
    }

    private func forgetIfOthersWrote() throws(StoreError) {
        let version = try connection.number("pragma data_version")
        if version != dataVersion { caches.removeAll() }
        dataVersion = version
    }

    /// Empties the log when readers have kept SQLite from doing so for long.
    func tidy(now: Int64) throws(StoreError) {
        if let tried = logTriedAt, (0..<Self.logRetryMilliseconds).contains(now - tried) { return }
        guard DatabaseFile.size(of: connection.path + "-wal") > logLimit else { return }
        logTriedAt = now
        if try connection.truncateLog(waitMilliseconds: Self.logWaitMilliseconds) { logTriedAt = nil }
    }

    // MARK: Entities

    private func write(_ tally: Tally, of submissions: [Submission], now: Int64) throws(StoreError) {
        var apps: [AppEntry] = []
        for app in tally.apps { apps.append(try write(app)) }
        var releases: [ReleaseEntry] = []
        for release in tally.releases { releases.append(try write(release, app: apps[release.app])) }
        var builds: [Int64] = []
        for build in tally.builds { builds.append(try row(of: build, in: releases[build.release])) }
        var leaks: [LeakEntry] = []
        for leak in tally.leaks {
            leaks.append(
                try write(
                    leak, tally, apps: apps, releases: releases, builds: builds, of: submissions, now: now))
        }
        for release in releases { try flushInstalls(of: release) }
        try write(tally.bundles, of: tally, leaks: leaks, releases: releases)
        let oldestSlot = SlotWindow.oldestKept(now: now)
        for slot in tally.slots where slot.number >= oldestSlot { try write(slot, app: apps[slot.app]) }
        try writeInstallLog()
    }

    private func write(_ app: Tally.App) throws(StoreError) -> AppEntry {
        let entry = try self.app(named: app.name, seen: app.lastSeen)
        try connection.run(
            """
            update app set last_seen = max(last_seen, ?), reports = min(reports + ?, 0x1FFFFFFFFFFFFF),
              freed = min(freed + ?, 0x1FFFFFFFFFFFFF)
            where id = ?
            """, app.lastSeen, app.reports, app.freed, entry.id)
        for (reason, count) in app.dropped {
            try connection.run(
                """
                insert into dropped (app, reason, count) values (?, ?, ?)
                on conflict (app, reason) do update set count = min(count + excluded.count, 0x1FFFFFFFFFFFFF)
                """, entry.id, reason.text, count)
        }
        return entry
    }

    private func app(named name: String, seen: Int64) throws(StoreError) -> AppEntry {
        if let known = caches.apps.value(of: ByteText(name)) { return known }
        let select = try connection.statement(
            """
            select a.id, r.order_key from app a left join release r on r.id = a.newest_release where a.name = ?
            """)
        defer { select.reset() }
        try select.bind(name)
        let entry: AppEntry
        if try select.step() {
            entry = AppEntry(id: select.int64(0), newest: select.isNull(1) ? nil : select.blob(1))
        } else {
            try connection.run("insert into app (name, last_seen) values (?, ?)", name, seen)
            entry = AppEntry(id: connection.lastInsertedRow, newest: nil)
        }
        caches.apps.insert(entry, for: ByteText(name))
        return entry
    }

    private func write(_ release: Tally.Release, app: AppEntry) throws(StoreError) -> ReleaseEntry {
        let entry = try self.release(release.version, of: app, span: release.span)
        var checks = 0
        for count in release.checks.values { checks.addBounded(count) }
        try connection.run(
            """
            update release set first_seen = min(first_seen, ?), last_seen = max(last_seen, ?),
              reports = min(reports + ?, 0x1FFFFFFFFFFFFF), freed = min(freed + ?, 0x1FFFFFFFFFFFFF),
              sessions = min(sessions + ?, 0x1FFFFFFFFFFFFF),
              leaky_sessions = min(leaky_sessions + ?, 0x1FFFFFFFFFFFFF), checks = min(checks + ?, 0x1FFFFFFFFFFFFF)
            where id = ?
            """, release.span.first, release.span.last, release.reports, release.freed, release.sessions,
            release.leakySessions, checks, entry.id)
        for (className, count) in release.checks.sorted(by: { $0.key.text < $1.key.text }) {
            try connection.run(
                """
                insert into release_check (release, class, checks) values (?, ?, ?)
                on conflict (release, class) do update set checks = min(checks + excluded.checks, 0x1FFFFFFFFFFFFF)
                """, entry.id, className.text, count)
        }
        return entry
    }

    private func release(
        _ version: String, of app: AppEntry, span: Tally.Span
    ) throws(StoreError) -> ReleaseEntry {
        let key = ReleaseKey(app: app.id, version: ByteText(version))
        if let known = caches.releases.value(of: key) { return known }
        let order = VersionOrder(version).key
        let select = try connection.statement("select id from release where app = ? and version = ?")
        defer { select.reset() }
        try select.bind(app.id, version)
        let entry: ReleaseEntry
        if try select.step() {
            entry = ReleaseEntry(id: select.int64(0), order: order)
        } else {
            try connection.run(
                "insert into release (app, version, order_key, first_seen, last_seen) values (?, ?, ?, ?, ?)",
                app.id, version, order, span.first, span.last)
            entry = ReleaseEntry(id: connection.lastInsertedRow, order: order)
            if app.newest.map({ $0.lexicographicallyPrecedes(order) }) ?? true {
                try connection.run("update app set newest_release = ? where id = ?", entry.id, app.id)
                app.newest = order
            }
        }
        caches.releases.insert(entry, for: key)
        return entry
    }

    private func row(of build: Tally.Build, in release: ReleaseEntry) throws(StoreError) -> Int64 {
        if let known = release.builds[ByteText(build.name)] { return known }
        let select = try connection.statement("select id from build where release = ? and name = ?")
        defer { select.reset() }
        try select.bind(release.id, build.name)
        let row: Int64
        if try select.step() {
            row = select.int64(0)
        } else {
            try connection.run(
                "insert into build (release, name, order_key) values (?, ?, ?)", release.id, build.name,
                VersionOrder(build.name).key)
            row = connection.lastInsertedRow
        }
        release.remember(build: build.name, row: row)
        return row
    }

    private func flushInstalls(of release: ReleaseEntry) throws(StoreError) {
        guard !release.newInstalls.isEmpty else { return }
        let fresh = release.newInstalls
        release.newInstalls = []
        guard let change = try add(fresh, to: .release, of: release.id) else { return }
        try connection.run("update release set installs = ? where id = ?", change.count, release.id)
    }

    private func write(_ slot: Tally.Slot, app: AppEntry) throws(StoreError) {
        let upsert = try connection.statement(
            """
            insert into app_slot (app, slot, reports) values (?, ?, ?)
            on conflict (app, slot) do update set reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            returning id
            """)
        defer { upsert.reset() }
        try upsert.bind(app.id, slot.number, slot.reports)
        guard try upsert.step() else { return }
        let row = upsert.int64(0)
        while try upsert.step() {}
        _ = try add(slot.installs, to: .slot, of: row)
    }
}

/// A reader of committed data with a connection of its own, for one thread at a time.
final class SQLiteReader: StoreReader {
    let connection: SQLiteConnection
    let knownLeaks: KnownLeaks
    var knownCache = KnownLeakCache()
    var decisionCache = DecisionCache()
    /// The row ID of the newest row of `merged_leak` when the caches were last checked; `nil` before the first check.
    var lastMerge: Int64?
    private let flusher: CountLogFlusher?

    /// - Parameter flusher: flushes the log of counts before reads. If `nil`, reads do not see the counts in the log.
    init(
        path: String, known: KnownLeaks = .none, damageMonitor: DamageMonitor? = nil,
        flusher: CountLogFlusher? = nil
    ) throws(StoreError) {
        knownLeaks = known
        self.flusher = flusher
        connection = try SQLiteConnection(path: path, access: .readOnly, damageMonitor: damageMonitor)
        connection.keepLog()
        try connection.execute("pragma cache_size = -2048")
    }

    /// Runs `body` in one transaction, so that all its statements read the same state of the database.
    func snapshot<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        flusher?.recordRead()
        return try connection.transaction(.deferred) { () throws(StoreError) in
            if let flusher, try connection.hasLoggedCounts { try renewSnapshot(by: flusher) }
            return try body()
        }
    }

    /// Flushes the counts in the log to their tables, and begins a new snapshot.
    ///
    /// If the flush fails, the new snapshot lacks the counts since the last flush.
    private func renewSnapshot(by flusher: CountLogFlusher) throws(StoreError) {
        // The writer may wait until this reader no longer uses the write-ahead log.
        try connection.run("commit")
        var hasBegun = false
        do throws(StoreError) {
            try flusher.flush { () throws(StoreError) in
                hasBegun = true
                try beginSnapshot()
            }
        } catch {
            guard !hasBegun else { throw error }
            try beginSnapshot()
        }
    }

    /// Begins a snapshot, and reads once, because a deferred transaction gets its snapshot only at its first read.
    private func beginSnapshot() throws(StoreError) {
        try connection.run("begin deferred")
        _ = try connection.hasLoggedCounts
    }

    func apps(in environment: String) throws(StoreError) -> [String] {
        try texts(
            connection.statement(
                "select name from app where environment = ? order by last_seen desc, id desc"), [environment])
    }

    func environments(app: String?) throws(StoreError) -> [String] {
        try texts(
            connection.statement(
                "select distinct environment from app where ?1 is null or name = ?1 order by environment"),
            [app])
    }

    func appSummaries() throws(StoreError) -> [AppSummary] {
        let select = try connection.statement(
            """
            select a.name, r.version, a.last_seen, a.environment from app a left join release r on r.id = a.newest_release
            order by a.last_seen desc, a.id desc
            """)
        defer { select.reset() }
        var apps: [AppSummary] = []
        while try select.step() {
            apps.append(
                AppSummary(
                    id: select.text(0), environment: select.text(3), newestVersion: select.optionalText(1),
                    lastSeen: select.time(2)))
        }
        return apps
    }

    func versions(app: AppScope) throws(StoreError) -> [String] {
        guard let name = app.app else {
            return try texts(
                connection.statement(
                    """
                    select r.version from app a join release r on r.app = a.id where a.environment = ?
                    group by r.version order by max(r.order_key) desc
                    """), [app.environment])
        }
        return try texts(
            connection.statement(
                """
                select r.version from app a join release r on r.app = a.id where a.name = ? and a.environment = ?
                order by r.order_key desc
                """), [name, app.environment])
    }

    func credentials(includingEnded: Bool, now: Int64) throws(StoreError) -> [Credential] {
        let select = try connection.statement(
            composed: """
                select \(Credential.Column.columnsSQL) from credential
                where ?1 or (revoked_at is null and (expires_at is null or expires_at > ?2)) order by id
                """)
        defer { select.reset() }
        try select.bind(includingEnded ? 1 : 0, now)
        var credentials: [Credential] = []
        while try select.step() {
            credentials.append(try Credential(select, in: connection.path))
        }
        return credentials
    }

    func changeCounter() throws(StoreError) -> Int64 {
        try connection.number("pragma data_version") ?? 0
    }

    var hasLocalChangeCounter: Bool { true }

    func ping() throws(StoreError) {
        _ = try connection.number("select count(*) from (select 1 from app limit 1)")
    }

    /// Returns the text in the first column of each row.
    func texts(_ statement: Statement, _ values: [any Bindable]) throws(StoreError) -> [String] {
        defer { statement.reset() }
        try statement.bind(all: values)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }
}

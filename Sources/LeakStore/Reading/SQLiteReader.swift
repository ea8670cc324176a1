/// A reader of committed data with a connection of its own, for one thread at a time.
final class SQLiteReader: QueryReader {
    let connection: SQLiteConnection
    let knownLeaks: KnownLeaks
    var knownCache = KnownLeakCache()
    var decisionCache = DecisionCache()
    /// The number of merges and deletions of leaks when the caches were last checked; `nil` before the first check.
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
    func snapshot<Result>(
        _ body: (SQLiteConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        flusher?.recordRead()
        return try connection.transaction(.deferred) { () throws(StoreError) in
            if let flusher, try connection.hasLoggedCounts { try renewSnapshot(by: flusher) }
            return try body(connection)
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

    func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result { try connection.read(read) }

    func probe<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result { try connection.read(read) }

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

    func databaseBytes() throws(StoreError) -> Int {
        let pages = try connection.number("pragma page_count") ?? 0
        return Int(pages * (try connection.number("pragma page_size") ?? 0))
    }

    var hasLocalChangeCounter: Bool { true }

    func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
        var leaks: Set<LeakID> = []
        for image in images {
            let select = try connection.statement(
                "select l.key from leak_text t join leak l on l.id = t.leak where instr(t.stack, ?) > 0")
            defer { select.reset() }
            try select.bind(Array(image.utf8))
            while try select.step() {
                if let id = LeakID(blob: select.bytes(0)) { leaks.insert(id) }
            }
        }
        return leaks.sorted()
    }

    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try values(.reason, of: leaks, limit: limit)
    }

    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try values(.closures, of: leaks, limit: limit)
    }

    private func values(
        _ kind: ValueKind, of leaks: [LeakID], limit: Int
    ) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try snapshot { connection throws(StoreError) in
            var values: [LeakID: [LeakDetail.ValueCount]] = [:]
            for leak in leaks {
                let counts = try connection.read(
                    StoreQueries.valueCounts(
                        """
                        select l.key, v.value, v.reports from leak l join leak_value v on v.leak = l.id
                        where l.key = $1 and v.kind = $2 and v.value <> '' order by v.reports desc, v.value limit $3
                        """, .id(leak), .int(kind.rawValue), .int(limit)))
                values.merge(counts) { $1 }
            }
            return values
        }
    }
}

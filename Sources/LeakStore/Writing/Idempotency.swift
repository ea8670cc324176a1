extension Writer {
    /// Returns the receipt of a submission. Stores the idempotency key of a submission that is counted. If its ingest key has
    /// stored too many idempotency keys on the day, counts the submission as beyond ``OverLimitCount/Name/idempotencyKeys``
    /// instead.
    func receipt(
        for submission: Submission, aggregate: inout SubmissionAggregate, rows: ResolvedRows,
        clock: StoreClock
    ) throws(StoreError) -> Receipt {
        guard let idempotency = submission.idempotency else { return .counted }
        let key = KeyLog.Key(keyID: submission.keyID, bytes: PackedKey.bytes(of: idempotency.key))
        // The keys of earlier submissions of the same call are in the log already.
        if let storedEntry = try storedEntry(of: key, since: clock.keyStart) {
            return idempotency.hasSameBody(as: storedEntry.hash)
                ? .repeated(response: try response(rowID: storedEntry.answer)) : .keyReused
        }
        let isStored = try store(
            key, hash: idempotency.bodyHash, answer: submission.response, at: clock.newKeyTime)
        if !isStored { try aggregate.addUnstoredKey(submission, by: rows) }
        return .counted
    }

    /// Returns the entry of a key that was stored after `start`; `nil` if there is none.
    private func storedEntry(of key: KeyLog.Key, since start: Int64) throws(StoreError) -> KeyLog.Entry? {
        if let entry = caches.logs?.keys.entries[key] { return entry.at > start ? entry : nil }
        // Searches all days from the day of `start` on, including days after today, because the clock may have been set back.
        for day in try findIdempotencyDays(since: Calendar.day(of: start)) {
            let select = try connection.statement(
                "select hash, at, answer from idempotency where day = ? and key_id = ? and key = ? and at > ?"
            )
            defer { select.reset() }
            try select.bind(day, key.keyID, key.bytes, start)
            if try select.step() {
                return KeyLog.Entry(hash: select.bytes(0), at: select.int64(1), answer: select.int64(2))
            }
        }
        return nil
    }

    private func response(rowID: Int64) throws(StoreError) -> [UInt8] {
        let select = try connection.statement("select body from answer where id = ?")
        defer { select.reset() }
        try select.bind(rowID)
        return try select.step() ? select.bytes(0) : []
    }

    /// Stores a key and its response, or an empty response if there are too many different responses.
    ///
    /// - Returns: `false`, with nothing stored, if the ingest key has too many idempotency keys on this day.
    private func store(
        _ key: KeyLog.Key, hash: [UInt8], answer: [UInt8], at time: Int64
    ) throws(StoreError) -> Bool {
        let day = Calendar.day(of: time)
        var use = try readIdempotencyUse(of: key.keyID, day: day)
        guard use.keys < limits.idempotencyKeysPerDay else { return false }
        var answer = answer
        var existingRowID = try rowID(ofResponse: answer, day: day)
        if existingRowID == nil, use.answers >= limits.responsesPerDay {
            answer = []
            existingRowID = try rowID(ofResponse: answer, day: day)
        }
        let answerRowID: Int64
        if let existingRowID {
            answerRowID = existingRowID
        } else {
            try connection.run("insert into answer (day, body) values (?, ?)", day, answer)
            answerRowID = connection.lastInsertedRowID
            use.answers += 1
        }
        caches.idempotency.lastAnswer = (day, answer, answerRowID)
        use.keys += 1
        caches.idempotency.set(use, of: key.keyID)
        caches.logs?.keys.add(key, KeyLog.Entry(hash: hash, at: time, answer: answerRowID))
        return true
    }

    /// Returns the row ID of an equal response that is stored for this day; `nil` if there is none.
    private func rowID(ofResponse answer: [UInt8], day: Int) throws(StoreError) -> Int64? {
        if let last = caches.idempotency.lastAnswer, last.day == day, last.body == answer {
            return last.rowID
        }
        let select = try connection.statement("select id from answer where day = ? and body = ?")
        defer { select.reset() }
        try select.bind(day, answer)
        return try select.step() ? select.int64(0) : nil
    }

    /// Returns how many idempotency keys, responses and bytes an ingest key has added on a day.
    func readIdempotencyUse(of keyID: Int64, day: Int) throws(StoreError) -> IdempotencyUse.Count {
        if let count = caches.idempotency.count(of: keyID, day: day) { return count }
        let select = try connection.statement(
            "select keys, answers, text_bytes, detail_bytes from idempotency_use where day = ? and key_id = ?"
        )
        defer { select.reset() }
        try select.bind(day, keyID)
        let count =
            try select.step()
            ? IdempotencyUse.Count(
                keys: select.int(0), answers: select.int(1), textBytes: select.int(2),
                detailBytes: select.int(3))
            : IdempotencyUse.Count()
        caches.idempotency.cache(count, of: keyID, day: day)
        return count
    }

    /// Writes the counts of keys and responses, and the bytes of new texts and details, for each ingest key for which the
    /// transaction has changed them.
    func writeIdempotencyUse() throws(StoreError) {
        for (keyID, count) in caches.idempotency.takeChanges() {
            try connection.run(
                """
                insert or replace into idempotency_use (day, key_id, keys, answers, text_bytes, detail_bytes)
                values (?, ?, ?, ?, ?, ?)
                """, caches.idempotency.day, keyID, count.keys, count.answers, count.textBytes,
                count.detailBytes)
        }
    }

    /// Returns the days with keys, from the day `first` on. The day of a transaction that has not added a key yet may be
    /// missing.
    private func findIdempotencyDays(since first: Int) throws(StoreError) -> [Int] {
        if let days = caches.idempotency.days { return days.filter { $0 >= first } }
        let select = try connection.statement("select distinct day from idempotency_use order by day desc")
        defer { select.reset() }
        var days: [Int] = []
        while try select.step() { days.append(Int(select.int64(0))) }
        caches.idempotency.days = days
        return days.filter { $0 >= first }
    }
}

/// Counts of idempotency keys and responses stored on one day, and of bytes of new texts and details, by ingest key.
struct IdempotencyUse {
    /// Numbers of idempotency keys and of different responses, and bytes, that an ingest key has added on a day.
    struct Count {
        var keys = 0
        var answers = 0
        var textBytes = 0
        /// May be negative during a transaction that frees more bytes than the ingest key has added, but not after it.
        var detailBytes = 0
    }

    /// Days with keys, including keys of the current transaction; `nil` until the days have been read.
    var days: [Int]?
    /// The response of the last stored key, and its row ID. Most responses are equal.
    var lastAnswer: (day: Int, body: [UInt8], rowID: Int64)?
    /// The day of the counts, in days since 1970.
    private(set) var day = 0
    private var counts: [Int64: Count] = [:]
    /// Ingest keys whose counts the current transaction has changed.
    private var changed: Set<Int64> = []

    /// Returns the cached counts of an ingest key on a day.
    ///
    /// - Returns: `nil` if the counts must be read from the database first.
    func count(of keyID: Int64, day: Int) -> Count? { day == self.day ? counts[keyID] : nil }

    /// Caches a count that was read from the database.
    mutating func cache(_ count: Count, of keyID: Int64, day: Int) {
        if day != self.day { (self.day, counts) = (day, [:]) }
        counts[keyID] = count
    }

    /// Changes the counts of an ingest key on the current day. ``takeChanges()`` returns them.
    mutating func set(_ count: Count, of keyID: Int64) {
        counts[keyID] = count
        changed.insert(keyID)
        if days?.contains(day) == false { days?.append(day) }
    }

    /// Clears the cached days and the last response, because some may have been deleted.
    mutating func clearCachedDays() {
        days = nil
        lastAnswer = nil
    }

    /// Returns the changed counts by ingest key. The next call returns only later changes.
    mutating func takeChanges() -> [(Int64, Count)] {
        defer { changed = [] }
        return changed.compactMap { key in
            guard var count = counts[key] else { return nil }
            count.detailBytes = max(0, count.detailBytes)
            counts[key] = count
            return (key, count)
        }
    }
}

/// The stored form of an idempotency key. Most keys are UUIDs, whose stored form has 17 bytes.
package enum PackedKey {
    private static let uuidTag: UInt8 = 0
    private static let textTag: UInt8 = 1

    /// Returns a tag, followed by 16 bytes for a UUID in lower case, or by the text of another key.
    package static func bytes(of key: String) -> [UInt8] {
        let text = Array(key.utf8)
        guard text.count == 36 else { return [textTag] + text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(17)
        bytes.append(uuidTag)
        var high: UInt8?
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return [textTag] + text }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return [textTag] + text
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}

/// Idempotency keys that are in memory and in `key_log`, and not yet in `idempotency`.
///
/// Keys are random, so without the log, each new key would change another page of the table.
struct KeyLog: PendingLog {
    /// An idempotency key, with the ingest key that it belongs to.
    struct Key: Hashable {
        /// The id of the ingest key.
        var keyID: Int64
        /// The idempotency key in its stored form: ``PackedKey``.
        var bytes: [UInt8]
    }

    /// The data stored with an idempotency key.
    struct Entry {
        /// ``Submission/Idempotency/bodyHash``
        var hash: [UInt8]
        /// Milliseconds since 1970.
        var at: Int64
        /// Row ID in `answer`.
        var answer: Int64
    }

    private(set) var entries: [Key: Entry] = [:]
    /// Bytes of the log on disk and of ``unwritten``.
    private var byteCount = 0
    var unwritten: [UInt8] = []

    func isLong(beyond limits: PendingLogs.Limits) -> Bool { byteCount > limits.keyBytes }

    mutating func add(_ key: Key, _ entry: Entry) {
        var writer = PackedWriter()
        writer.append(Int(key.keyID))
        writer.append(key.bytes)
        writer.append(entry.hash)
        writer.append(Int(entry.at))
        writer.append(Int(entry.answer))
        byteCount += writer.bytes.count
        unwritten += writer.bytes
        entries[key] = entry
    }

    /// Adds the keys that one row of `key_log` contains.
    ///
    /// - Returns: `false` for bytes that ``add(_:_:)`` did not write.
    fileprivate mutating func read(_ bytes: [UInt8]) -> Bool {
        var reader = PackedReader(bytes)
        while !reader.isAtEnd {
            guard let keyID = reader.number(), let key = reader.blob(), let hash = reader.blob(),
                let at = reader.number(), let answer = reader.number()
            else { return false }
            entries[Key(keyID: Int64(keyID), bytes: key)] = Entry(
                hash: hash, at: Int64(at), answer: Int64(answer))
        }
        byteCount += bytes.count
        return true
    }
}

extension SQLiteConnection {
    func loadKeyLog() throws(StoreError) -> KeyLog {
        let select = try statement("select keys from key_log order by id")
        defer { select.reset() }
        var log = KeyLog()
        while try select.step() {
            guard log.read(select.bytes(0)) else {
                throw .unreadable("the log of idempotency keys", in: path)
            }
        }
        return log
    }
}

extension Writer {
    /// Writes the idempotency keys in the log to their table, and empties the log.
    func flushKeyLog() throws(StoreError) {
        guard let log = caches.logs?.keys, !log.entries.isEmpty else { return }
        let rows = log.entries.map { (day: Calendar.day(of: $1.at), key: $0, entry: $1) }.sorted {
            one, other in
            (one.day, one.key.keyID) == (other.day, other.key.keyID)
                ? one.key.bytes.lexicographicallyPrecedes(other.key.bytes)
                : (one.day, one.key.keyID) < (other.day, other.key.keyID)
        }
        try UpsertStatements.keys.run(rows, on: connection) { (row, upsert, index) throws(StoreError) in
            try upsert.bind(row.day, at: index)
            try upsert.bind(row.key.keyID, at: index + 1)
            try upsert.bind(row.key.bytes, at: index + 2)
            try upsert.bind(row.entry.hash, at: index + 3)
            try upsert.bind(row.entry.at, at: index + 4)
            try upsert.bind(row.entry.answer, at: index + 5)
        }
        try connection.run("delete from key_log")
        caches.logs?.keys = KeyLog()
    }
}

extension UpsertStatements {
    fileprivate static let keys = UpsertStatements(
        "idempotency (day, key_id, key, hash, at, answer)", row: "?, ?, ?, ?, ?, ?", parameters: 6,
        conflict: "day, key_id, key",
        update: "hash = excluded.hash, at = excluded.at, answer = excluded.answer")
}

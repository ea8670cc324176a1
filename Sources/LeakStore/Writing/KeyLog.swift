/// Idempotency keys in memory and in `key_log`, and not yet in `idempotency`.
///
/// Keys are random: in the table's order each one would change a page of its own.
struct KeyLog: PendingLog {
    struct Key: Hashable {
        var keyID: Int64
        /// ``PackedKey``.
        var bytes: [UInt8]
    }

    struct Entry {
        /// The first bytes of the body's SHA-256.
        var hash: [UInt8]
        /// Milliseconds since 1970.
        var at: Int64
        /// Row of `answer`.
        var answer: Int64
    }

    private(set) var entries: [Key: Entry] = [:]
    /// Bytes on disk, with ``unwritten``.
    private var size = 0
    var unwritten: [UInt8] = []

    func isLong(beyond limits: Logs.Limits) -> Bool { size > limits.keyBytes }

    mutating func add(_ key: Key, _ entry: Entry) {
        var writer = PackedWriter()
        writer.append(Int(key.keyID))
        writer.append(key.bytes)
        writer.append(entry.hash)
        writer.append(Int(entry.at))
        writer.append(Int(entry.answer))
        size += writer.bytes.count
        unwritten += writer.bytes
        entries[key] = entry
    }

    /// - Returns: false for bytes that ``add(_:_:)`` did not write.
    fileprivate mutating func read(_ bytes: [UInt8]) -> Bool {
        var reader = PackedReader(bytes)
        while !reader.isAtEnd {
            guard let keyID = reader.number(), let key = reader.blob(), let hash = reader.blob(),
                let at = reader.number(), let answer = reader.number()
            else { return false }
            entries[Key(keyID: Int64(keyID), bytes: key)] = Entry(
                hash: hash, at: Int64(at), answer: Int64(answer))
        }
        size += bytes.count
        return true
    }
}

extension Connection {
    func keyLog() throws(StoreError) -> KeyLog {
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
    func foldKeyLog() throws(StoreError) {
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

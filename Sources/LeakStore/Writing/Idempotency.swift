extension Writer {
    /// How long a repeat is recognised. WIRE: 7 days, one more than a reporter keeps a batch.
    static let idempotencyDays = 7

    /// What becomes of each submission; keys of those that count are written.
    func receipts(for submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(submissions.count)
        for submission in submissions {
            guard let idempotency = submission.idempotency else {
                receipts.append(.counted)
                continue
            }
            let key = IdempotencyKey(keyID: submission.keyID, key: idempotency.key)
            // A key that came earlier in the same call is in the table by now.
            let hash = Array(idempotency.bodyHash.prefix(Self.hashBytes))
            if let known = try stored(key, now: now) {
                receipts.append(known.hash == hash ? .repeated(answer: known.answer) : .keyReused)
            } else {
                try store(key, hash: hash, answer: submission.answer, now: now)
                receipts.append(.counted)
            }
        }
        return receipts
    }

    /// Bytes of the body's SHA-256 that are kept: two bodies of one key agree in them once in 2^128.
    private static let hashBytes = 16

    private struct IdempotencyKey {
        var keyID: Int64
        var key: String
    }

    private func stored(
        _ key: IdempotencyKey, now: Int64
    ) throws(StoreError) -> (hash: [UInt8], answer: [UInt8])? {
        // One look-up per day: the day leads the table's key, so that old days go as one range.
        let select = try connection.statement(
            """
            select i.hash, a.body from idempotency i join answer a on a.id = i.answer
            where i.day in (?1, ?1 - 1, ?1 - 2, ?1 - 3, ?1 - 4, ?1 - 5, ?1 - 6, ?1 - 7) and i.key_id = ?2
              and i.key = ?3 and i.at > ?4
            """)
        defer { select.reset() }
        try select.bind(
            Calendar.day(of: now), key.keyID, PackedKey.bytes(of: key.key), Self.idempotencyStart(now))
        return try select.step() ? (select.blob(0), select.blob(1)) : nil
    }

    private func store(
        _ key: IdempotencyKey, hash: [UInt8], answer: [UInt8], now: Int64
    ) throws(StoreError) {
        let day = Calendar.day(of: now)
        try connection.run("insert or ignore into answer (day, body) values (?, ?)", day, answer)
        try connection.run(
            """
            insert or replace into idempotency (day, key_id, key, hash, at, answer)
            values (?1, ?2, ?3, ?4, ?5, (select id from answer where day = ?1 and body = ?6))
            """, day, key.keyID, PackedKey.bytes(of: key.key), hash, now, answer)
    }

    /// Keys stored at this time or before count as forgotten.
    static func idempotencyStart(_ now: Int64) -> Int64 {
        now - Int64(idempotencyDays) * Calendar.dayMilliseconds
    }
}

/// An idempotency key in fewer bytes: most are UUIDs.
package enum PackedKey {
    private static let uuidTag: UInt8 = 0
    private static let textTag: UInt8 = 1

    /// A tag, then 16 bytes for a UUID in lower case, else the text.
    package static func bytes(of key: String) -> [UInt8] {
        let text = Array(key.utf8)
        guard text.count == 36 else { return [textTag] + text }
        var bytes = [uuidTag]
        var high: UInt8?
        for (index, byte) in text.enumerated() {
            if [8, 13, 18, 23].contains(index) {
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

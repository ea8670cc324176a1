#if PostgreSQL
    internal import LeakStore

    /// The idempotency keys of one transaction. They decide which submissions count, and which were counted before.
    struct IdempotencyKeys {
        /// Stored instead of every answer beyond the limit of a day; the answer to a repeat of such a batch says only that the
        /// batch was counted.
        private static let noAnswer: [UInt8] = []

        struct ScopedKey: Hashable {
            var keyID: Int64
            var key: [UInt8]

            fileprivate static func precedes(_ one: ScopedKey, _ other: ScopedKey) -> Bool {
                one.keyID == other.keyID
                    ? one.key.lexicographicallyPrecedes(other.key) : one.keyID < other.keyID
            }
        }

        private struct Stored {
            var hash: [UInt8]
            var answer: [UInt8]
        }

        private let submissions: [Submission]
        private let idempotencyKeys: [ScopedKey?]
        /// The index of the first submission with each key.
        private let firsts: [ScopedKey: Int]
        /// ``StoreClock/newKeyTime``.
        private let newKeyTime: Int64
        /// Keys that were stored at this time or before count as forgotten.
        private let keyStart: Int64
        let day: Int
        /// Keys that this transaction writes.
        private(set) var inserted: Set<ScopedKey> = []
        /// Keys that are not stored.
        private var unstored: Set<ScopedKey> = []
        private var stored: [ScopedKey: Stored] = [:]
        /// Rows of `answer`, by body.
        private var answers: [[UInt8]: Int64] = [:]
        /// Number of answers that were not there before, by ingest key.
        private(set) var newAnswers: [Int64: Int] = [:]

        init(of submissions: [Submission], _ clock: StoreClock) {
            self.submissions = submissions
            newKeyTime = clock.newKeyTime
            keyStart = clock.keyStart
            day = Calendar.day(of: newKeyTime)
            let idempotencyKeys = submissions.map { submission in
                submission.idempotency.map {
                    ScopedKey(keyID: submission.keyID, key: PackedKey.bytes(of: $0.key))
                }
            }
            var firsts: [ScopedKey: Int] = [:]
            for (number, idempotencyKey) in idempotencyKeys.enumerated() {
                if let idempotencyKey, firsts[idempotencyKey] == nil { firsts[idempotencyKey] = number }
            }
            self.idempotencyKeys = idempotencyKeys
            self.firsts = firsts
        }

        /// Writes the keys that are new, up to the limit per ingest key and day.
        ///
        /// If two collectors write the same key at the same time, the second one waits here until the first has committed, and then
        /// finds the key.
        ///
        /// - Parameter opening: queries that begin the transaction.
        mutating func write(
            after opening: [Query], on connection: PostgreSQLConnection, limits: StoreLimits,
            _ memory: inout IdempotencyCache
        ) throws(StoreError) {
            var opening = opening
            var asked = firsts.keys.sorted(by: ScopedKey.precedes)
            let keys = Set(asked.map(\.keyID))
            let bodies = Array(Set(asked.map { answer(to: $0) }))
            if memory.day != day { memory = IdempotencyCache(day: day) }
            for body in bodies { answers[body] = memory.row(ofAnswer: body) }
            let hasRoom = keys.allSatisfy { memory.hasRoom(for: keyCount(ofIngestKey: $0), of: $0, limits) }
            if !hasRoom || answers.count < bodies.count {
                let rows = try connection.run(
                    opening + [
                        IdempotencyCache.uses(of: keys, day: day),
                        IdempotencyCache.answers(bodies, day: day),
                    ])
                try Migration.checkedVersion(rows[1], connection)
                opening = []
                memory.setUses(rows[3], keys: keys)
                add(rows[4], of: bodies, &memory)
                asked = try storableKeys(asked, on: connection, limits: limits, memory: &memory)
            }
            let hashes = asked.map { hash(ofFirst: $0) }
            let rows = try connection.run(
                opening + [
                    Query(
                        """
                        insert into idempotency as known (key_id, key, hash, at, answer)
                        select new.key_id, new.key, new.hash, $4::bigint, new.answer
                        from unnest($1::bigint[], $2::bytea[], $3::bytea[], $5::bigint[])
                          as new (key_id, key, hash, answer)
                        order by new.key_id, new.key
                        on conflict (key_id, key) do update
                        set hash = excluded.hash, at = excluded.at, answer = excluded.answer
                        where known.at <= $6::bigint
                        returning key_id, key
                        """, .integers(asked.map(\.keyID)), .byteArrays(asked.map(\.key)),
                        .byteArrays(hashes), .integer(newKeyTime),
                        .integers(asked.map { answers[answer(to: $0)] ?? answers[Self.noAnswer] ?? 0 }),
                        .integer(keyStart))
                ])
            if !opening.isEmpty { try Migration.checkedVersion(rows[1], connection) }
            inserted = Set((rows.last ?? rows[0]).map { ScopedKey(keyID: $0.int64(0), key: $0.bytes(1)) })
            let lost = asked.filter { !inserted.contains($0) }
            try read(lost, on: connection)
            try checkRead(lost, connection)
        }

        /// Returns the keys for which there is room, and writes new answers. It is needed if there may be too many keys.
        private mutating func storableKeys(
            _ asked: [ScopedKey], on connection: PostgreSQLConnection, limits: StoreLimits,
            memory: inout IdempotencyCache
        ) throws(StoreError) -> [ScopedKey] {
            try read(asked, on: connection)
            var room: [Int64: (keys: Int, answers: Int)] = [:]
            for key in Set(asked.map(\.keyID)) {
                let use = memory.use(of: key)
                room[key] = (limits.idempotencyKeysPerDay - use.keys, limits.answersPerDay - use.answers)
            }
            if answers[Self.noAnswer] == nil {
                answers[Self.noAnswer] = memory.row(ofAnswer: Self.noAnswer)
            }
            var newBodies: Set<[UInt8]> = []
            var taken: Set<ScopedKey> = []
            // Admits keys in order of arrival.
            for (number, idempotencyKey) in idempotencyKeys.enumerated() {
                guard let idempotencyKey, firsts[idempotencyKey] == number, stored[idempotencyKey] == nil
                else { continue }
                guard var left = room[idempotencyKey.keyID], left.keys > 0 else {
                    unstored.insert(idempotencyKey)
                    continue
                }
                left.keys -= 1
                let body = submissions[number].answer
                if answers[body] == nil, !newBodies.contains(body) {
                    if left.answers > 0 {
                        left.answers -= 1
                        newAnswers[idempotencyKey.keyID, default: 0] += 1
                        newBodies.insert(body)
                    } else if answers[Self.noAnswer] == nil {
                        newBodies.insert(Self.noAnswer)
                    }
                }
                room[idempotencyKey.keyID] = left
                taken.insert(idempotencyKey)
            }
            if !newBodies.isEmpty {
                let bodies = Array(newBodies)
                let rows = try connection.run([
                    IdempotencyCache.insert(bodies, day: day), IdempotencyCache.answers(bodies, day: day),
                ])
                add(rows[1], of: bodies, &memory)
            }
            return asked.filter { taken.contains($0) }
        }

        private mutating func add(_ rows: Rows, of bodies: [[UInt8]], _ memory: inout IdempotencyCache) {
            for row in rows {
                let body = bodies[row.int(0) - 1]
                answers[body] = row.int64(1)
                memory.remember(row.int64(1), ofAnswer: body)
            }
        }

        private mutating func read(_ idempotencyKeys: [ScopedKey], on connection: PostgreSQLConnection)
            throws(StoreError)
        {
            guard !idempotencyKeys.isEmpty else { return }
            let rows = try connection.run(
                Query(
                    """
                    select i.key_id, i.key, i.hash, a.body
                    from unnest($1::bigint[], $2::bytea[]) as asked (key_id, key)
                    join idempotency i on i.key_id = asked.key_id and i.key = asked.key and i.at > $3::bigint
                    join answer a on a.id = i.answer
                    """, .integers(idempotencyKeys.map(\.keyID)), .byteArrays(idempotencyKeys.map(\.key)),
                    .integer(keyStart)))
            for row in rows {
                stored[ScopedKey(keyID: row.int64(0), key: row.bytes(1))] = Stored(
                    hash: row.bytes(2), answer: row.bytes(3))
            }
        }

        /// Throws if a key was neither written nor read: it was there, and expired in between by the clock of another collector. A
        /// retry determines the outcome.
        private func checkRead(_ idempotencyKeys: [ScopedKey], _ connection: PostgreSQLConnection)
            throws(StoreError)
        {
            guard idempotencyKeys.contains(where: { stored[$0] == nil }) else { return }
            throw StoreError(
                .locked, "database \(connection.name): an idempotency key expired while it was looked up")
        }

        /// The receipt of each submission.
        var receipts: [Receipt] {
            submissions.indices.map { number in
                guard let idempotencyKey = idempotencyKeys[number], let first = firsts[idempotencyKey],
                    !unstored.contains(idempotencyKey)
                else { return .counted }
                if inserted.contains(idempotencyKey) {
                    if number == first { return .counted }
                    return hasSameBody(number, as: hash(of: first))
                        ? .repeated(answer: submissions[first].answer) : .keyReused
                }
                guard let known = stored[idempotencyKey], hasSameBody(number, as: known.hash) else {
                    return .keyReused
                }
                return .repeated(answer: known.answer)
            }
        }

        /// The indices of submissions that count, but whose repeats will not be recognized.
        var forgotten: Set<Int> {
            Set(submissions.indices.filter { idempotencyKeys[$0].map { unstored.contains($0) } ?? false })
        }

        /// Returns the number of idempotency keys of one ingest key.
        private func keyCount(ofIngestKey key: Int64) -> Int { firsts.keys.count { $0.keyID == key } }

        private func answer(to idempotencyKey: ScopedKey) -> [UInt8] {
            submissions[firsts[idempotencyKey] ?? 0].answer
        }

        private func hash(of number: Int) -> [UInt8] {
            submissions[number].idempotency?.bodyHash ?? []
        }

        private func hasSameBody(_ number: Int, as hash: [UInt8]) -> Bool {
            submissions[number].idempotency?.hasSameBody(as: hash) ?? false
        }

        private func hash(ofFirst idempotencyKey: ScopedKey) -> [UInt8] {
            hash(of: firsts[idempotencyKey] ?? 0)
        }
    }
#endif

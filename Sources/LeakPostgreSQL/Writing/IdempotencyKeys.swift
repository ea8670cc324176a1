#if PostgreSQL
    internal import LeakStore

    /// The idempotency keys of one transaction. They decide which submissions count, and which were counted before.
    struct IdempotencyKeys {
        /// Stored in place of the answer to a batch if the ingest key has reached its daily limit of answers. The answer to a
        /// repeat of such a batch says only that the batch was counted.
        private static let noAnswer: [UInt8] = []

        /// An idempotency key of one ingest key. The same idempotency key of another ingest key is a different key.
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
        private let firstIndexes: [ScopedKey: Int]
        /// ``StoreClock/newKeyTime``.
        private let newKeyTime: Int64
        /// Keys that were stored at this time or before it have expired.
        private let keyStart: Int64
        let day: Int
        /// Keys that this transaction writes.
        private(set) var insertedKeys: Set<ScopedKey> = []
        /// Keys that are not stored, because their ingest key has reached its limit for the day.
        private var unstoredKeys: Set<ScopedKey> = []
        private var storedEntries: [ScopedKey: Stored] = [:]
        /// Rows of `answer`, by body.
        private var answers: [[UInt8]: Int64] = [:]
        /// Number of answers that were not stored before, by ingest key.
        private(set) var newAnswerCounts: [Int64: Int] = [:]

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
            var firstIndexes: [ScopedKey: Int] = [:]
            for (number, idempotencyKey) in idempotencyKeys.enumerated() {
                if let idempotencyKey, firstIndexes[idempotencyKey] == nil {
                    firstIndexes[idempotencyKey] = number
                }
            }
            self.idempotencyKeys = idempotencyKeys
            self.firstIndexes = firstIndexes
        }

        /// Writes the keys that are new, up to the limit per ingest key and day.
        ///
        /// If two collectors write the same key at the same time, the second collector waits here until the first has committed,
        /// and then finds the key.
        ///
        /// - Parameter openingQueries: queries that begin the transaction.
        mutating func write(
            after openingQueries: [Query], on connection: PostgreSQLConnection, limits: StoreLimits,
            _ cache: inout IdempotencyCache
        ) throws(StoreError) {
            var openingQueries = openingQueries
            var requestedKeys = firstIndexes.keys.sorted(by: ScopedKey.precedes)
            let keys = Set(requestedKeys.map(\.keyID))
            let bodies = Array(Set(requestedKeys.map { answer(to: $0) }))
            if cache.day != day { cache = IdempotencyCache(day: day) }
            for body in bodies { answers[body] = cache.rowID(ofResponse: body) }
            let hasRoom = keys.allSatisfy { cache.hasRoom(for: keyCount(ofIngestKey: $0), of: $0, limits) }
            if !hasRoom || answers.count < bodies.count {
                let rows = try connection.run(
                    openingQueries + [
                        IdempotencyCache.usesQuery(of: keys, day: day),
                        IdempotencyCache.answersQuery(bodies, day: day),
                    ])
                try Migration.requireKnownVersion(rows[1], connection)
                openingQueries = []
                cache.setUses(rows[3], keys: keys)
                add(rows[4], of: bodies, &cache)
                requestedKeys = try storableKeys(requestedKeys, on: connection, limits: limits, cache: &cache)
            }
            let hashes = requestedKeys.map { bodyHashOfFirstSubmission(with: $0) }
            let rows = try connection.run(
                openingQueries + [
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
                        """, .integers(requestedKeys.map(\.keyID)), .byteArrays(requestedKeys.map(\.key)),
                        .byteArrays(hashes), .integer(newKeyTime),
                        .integers(
                            requestedKeys.map { answers[answer(to: $0)] ?? answers[Self.noAnswer] ?? 0 }),
                        .integer(keyStart))
                ])
            if !openingQueries.isEmpty { try Migration.requireKnownVersion(rows[1], connection) }
            insertedKeys = Set((rows.last ?? rows[0]).map { ScopedKey(keyID: $0.int64(0), key: $0.bytes(1)) })
            let otherKeys = requestedKeys.filter { !insertedKeys.contains($0) }
            try read(otherKeys, on: connection)
            try requireStoredEntries(of: otherKeys, on: connection)
        }

        /// Returns the keys that are within the limits, and writes new answers. It is called only if there may be too many
        /// keys, or if the row ID of an answer is not cached.
        private mutating func storableKeys(
            _ requestedKeys: [ScopedKey], on connection: PostgreSQLConnection, limits: StoreLimits,
            cache: inout IdempotencyCache
        ) throws(StoreError) -> [ScopedKey] {
            try read(requestedKeys, on: connection)
            var remainingLimits: [Int64: (keys: Int, answers: Int)] = [:]
            for key in Set(requestedKeys.map(\.keyID)) {
                let use = cache.use(of: key)
                remainingLimits[key] = (
                    limits.idempotencyKeysPerDay - use.keys, limits.responsesPerDay - use.answers
                )
            }
            if answers[Self.noAnswer] == nil {
                answers[Self.noAnswer] = cache.rowID(ofResponse: Self.noAnswer)
            }
            var newBodies: Set<[UInt8]> = []
            var admittedKeys: Set<ScopedKey> = []
            // Admits keys in order of arrival.
            for (number, idempotencyKey) in idempotencyKeys.enumerated() {
                guard let idempotencyKey, firstIndexes[idempotencyKey] == number,
                    storedEntries[idempotencyKey] == nil
                else { continue }
                guard var remaining = remainingLimits[idempotencyKey.keyID], remaining.keys > 0 else {
                    unstoredKeys.insert(idempotencyKey)
                    continue
                }
                remaining.keys -= 1
                let body = submissions[number].response
                if answers[body] == nil, !newBodies.contains(body) {
                    if remaining.answers > 0 {
                        remaining.answers -= 1
                        newAnswerCounts[idempotencyKey.keyID, default: 0] += 1
                        newBodies.insert(body)
                    } else if answers[Self.noAnswer] == nil {
                        newBodies.insert(Self.noAnswer)
                    }
                }
                remainingLimits[idempotencyKey.keyID] = remaining
                admittedKeys.insert(idempotencyKey)
            }
            if !newBodies.isEmpty {
                let bodies = Array(newBodies)
                let rows = try connection.run([
                    IdempotencyCache.insertion(of: bodies, day: day),
                    IdempotencyCache.answersQuery(bodies, day: day),
                ])
                add(rows[1], of: bodies, &cache)
            }
            return requestedKeys.filter { admittedKeys.contains($0) }
        }

        private mutating func add(_ rows: Rows, of bodies: [[UInt8]], _ cache: inout IdempotencyCache) {
            for row in rows {
                let body = bodies[row.int(0) - 1]
                answers[body] = row.int64(1)
                cache.remember(row.int64(1), ofResponse: body)
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
                storedEntries[ScopedKey(keyID: row.int64(0), key: row.bytes(1))] = Stored(
                    hash: row.bytes(2), answer: row.bytes(3))
            }
        }

        /// Throws if a key was neither written nor read: it was there, and expired in between by the clock of another collector. A
        /// retry determines the outcome.
        private func requireStoredEntries(
            of idempotencyKeys: [ScopedKey], on connection: PostgreSQLConnection
        )
            throws(StoreError)
        {
            guard idempotencyKeys.contains(where: { storedEntries[$0] == nil }) else { return }
            throw StoreError(
                .locked, "database \(connection.name): an idempotency key expired while it was looked up")
        }

        /// The receipt of each submission.
        var receipts: [Receipt] {
            submissions.indices.map { index in
                guard let idempotencyKey = idempotencyKeys[index], let first = firstIndexes[idempotencyKey],
                    !unstoredKeys.contains(idempotencyKey)
                else { return .counted }
                if insertedKeys.contains(idempotencyKey) {
                    if index == first { return .counted }
                    return hasSameBody(index, as: bodyHash(ofSubmissionAt: first))
                        ? .repeated(response: submissions[first].response) : .keyReused
                }
                guard let storedEntry = storedEntries[idempotencyKey],
                    hasSameBody(index, as: storedEntry.hash)
                else {
                    return .keyReused
                }
                return .repeated(response: storedEntry.answer)
            }
        }

        /// The indices of submissions that count, but whose repeats will not be recognized.
        var unrecognizedIndexes: Set<Int> {
            Set(submissions.indices.filter { idempotencyKeys[$0].map { unstoredKeys.contains($0) } ?? false })
        }

        /// Returns the number of different idempotency keys that one ingest key has in this transaction.
        private func keyCount(ofIngestKey key: Int64) -> Int { firstIndexes.keys.count { $0.keyID == key } }

        private func answer(to idempotencyKey: ScopedKey) -> [UInt8] {
            submissions[firstIndexes[idempotencyKey] ?? 0].response
        }

        private func bodyHash(ofSubmissionAt index: Int) -> [UInt8] {
            submissions[index].idempotency?.bodyHash ?? []
        }

        private func hasSameBody(_ index: Int, as hash: [UInt8]) -> Bool {
            submissions[index].idempotency?.hasSameBody(as: hash) ?? false
        }

        private func bodyHashOfFirstSubmission(with idempotencyKey: ScopedKey) -> [UInt8] {
            bodyHash(ofSubmissionAt: firstIndexes[idempotencyKey] ?? 0)
        }
    }
#endif

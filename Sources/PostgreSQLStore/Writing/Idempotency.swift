#if PostgreSQL
    internal import LeakStore

    extension Flush {
        /// Bytes of the body's SHA-256 that are kept: two bodies of one key agree in them once in 2^128.
        private static let hashBytes = 16

        private struct Claim: Hashable {
            var keyID: Int64
            var key: [UInt8]

            static func precedes(_ one: Claim, _ other: Claim) -> Bool {
                (one.keyID, 0) == (other.keyID, 0)
                    ? one.key.lexicographicallyPrecedes(other.key) : one.keyID < other.keyID
            }
        }

        private struct Known {
            var hash: [UInt8]
            var answer: [UInt8]
        }

        /// Writes the keys that are new, and says what becomes of each submission.
        ///
        /// Of two collectors that write one key at the same time the second waits here until the first has committed,
        /// and then finds it.
        func claimKeys(
            of submissions: [Submission], _ witness: Query, now: Int64
        ) throws(StoreError) -> [Receipt] {
            var firsts: [Claim: Int] = [:]
            let claims = submissions.map { submission in
                submission.idempotency.map {
                    Claim(keyID: submission.keyID, key: PackedKey.bytes(of: $0.key))
                }
            }
            for (number, claim) in claims.enumerated() {
                if let claim, firsts[claim] == nil { firsts[claim] = number }
            }
            let asked = firsts.sorted { Claim.precedes($0.key, $1.key) }
            let won = try insert(asked.map { ($0.key, submissions[$0.value]) }, witness, now: now)
            let lost = asked.map(\.key).filter { !won.contains($0) }
            let known = lost.isEmpty ? [:] : try stored(lost)

            return submissions.indices.map { number in
                guard let claim = claims[number], let first = firsts[claim] else { return .counted }
                let hash = Self.hash(of: submissions[number])
                if won.contains(claim) {
                    if number == first { return .counted }
                    return hash == Self.hash(of: submissions[first])
                        ? .repeated(answer: submissions[first].answer) : .keyReused
                }
                guard let known = known[claim], known.hash == hash else { return .keyReused }
                return .repeated(answer: known.answer)
            }
        }

        private static func hash(of submission: Submission) -> [UInt8] {
            Array((submission.idempotency?.bodyHash ?? []).prefix(hashBytes))
        }

        private func insert(
            _ claims: [(claim: Claim, submission: Submission)], _ witness: Query, now: Int64
        ) throws(StoreError) -> Set<Claim> {
            let start = now - Int64(Retention.idempotencyDays) * Calendar.dayMilliseconds
            let rows = try connection.run([
                Migration.sharedLock, Migration.version, witness,
                Query(
                    """
                    insert into idempotency as known (key_id, key, hash, at, answer)
                    select new.key_id, new.key, new.hash, $4::bigint, new.answer
                    from unnest($1::bigint[], $2::bytea[], $3::bytea[], $5::bytea[])
                      as new (key_id, key, hash, answer)
                    order by new.key_id, new.key
                    on conflict (key_id, key) do update
                    set hash = excluded.hash, at = excluded.at, answer = excluded.answer
                    where known.at <= $6::bigint
                    returning key_id, key
                    """, .integers(claims.map { $0.claim.keyID }), .byteArrays(claims.map { $0.claim.key }),
                    .byteArrays(claims.map { Self.hash(of: $0.submission) }), .integer(now),
                    .byteArrays(claims.map { $0.submission.answer }), .integer(start)),
            ])
            try Migration.found(rows[1], connection)
            return Set(rows[3].map { Claim(keyID: $0.int64(0), key: $0.bytes(1)) })
        }

        private func stored(_ claims: [Claim]) throws(StoreError) -> [Claim: Known] {
            let rows = try connection.run(
                Query(
                    """
                    select i.key_id, i.key, i.hash, i.answer
                    from unnest($1::bigint[], $2::bytea[]) as asked (key_id, key)
                    join idempotency i on i.key_id = asked.key_id and i.key = asked.key
                    """, .integers(claims.map(\.keyID)), .byteArrays(claims.map(\.key))))
            var known: [Claim: Known] = [:]
            for row in rows {
                known[Claim(keyID: row.int64(0), key: row.bytes(1))] = Known(
                    hash: row.bytes(2), answer: row.bytes(3))
            }
            return known
        }
    }
#endif

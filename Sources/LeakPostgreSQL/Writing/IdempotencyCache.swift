#if PostgreSQL
    internal import LeakStore

    /// A writer's cache for the idempotency keys of one day: the row IDs of answers, and how many keys, answers and bytes each
    /// ingest key has added.
    ///
    /// These counts are those of the last commit. Keys that other collectors have added since become known with the next
    /// commit, so that a few more keys than the limit may be stored for a day. The number of submissions whose keys are not
    /// stored is exact.
    struct IdempotencyCache {
        /// The numbers of keys and answers, and the bytes, that an ingest key has added on the day.
        struct Use {
            var keys = 0
            var answers = 0
            /// Bytes of new leaks, versions, builds and cells.
            var textBytes = 0
            var detailBytes = 0
        }

        let day: Int
        private var useByKeyID: [Int64: Use] = [:]
        private var answers = RecentCache<[UInt8], Int64>(capacity: 1_024)

        init(day: Int = 0) { self.day = day }

        func use(of key: Int64) -> Use { useByKeyID[key] ?? Use() }

        /// Returns the ingest keys whose use counts are not in the cache and must be read from the database.
        func unreadKeys(_ keys: some Sequence<Int64>) -> Set<Int64> {
            Set(keys.filter { useByKeyID[$0] == nil })
        }

        /// Returns `true` if `count` more keys are within the limit, as far as this cache shows.
        func hasRoom(for count: Int, of key: Int64, _ limits: StoreLimits) -> Bool {
            useByKeyID[key].map { $0.keys + count <= limits.idempotencyKeysPerDay } ?? false
        }

        mutating func rowID(ofResponse body: [UInt8]) -> Int64? { answers.value(of: body) }

        mutating func remember(_ rowID: Int64, ofResponse body: [UInt8]) {
            if answers.value(of: body) == nil { answers.insert(rowID, for: body) }
        }

        static func usesQuery(of keys: Set<Int64>, day: Int) -> Query {
            Query(
                """
                select key_id, keys, answers, text_bytes, detail_bytes from idempotency_use
                where day = $1::bigint and key_id = any($2::bigint[])
                """, .integer(day), .integers(keys.sorted()))
        }

        static func answersQuery(_ bodies: [[UInt8]], day: Int) -> Query {
            Query(
                """
                select asked.index, a.id from unnest($1::bytea[]) with ordinality as asked (body, index)
                join answer a on a.day = $2::bigint and a.body = asked.body
                """, .byteArrays(bodies), .integer(day))
        }

        static func insertion(of bodies: [[UInt8]], day: Int) -> Query {
            Query(
                """
                insert into answer (day, body) select $1::bigint, body from unnest($2::bytea[]) as new (body)
                order by body on conflict (day, body) do nothing
                """, .integer(day), .byteArrays(bodies))
        }

        /// Sets how many keys, answers and bytes each of some ingest keys has added.
        ///
        /// - Parameter rows: the answer to ``usesQuery(of:day:)``.
        mutating func setUses(_ rows: Rows, keys: Set<Int64>) {
            for key in keys { useByKeyID[key] = Use() }
            remember(rows)
        }

        /// Returns the query that counts what a transaction adds; `nil` if it adds nothing. The query runs before the details are
        /// written, because it compares them with the rows that exist.
        ///
        /// - Parameter textBytes: bytes of new texts and cells, by ingest key.
        func usageUpsert(
            _ idempotencyKeys: IdempotencyKeys, textBytes: [Int64: Int], details: Details,
            limits: StoreLimits
        ) -> Query? {
            let keys = Set(idempotencyKeys.insertedKeys.map(\.keyID)).union(textBytes.keys).union(
                details.keys
            )
            .sorted()
            guard !keys.isEmpty else { return nil }
            let (samples, values) = (details.samples, details.values)
            // One row for each class; the bytes of a class count once.
            let checks = details.checks.filter { $0.bytes > 0 }
            var addedKeyCounts: [Int64: Int] = [:]
            for idempotencyKey in idempotencyKeys.insertedKeys {
                addedKeyCounts[idempotencyKey.keyID, default: 0] += 1
            }
            return Query(
                """
                with growth as (
                  select key_id, sum(bytes)::bigint as bytes from (
                    select new.key_id, new.bytes - coalesce(\(Details.sampleBytesSQL), 0)
                    from unnest($6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[]) as new (key_id, leak, slot, bytes)
                    left join sample s on s.leak = new.leak and s.slot = new.slot
                    union all
                    \(Details.newValuesSQL(
                        columnsSQL: "new.key_id, new.bytes",
                        of: """
                            (select distinct on (leak, kind, value) * from
                              unnest($10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bigint[])
                                with ordinality as given (key_id, leak, kind, value, bytes, index)
                              order by leak, kind, value, index) as new
                            """,
                        leaksSQL: "$11::bigint[]", limitSQL: "\(ValueKind.limit)"))
                    union all
                    \(Details.newChecksSQL(
                        columnsSQL: "new.key_id, new.bytes",
                        of: "unnest($15::bigint[], $16::bigint[], $17::text[], $18::bigint[]) as new (key_id, build, class, bytes)",
                        buildsSQL: "$16::bigint[]", limitSQL: "$19::bigint"))
                  ) as detail (key_id, bytes) group by key_id
                )
                insert into idempotency_use as known (day, key_id, keys, answers, text_bytes, detail_bytes)
                select $1::bigint, new.key_id, keys, answers, text_bytes, greatest(coalesce(growth.bytes, 0), 0)
                from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                  as new (key_id, keys, answers, text_bytes) left join growth on growth.key_id = new.key_id
                order by new.key_id
                on conflict (day, key_id) do update set keys = known.keys + excluded.keys,
                  answers = known.answers + excluded.answers, text_bytes = known.text_bytes + excluded.text_bytes,
                  detail_bytes = greatest(known.detail_bytes
                    + coalesce((select bytes from growth where growth.key_id = excluded.key_id), 0), 0)
                returning key_id, keys, answers, text_bytes, detail_bytes
                """, .integer(idempotencyKeys.day), .integers(keys),
                .integers(keys.map { addedKeyCounts[$0] ?? 0 }),
                .integers(keys.map { idempotencyKeys.newAnswerCounts[$0] ?? 0 }),
                .integers(keys.map { textBytes[$0] ?? 0 }), .integers(samples.map(\.candidate.key)),
                .integers(samples.map(\.leakRowID)), .integers(samples.map(\.candidate.slot)),
                .integers(samples.map(\.bytes)), .integers(values.map(\.aggregatedValue.key)),
                .integers(values.map(\.leakRowID)), .integers(values.map(\.aggregatedValue.kind.rawValue)),
                .texts(values.map(\.aggregatedValue.text)), .integers(values.map(\.bytes)),
                .integers(checks.map(\.keys[0])), .integers(checks.map(\.row.owner)),
                .texts(checks.map(\.row.name)), .integers(checks.map(\.bytes)),
                .integer(limits.checkClassesPerBuild))
        }

        /// - Parameter rows: ingest keys, each with how many keys, answers and bytes it has added, as committed.
        mutating func remember(_ rows: Rows) {
            for row in rows {
                useByKeyID[row.int64(0)] = Use(
                    keys: row.int(1), answers: row.int(2), textBytes: row.int(3), detailBytes: row.int(4))
            }
        }
    }
#endif

#if PostgreSQL
    internal import LeakStore

    extension Writer {
        /// Drops the reports of a leak from now on, in a transaction that locks the app.
        ///
        /// - Returns: `false` if there is no such leak.
        func discard(
            _ id: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    Query(
                        """
                        select id from app where id = (select app from leak where key = any($1::uuid[])) for no key update
                        """, .uuids([id])),
                    // Read after the lock, so that the leak does not change any more.
                    Query(
                        """
                        select l.id, l.app, a.name, t.title, coalesce(t.module, ''),
                          (select count(*) from discarded_leak where app = l.app), \(DiscardedLeak.addedIDCountSQL)
                        from leak l join app a on a.id = l.app join leak_text t on t.leak = l.id
                        where l.key = any($1::uuid[])
                        """, .uuids([id])),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                guard let row = answers[3].first, answers[2].first != nil else {
                    try connection.run(Query("commit"))
                    return false
                }
                guard id.high != 0, row.text(2) != StoreLimits.other else {
                    throw StoreError.collectiveLeakDiscarded
                }
                let (idCount, addedCount) = (row.int(5), row.int(6))
                guard addedCount == 0 || idCount + addedCount <= DiscardedLeak.maxPerApp else {
                    throw StoreError.tooManyDiscardedLeaks(of: row.text(2))
                }
                _ = try connection.run(
                    [
                        Query(
                            """
                            insert into discarded_leak (key, leak, app, title, module, by, at)
                            select key, ($1::uuid[])[1], $2::bigint, $3::text,
                              coalesce((select coalesce(nullif(module, ''), $8::text) from leak_merge where source = key),
                                $4::text), $5::text, $6::bigint
                            from (select ($1::uuid[])[1] as key
                              union select key from merged_leak where leak = $7::bigint) as ids
                            on conflict (key) do nothing
                            """, .uuids([id]), .integer(row.int64(1)), .text(row.text(3)), .text(row.text(4)),
                            .text(author), .integer(now), .integer(row.int64(0)),
                            .text(MergedIDs.unknownModule)),
                        InstallErasure.cacheInvalidation,
                    ] + (entry?.queries ?? []) + [Query("commit")])
                return true
            } catch {
                connector.reset()
                throw error
            }
        }

        /// Counts the reports of a discarded leak again, from now on.
        ///
        /// - Returns: `false` if no such leak is discarded.
        func accept(_ id: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    // Transactions that count reports also lock the app, and read `erasure.count` after that.
                    Query(
                        """
                        select id from app where id in (select app from discarded_leak where key = any($1::uuid[])
                          or leak = any($1::uuid[])) order by id for no key update
                        """, .uuids([id])),
                    Query(
                        """
                        delete from discarded_leak where key = any($1::uuid[])
                          or leak = coalesce((select leak from discarded_leak where key = any($1::uuid[])), ($1::uuid[])[1])
                        """, .uuids([id])),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                let isAccepted = answers[3].changedRowCount > 0
                _ = try connection.run(
                    (isAccepted ? [InstallErasure.cacheInvalidation] + (entry?.queries ?? []) : [])
                        + [Query("commit")])
                return isAccepted
            } catch {
                connector.reset()
                throw error
            }
        }
    }

    /// The ids of the discarded leaks and of the leaks that were merged by hand, as a writer last read them, with the value of
    /// `erasure.count` then.
    struct CachedLeakIDs {
        var discards = DiscardedIDs()
        var merges = MergedIDs()
        /// ``ExistingRows/cacheGeneration``. Discarding a leak, accepting it again, merging by hand, undoing that, and a merge by
        /// rule of a leak with such merges increment it.
        var cacheGeneration: Int64 = 0

        /// The queries of ``init(on:)``. The generation is read first, so that it is not newer than the ids.
        private static let queries = [
            InstallErasure.generationQuery, Query("select key, module from discarded_leak"),
            Query(MergedIDs.stored),
        ]

        init(on connection: PostgreSQLConnection) throws(StoreError) {
            let answers = try connection.run(Self.queries)
            cacheGeneration = answers[0].first?.int64(0) ?? 0
            for row in answers[1] {
                guard let id = LeakID(blob: row.bytes(0)) else {
                    throw .unreadable("a discarded leak", in: connection.name)
                }
                discards.add(id, module: row.text(1))
            }
            merges = try answers[2].result(of: MergedIDs.stored)
        }

        /// Returns `true` if both have the same ids, whatever their ``cacheGeneration``.
        func hasSameIDs(as other: CachedLeakIDs) -> Bool {
            discards == other.discards && merges == other.merges
        }

        /// Returns the query that adds dropped reports to the numbers of their discarded leaks; `nil` if there are none.
        static func droppedUpdate(_ counts: [LeakID: Int]) -> Query? {
            guard !counts.isEmpty else { return nil }
            let rows = counts.sorted { $0.key < $1.key }
            return Query(
                """
                update discarded_leak d set dropped = least(d.dropped + new.count, LARGEST_TOTAL)
                from unnest($1::uuid[], $2::bigint[]) as new (key, count) where d.key = new.key
                """, .uuids(rows.map(\.key)), .integers(rows.map(\.value)))
        }
    }
#endif

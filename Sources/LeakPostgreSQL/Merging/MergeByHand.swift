#if PostgreSQL
    internal import LeakStore

    // Merging leaks by hand, and undoing it, in PostgreSQL.
    extension PostgreSQLConnection: MergeConnection {
        @discardableResult
        func change(_ sql: SQLText, _ values: StoreValue...) throws(StoreError) -> Int {
            try run(Query(sql.text, values.map { Parameter($0) })).changedRowCount
        }

        func insert(_ rows: [[PortableValue]], into table: PortableTable) throws(StoreError) {
            for start in stride(from: 0, to: rows.count, by: TableLoad.rowsPerBatch) {
                let batch = rows[start..<min(start + TableLoad.rowsPerBatch, rows.count)]
                try run(TableLoad.insertion(of: Array(batch), into: table))
            }
        }

        static var buildCountsSQL: String {
            """
            select p.build, b.release, p.reports, p.freed, p.buckets, i.members
            from leak_build p join build b on b.id = p.build
            left join install_set i on i.scope = 1 and i.owner = p.leak and i.part = p.build
            where p.leak = $1::bigint
            """
        }

        static var recentInstallsSQL: String {
            "select release, day, members from recent_install_set where leak = $1::bigint"
        }

        func deleteCounts(of leak: Int64) throws(StoreError) {
            let tables = [
                "recent_install_set", "leak_release", "leak_build", "leak_hour", "leak_day", "leak_value",
                "leak_lived", "sample",
            ]
            _ = try run(
                [
                    LastHours.countQuery(.integers([Optional(leak)]), sign: -1),
                    Query(
                        "delete from install_set where scope between 0 and 2 and owner = $1::bigint",
                        .integer(leak)),
                ] + tables.map { Query("delete from \($0) where leak = $1::bigint", .integer(leak)) })
        }

        func insertInstalls(of contents: LeakContents, leak: Int64) throws(StoreError) {
            let empty = InstallSet()
            var sets: [(scope: InstallScope, set: InstallSet)] = [(.leak(rowID: leak), contents.installs)]
            var recentSets: [RecentInstallSet] = []
            for (id, release) in contents.releases {
                sets.append((.leakRelease(leak: leak, release: id), release.installs))
                for (build, counts) in release.builds {
                    sets.append((.leakBuild(leak: leak, build: build), counts.installs))
                }
                var recent = RecentInstallSet(key: .init(leak: leak, release: id))
                (recent.installs, recent.day) = (release.recentInstalls, release.recentDay)
                if !recent.installs.isEmpty { recentSets.append(recent) }
            }
            let stored = sets.filter { $0.set != empty }.map { (row: $0.scope.row, members: $0.set.bytes) }
            _ = try run([.setsUpsert(stored)] + RecentInstallSet.upsertQueries(of: recentSets))
        }

        func deriveColumns(ofLeaks leaks: [Int64]) throws(StoreError) {
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            var queries = [
                DerivedColumns.leakBuilds.update(of: leaks), DerivedColumns.impact.update(of: leaks),
                Query(
                    """
                    update leak l set
                      last_hour = greatest((select max(hour) from leak_hour where leak = l.id and reports > 0),
                        (select max(day) * 24 from leak_day where leak = l.id and reports > 0)),
                      first_sample = coalesce((select at from sample where leak = l.id and slot = $2::bigint),
                        case when sightings > 0 then first_seen end),
                      newest_sample = (select at from sample where leak = l.id and slot = $3::bigint)
                    where l.id = any($1::bigint[])
                    """, rowIDs, .integer(SampleSlot.first), .integer(SampleSlot.newest)),
            ]
            for leak in leaks {
                queries.append(.messageUpdate(of: leak))
                queries += RunningCounts.rebuildQueries(leak, without: leak)
            }
            queries.append(LastHours.countQuery(rowIDs, sign: 1))
            _ = try run(queries)
        }
    }

    extension Writer {
        /// Merges a leak into another leak by hand, in a transaction that locks the app.
        func mergeByHand(
            _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> ManualMerge? {
            let lock = Query(
                """
                select id from app where id = (select app from leak where key = any($1::uuid[])) for no key update
                """, .uuids([source]))
            return try changeMerges(lock: lock, audit: entry) {
                connection throws(StoreError) -> ManualMerge? in
                guard let pair = try connection.pair(merging: source, into: target) else { return nil }
                let number = try connection.save(pair, by: author, at: now)
                let (sources, stored) = try Self.parts(
                    connection.run(Self.partsQuery([pair.sourceID, pair.targetID])), of: pair.targetID,
                    app: pair.appKey, on: connection)
                guard let part = sources.first, let into = stored else {
                    throw .unreadable("a leak", in: connection.name)
                }
                let reportsByRelease = try Self.reportsAtDecision(of: [part, into], on: connection)
                _ = try connection.run(Self.mergedPartsQueries([part], in: into.leakRowID, at: now))
                try LeakMerger(
                    source: part.leakRowID, target: into.leakRowID, seed: reservoir.seed ^ part.id.low,
                    sourceReceivedReports: part.sightings, targetReceivedReports: into.sightings
                ).merge(on: connection)
                let merge = ManualMerge(
                    number: number, app: pair.appKey, source: pair.sourceID, sourceTitle: pair.title,
                    target: pair.targetID, reports: pair.reports, by: author, at: now)
                _ = try connection.run(
                    Self.decisionQueries(of: [part, into], reportsByRelease, in: into.leakRowID)
                        + Self.noteQueries(merge.note, to: into.leakRowID, by: author, now: now))
                return merge
            }
        }

        /// Undoes a merge by hand, in a transaction that locks the app.
        func undoMerge(
            _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> UndoneMerge? {
            let today = Calendar.day(of: try clock(at: now, on: connector.open()).expiryTime)
            let lock = Query(
                "select id from app where id = (select app from leak_merge where id = $1::bigint) for no key update",
                .integer(number))
            return try changeMerges(lock: lock, audit: entry) {
                connection throws(StoreError) -> UndoneMerge? in
                guard let (undone, leaks) = try connection.undoMerge(number, today: today) else {
                    return nil
                }
                // The restored counts by day may be older than days that were combined since the merge.
                combinedDaysBefore = nil
                for leak in leaks {
                    _ = try connection.run(Self.noteQueries(undone.note, to: leak, by: author, now: now))
                }
                return undone
            }
        }

        /// - Parameters:
        ///   - lock: locks the app whose leaks `body` changes.
        ///   - body: reads the rows after the lock, so that other collectors cannot change them, and then changes them. Returns
        ///     `nil` if it changed nothing.
        private func changeMerges<Result>(
            lock: Query, audit entry: AuditEntry?,
            _ body: (PostgreSQLConnection) throws(StoreError) -> Result?
        ) throws(StoreError) -> Result? {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([Migration.sharedLockQuery, Migration.versionQuery, lock])
                try Migration.requireKnownVersion(answers[1], connection)
                let result = try answers[2].first == nil ? nil : body(connection)
                let changes =
                    [InstallErasure.deletionMark, InstallErasure.cacheInvalidation] + (entry?.queries ?? [])
                _ = try connection.run((result == nil ? [] : changes) + [Query("commit")])
                return result
            } catch {
                connector.reset()
                throw error
            }
        }

        static func noteQueries(
            _ text: String, to leak: Int64, by author: String, now: Int64
        ) throws(StoreError) -> [Query] {
            let note = try Decision(.note, note: text, by: author).validated(now: now)
            return [
                Query(
                    """
                    insert into decision (leak, at, by, kind, note)
                    values ($1::bigint, $2::bigint, $3::text, 'note', $4::text)
                    """, .integer(leak), .integer(now), .text(note.by), .text(note.note)),
                oldDecisionsDeletion(about: leak),
            ]
        }
    }
#endif

#if PostgreSQL
    internal import LeakStore

    extension Writer {
        /// Maximum number of ten-minute slots that one step adds to their days. Each has a set of installs of up to 2 KiB.
        static let maxSlotsPerStep = 100

        /// Adds ten-minute slots to their days once the last 24 hours do not need them any more. The erasure of an install may
        /// run at the same time. It searches slots before days, so that it finds the install in a day if it did not find it in
        /// a slot.
        ///
        /// - Returns: `true` if no slot is left to move.
        func expireTenMinuteSlots(now: Int64) throws(StoreError) -> Bool {
            try changeApps(
                of: Query(
                    "select app, slot from app_slot where slot < $1::bigint order by slot, app limit $2::bigint",
                    .integer(SlotWindow.oldestKept(now: now)), .integer(Self.maxSlotsPerStep))
            ) { expiredRows, connection throws(StoreError) in
                let slots = try connection.run(Self.slotsDeletion(expiredRows))
                try Self.add(
                    Days(of: slots, from: Retention.firstAppDay(now: now), connection), on: connection)
                return slots.count < Self.maxSlotsPerStep
            }
        }

        /// Deletes days that no query reads any more, because they are too old.
        ///
        /// - Returns: `true` if no day is left to delete.
        func expireDays(now: Int64) throws(StoreError) -> Bool {
            try changeApps(
                of: Query(
                    "select app, day from app_day where day < $1::bigint limit $2::bigint",
                    .integer(Retention.firstAppDay(now: now)),
                    .integer(Self.maxRowsPerStep))
            ) { expiredRows, connection throws(StoreError) in
                let days = try connection.run(
                    Query(
                        """
                        with \(Self.lockedRowsClause(table: "app_day", timeColumn: "day")),
                          sets as (
                            delete from install_set i using held h
                            where i.scope = $3::bigint and i.owner = h.app and i.part = h.day)
                        delete from app_day a using held h where a.app = h.app and a.day = h.day
                        """, .integers(expiredRows.map { $0.int64(0) }),
                        .integers(expiredRows.map { $0.int64(1) }),
                        .integer(InstallScope.day(app: 0, day: 0).row.scope)))
                return days.changedRowCount < Self.maxRowsPerStep
            }
        }

        /// Runs a transaction that locks the apps of some rows, as transactions that count reports do: `body` sees everything
        /// that other collectors have committed before, and no install is erased while it runs.
        ///
        /// - Parameter rows: query for the rows, with the app in the first column.
        /// - Returns: the result of `body`.
        func changeApps(
            of rows: Query, _ body: (Rows, PostgreSQLConnection) throws(StoreError) -> Bool
        ) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                try Migration.requireKnownVersion(
                    connection.run([Migration.sharedLockQuery, Migration.versionQuery])[1], connection)
                let expiredRows = try connection.run(rows)
                try connection.run(
                    Query(
                        "select id from app where id = any($1::bigint[]) order by id for no key update",
                        .integers(expiredRows.map { $0.int64(0) })))
                let isDone = try body(expiredRows, connection)
                try connection.run(Query("commit"))
                return isDone
            } catch {
                connector.reset()
                throw error
            }
        }

        /// Returns an SQL clause `held` that locks and selects the rows for the apps `$1` and the times `$2`. It leaves out
        /// rows that no longer exist, and rows that another transaction has locked.
        private static func lockedRowsClause(table: String, timeColumn: String) -> String {
            """
            held as (
              select t.app, t.\(timeColumn) from unnest($1::bigint[], $2::bigint[]) as asked (app, time)
              join \(table) t on t.app = asked.app and t.\(timeColumn) = asked.time for update of t skip locked)
            """
        }

        /// Returns the query that deletes ten-minute slots with their sets, and selects them.
        private static func slotsDeletion(_ slots: Rows) -> Query {
            Query(
                """
                with \(lockedRowsClause(table: "app_slot", timeColumn: "slot")),
                  gone as (
                    delete from app_slot s using held h where s.app = h.app and s.slot = h.slot
                    returning s.app, s.slot, s.reports),
                  sets as (
                    delete from install_set i using held h
                    where i.scope = $3::bigint and i.owner = h.app and i.part = h.slot
                    returning i.owner, i.part, i.members)
                select gone.app, gone.slot, gone.reports, sets.members
                from gone left join sets on sets.owner = gone.app and sets.part = gone.slot
                """, .integers(slots.map { $0.int64(0) }), .integers(slots.map { $0.int64(1) }),
                .integer(InstallScope.slot(app: 0, slot: 0).row.scope))
        }

        private static func add(_ days: Days, on connection: PostgreSQLConnection) throws(StoreError) {
            guard !days.keys.isEmpty else { return }
            var sets = days.keys.map { days.parts[$0]?.installs ?? InstallSet() }
            let stored = try connection.run(
                Query(
                    """
                    select asked.index, i.members
                    from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (app, day, index)
                    join install_set i on i.scope = $3::bigint and i.owner = asked.app and i.part = asked.day
                    """, .integers(days.keys.map(\.app)), .integers(days.keys.map(\.day)),
                    .integer(InstallScope.day(app: 0, day: 0).row.scope)))
            for row in stored {
                guard let set = InstallSet(bytes: row.bytes(1)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                sets[row.int(0) - 1].merge(set)
            }
            let nonEmptySets = zip(days.keys, sets).filter { $1 != InstallSet() }
            _ = try connection.run([
                .dayReportsUpsert(
                    days.keys.map { (app: $0.app, day: $0.day, reports: days.parts[$0]?.reports ?? 0) }),
                .setsUpsert(
                    nonEmptySets.map {
                        (row: InstallScope.day(app: $0.app, day: $0.day).row, members: $1.bytes)
                    }),
            ])
        }
    }

    /// Ten-minute slots grouped by day.
    private struct Days {
        struct Key: Hashable, Comparable {
            var app: Int64
            var day: Int64

            static func < (one: Self, other: Self) -> Bool { (one.app, one.day) < (other.app, other.day) }
        }

        private(set) var parts: [Key: (reports: Int, installs: InstallSet)] = [:]
        let keys: [Key]

        /// - Parameter first: the first day; ten-minute slots of earlier days are discarded.
        init(of slots: Rows, from first: Int, _ connection: PostgreSQLConnection) throws(StoreError) {
            for row in slots {
                let day = Calendar.day(ofSlot: row.int(1))
                guard day >= first else { continue }
                let key = Key(app: row.int64(0), day: Int64(day))
                var part = parts[key] ?? (0, InstallSet())
                part.reports.addBounded(row.int(2))
                if !row.isNull(3) {
                    guard let set = InstallSet(bytes: row.bytes(3)) else {
                        throw .unreadable("a set of installs", in: connection.name)
                    }
                    part.installs.merge(set)
                }
                parts[key] = part
            }
            keys = parts.keys.sorted()
        }
    }
#endif

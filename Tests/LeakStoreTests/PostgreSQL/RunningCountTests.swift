import LeakSeededRandom

#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Lists of a period, and the running counts from which they are read: the reports of a leak before each hour and before
    /// each day. Also verification and expiry of these and of other counts.
    @Suite struct RunningCountTests {
        let schema: DatabaseSchema
        let directory = TemporaryDirectory()

        init() throws {
            schema = try DatabaseSchema()
        }

        private func query(_ period: Period, _ sort: LeakQuery.Sort = .reports) -> LeakQuery {
            var query = LeakQuery()
            (query.period, query.sort, query.limit) = (period, sort, 200)
            return query
        }

        /// All sort orders except the order by reports of 14 days, which adds up the days of each leak.
        private static let sorts = LeakQuery.Sort.allCases.filter { $0 != .recent }

        private func fill(_ store: any Store) throws {
            for days in [120, 60, 20, 9, 5, 1, 0] as [Int64] {
                let reports = (0..<40).map {
                    Report(
                        leak: leak("L\($0)"), at: noon - days * day - Int64($0 % 20) * hour,
                        count: $0 + 1)
                }
                _ = try store.count([submission(reports)], now: noon)
            }
        }

        /// Returns how often a query scans the tables that have one row for each hour or each day of a leak.
        private func scans(of query: LeakQuery, _ connection: PostgreSQLConnection) throws -> Int {
            let leakStates = LeakStates(known: KnownLeakRows(), decided: [], now: noon)
            let selection = FilteredList(query, leakStates, now: noon)
            connection.begin("begin")
            let rows = try connection.run(selection.page(after: nil, from: nil, limit: 51))
            #expect(rows.count == 40)
            let scans = try connection.run(
                Query(
                    """
                    select coalesce(sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)), 0)::bigint
                    from pg_stat_xact_user_tables
                    where schemaname = current_schema() and relname in ('leak_day', 'leak_hour')
                    """)
            ).first?.int(0)
            try connection.run(Query("rollback"))
            return try #require(scans)
        }

        @Test(arguments: Period.allCases)
        func `a list of a period is read without the tables of hourly and daily counts`(period: Period)
            throws
        {
            try fill(try PostgreSQLStore(address: schema.address, clock: .unguarded))
            let connection = try PostgreSQLConnection(to: schema.address)
            for sort in Self.sorts {
                #expect(try scans(of: query(period, sort), connection) == 0)
            }
        }

        @Test(arguments: Period.allCases.filter { $0 != .day })
        func `a list of a version in a period is read without the tables of hourly and daily counts`(
            period: Period
        ) throws {
            try fill(try PostgreSQLStore(address: schema.address, clock: .unguarded))
            let connection = try PostgreSQLConnection(to: schema.address)
            for sort in Self.sorts {
                var query = query(period, sort)
                query.version = "1.0"
                #expect(try scans(of: query, connection) == 0)
            }
        }

        @Test
        func
            `a migration computes missing running counts; without running counts, lists show the same numbers`()
            throws
        {
            try fill(try PostgreSQLStore(address: schema.address, clock: .unguarded))
            let connection = try PostgreSQLConnection(to: schema.address)
            let reader = try PostgreSQLStore(address: schema.address).makeReader()
            let before = try Period.allCases.map { try reader.leaks(query($0), now: noon).reports }
            for counts in [RunningCounts.days, .hours] {
                try connection.run(Query("drop table \(counts.table)"))
            }
            try connection.run(Query("update schema_version set version = 4"))
            for statement in PastSchema.without20 + [PastSchema.createReleaseCheckSQL] {
                try connection.run(Query(statement))
            }
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try store.verify() == [])
            for period in Period.allCases { #expect(try scans(of: query(period), connection) == 0) }
            #expect(
                try Period.allCases.map { try store.makeReader().leaks(query($0), now: noon).reports }
                    == before)
            // Without running counts, the same numbers are added up from hourly and daily counts.
            for counts in [RunningCounts.days, .hours] {
                try connection.run(Query("delete from \(counts.table)"))
            }
            #expect(
                try Period.allCases.map { try store.makeReader().leaks(query($0), now: noon).reports }
                    == before)
        }

        @Test func `verify finds a wrong running count`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            #expect(try store.verify() == [])
            let connection = try PostgreSQLConnection(to: schema.address)
            try connection.run(Query("update leak_day_running set before[2] = before[2] + 1 where leak = 3"))
            #expect(
                try store.verify() == [
                    "reports of a leak before each of its days are its total without the reports since then: not true for 1 row"
                ])
        }

        @Test(arguments: Period.allCases, ["leak", "leak_release"])
        func `verify finds a wrong count of the reports before a period`(period: Period, table: String)
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            let connection = try PostgreSQLConnection(to: schema.address)
            let (before, oldest) = (PeriodColumns.beforeColumn(period), PeriodColumns.oldestColumn(period))
            for (fault, mend) in [
                ("\(before) = \(before) + 1", "\(before) = \(before) - 1"),
                ("\(before) = \(before) - 1", "\(before) = \(before) + 1"),
                ("\(oldest) = \(oldest) + 1", "\(oldest) = \(oldest) - 1"),
            ] {
                let isThird = table == "leak" ? "id = 3" : "leak = 3"
                try connection.run(Query("update \(table) set \(fault) where \(isThird)"))
                #expect(
                    try store.verify() == [
                        "reports before a period in \(table) are the total without the reports of the period: not true for 1 row"
                    ])
                try connection.run(Query("update \(table) set \(mend) where \(isThird)"))
            }
            #expect(try store.verify() == [])
        }

        @Test func `verify finds a stored message that is not the message of the leak's newest report`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            try PostgreSQLConnection(to: schema.address).run(
                Query("update leak_text set message = 'another' where leak = 3"))
            #expect(
                try store.verify() == [
                    "the message of a leak is that of its newest report: not true for 1 row"
                ])
        }

        @Test(arguments: ["seen", "reported"])
        func `verify finds a wrong count of the leaks that were last seen or last reported in an hour`(
            column: String
        ) throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            try PostgreSQLConnection(to: schema.address).run(
                Query(
                    """
                    update app_last_hour set \(column) = \(column) + 1
                    where hour = (select max(hour) from app_last_hour)
                    """))
            #expect(
                try store.verify() == [
                    "leaks of an app by their last hours are counted correctly: not true for 1 row"
                ])
        }

        @Test func `expiry deletes rows of app_last_hour that count no leak`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            let hours = Query("select count(*) from app_last_hour where seen > 0 or reported > 0")
            let all = Query("select count(*) from app_last_hour")
            let connection = try PostgreSQLConnection(to: schema.address)
            #expect(try connection.run(hours).first?.int(0) == 20)
            #expect(try connection.run(all).first?.int(0) ?? 0 > 20)
            try store.expire(now: noon)
            #expect(try connection.run(all).first?.int(0) == 20)
            #expect(try store.verify() == [])
        }

        @Test(arguments: ["last_hour + 24", "last_hour - 24", "null"])
        func `verify finds a wrong last hour with reports of a leak`(value: String) throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try fill(store)
            let connection = try PostgreSQLConnection(to: schema.address)
            try connection.run(Query("update leak set last_hour = \(value) where id = 3"))
            #expect(
                try store.verify().contains(
                    "the last hour of a leak is in its last day with reports: not true for 1 row"))
            try connection.run(Query("update leak_release set last_hour = \(value) where leak = 3"))
            #expect(
                try store.verify().contains(
                    "the last hour of a leak in a release is in its last day with reports: not true for 1 row"
                ))
        }

        private func compare(_ one: any StoreReader, _ other: any StoreReader, now: Int64) throws {
            for period in Period.allCases {
                for (version, state, search) in [
                    (nil, .toFix, nil), ("2", .toFix, nil), ("2", .open, nil), (nil, .slow, nil),
                    (nil, .open, "l3"),
                    ("2", .any, "l"),
                ] as [(String?, LeakQuery.StateFilter, String?)] {
                    for sort in [LeakQuery.Sort.reports, .lastSeen] {
                        var query = query(period, sort)
                        (query.version, query.state, query.search) = (version, state, search)
                        let (first, second) = try (
                            one.leaks(query, now: now), other.leaks(query, now: now)
                        )
                        // Sorted, because leaks with equal counts may have another order in each store.
                        let rows = [first, second].map { page in
                            page.leaks.map { "\($0.identity.title) \($0.reports)" }.sorted()
                        }
                        #expect(rows[0] == rows[1])
                        #expect((first.total, first.reports) == (second.total, second.reports))
                    }
                }
            }
        }

        /// Reports arrive hours or months late, some leaks have only freed objects, and time passes between the batches.
        @Test(arguments: 1...3 as ClosedRange<UInt64>)
        func `lists of a period show the same counts as with SQLite, even if reports arrive late`(
            seed: UInt64
        ) throws {
            var random = SeededRandom(seed: seed)
            let embedded = try directory.store(clock: .unguarded)
            let shared = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            var now = noon
            for round in 0..<40 {
                now += [0, hour / 3, hour, 7 * hour, day, 12 * day].randomElement(using: &random) ?? 0
                let reports = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    let late = [0, 0, 0, hour, 5 * hour, day, 30 * day, 100 * day, 300 * day]
                    return Report(
                        leak: leak("L\(Int.random(in: 0..<9, using: &random))"),
                        version: "\(Int.random(in: 1...3, using: &random))",
                        isFreed: Int.random(in: 0..<5, using: &random) == 0,
                        at: now - (late.randomElement(using: &random) ?? 0),
                        count: round == 30 && seed == 3 ? .max : .random(in: 1...4, using: &random))
                }
                let batch = submission(reports, at: now)
                #expect(try embedded.count([batch], now: now) == shared.count([batch], now: now))
                if round % 9 == 8 {
                    try embedded.expire(now: now)
                    try shared.expire(now: now)
                }
                if round % 4 == 3 {
                    try compare(try embedded.makeReader(), try shared.makeReader(), now: now)
                }
            }
            // Deletes hourly counts that had already expired when their reports arrived.
            try shared.expire(now: now)
            let problems = try shared.verify()
            #expect(problems == [])
        }
    }
#endif

import LeakSeededRandom

#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Several collectors on one database. Also texts that PostgreSQL cannot store.
    @Suite struct SharedDatabaseTests {
        let schema: DatabaseSchema

        /// Fails without a server, because then nothing would be tested.
        init() throws {
            schema = try DatabaseSchema()
        }

        private func store() throws -> PostgreSQLStore {
            try PostgreSQLStore(address: schema.address, seed: 7, clock: .unguarded)
        }

        private func totals(_ store: PostgreSQLStore) throws -> [String: [Int]] {
            var query = LeakQuery()
            (query.limit, query.state) = (200, .any)
            let page = try store.makeReader().leaks(query, now: noon)
            return Dictionary(
                uniqueKeysWithValues: page.leaks.map {
                    ($0.identity.title, [$0.reports, $0.installs, $0.freed])
                })
        }

        @Test func `if several collectors start at the same time, the schema is created once`() async throws {
            let schema = schema
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                        _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try totals(store()) == ["Page": [6, 0, 0]])
        }

        @Test func `the counts of several collectors on one database are added up`() async throws {
            let schema = schema
            try await withThrowingTaskGroup(of: Void.self) { group in
                for collector in 0..<4 {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(collector))
                        let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                        for _ in 0..<25 {
                            // Every collector receives the same leaks, apps and builds, each in a different order.
                            let reports = (0..<10).shuffled(using: &random).map { number in
                                Report(
                                    leak: leak("L\(number)", app: ["shop", "mail"][number % 2]),
                                    version: ["1.0", "2.0"].randomElement(using: &random) ?? "",
                                    build: ["1", "2"].randomElement(using: &random),
                                    install: UInt64(collector) << 32 | random.next() % 8,
                                    isFreed: false)
                            }
                            let freed = reports.map { Report(leak: $0.leak, isFreed: true, lived: 7) }
                            _ = try store.count([submission(reports), submission(freed)], now: noon)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try totals(store())
            #expect(found.count == 10)
            for (title, numbers) in found {
                #expect(numbers[0] == 100 && numbers[2] == 100, "\(title)")
                // Each collector reports 25 times, each time with a random one of its eight installs. Nearly always
                // all eight are used.
                #expect((28...32).contains(numbers[1]), "\(title): \(numbers[1])")
            }
        }

        @Test func `installs that another collector added to a set are kept`() throws {
            let (one, other) = (try store(), try store())
            let page = leak("Page")
            for install in 0..<360 {
                let store = install.isMultiple(of: 2) ? one : other
                _ = try store.count(
                    [submission([Report(leak: page, install: UInt64(install / 3))])], now: noon)
            }
            #expect(try totals(one) == ["Page": [360, 120, 0]])
        }

        @Test func `a newer schema is refused, even by a running collector`() throws {
            let running = try store()
            let newer = Migration.newestVersion + 1
            try PostgreSQLConnection(to: schema.address).run(
                Query("update schema_version set version = $1::bigint", .integer(newer)))
            for attempt in [
                { _ = try self.store() }, { _ = try running.count([submission()], now: noon) },
            ] {
                let failure = try #require(throws: StoreError.self) { try attempt() }
                #expect(failure.reason == .newerSchema(found: newer, known: Migration.newestVersion))
            }
        }

        @Test func `reports with texts that PostgreSQL cannot store are counted`() throws {
            let store = try store()
            let page = leak("a\0b", app: "sh\0op")
            for _ in 0..<2 {
                _ = try store.count(
                    [
                        submission([
                            Report(
                                leak: page, version: "1\0", build: "\0", system: "\0",
                                body: #"{"message":"\u0000"}"#)
                        ])
                    ], now: noon)
            }
            #expect(try totals(store) == ["a␀b": [2, 0, 0]])
        }
    }
#endif

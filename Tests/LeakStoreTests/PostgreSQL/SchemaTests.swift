#if PostgreSQL
    import LeakStore
    import Testing

    @testable import PostgreSQLStore

    /// A database that an earlier collector left, and those that come after it.
    @Suite struct SchemaTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema(
                in: try #require(
                    DatabaseSchema.url, "name a server with COLLECTOR_TEST_DATABASE_URL: make postgresql"))
        }

        /// Today's reports and those of three days ago, which came too late for a slot.
        private func fillSchema1() throws {
            let store = try PostgreSQLStore(address: schema.address)
            let today = (0..<5).map { Report(leak: leak("L\($0)"), version: "1.\($0)", install: UInt64($0)) }
            let late = (0..<3).map { Report(leak: leak("L\($0)"), at: noon - 3 * day, count: 2) }
            _ = try store.count([submission(today + late)], now: noon)
            try schema.becomeFirst()
        }

        private func version() throws -> Int? {
            try Connection(to: schema.address).run(Migration.version).first?.int(0)
        }

        @Test func `a database of the first schema is brought up to date by one of many collectors`() throws {
            try fillSchema1()
            let address = schema.address
            _ = try together(4) { number in
                let store = try PostgreSQLStore(address: address)
                _ = try store.count(
                    [submission([Report(leak: leak("L0"), install: UInt64(number))])], now: noon)
            }
            #expect(try version() == Migration.newestVersion)
            let store = try PostgreSQLStore(address: schema.address)
            #expect(try store.verify() == [])
            let reader = try store.makeReader()
            #expect(try reader.overview(app: "shop", period: .day, now: noon).recentReports == 9)
            #expect(try reader.overview(app: "shop", period: .week, now: noon).recentReports == 15)
            #expect(try reader.leak(leak("L0").id, now: noon)?.row.state == .open)
            _ = try store.decide(Decision(.ignore(nil), by: "ada"), about: leak("L0").id, now: noon)
            #expect(try reader.leak(leak("L0").id, now: noon)?.row.state == .ignored)
        }
    }

    extension DatabaseSchema {
        /// Makes of the schema what a collector that knew the first one alone would have left.
        func becomeFirst() throws {
            _ = try Connection(to: address).run([
                Query("drop table decision, decision_release, app_day"),
                Query("alter table leak drop column state"),
                Query("delete from install_set where scope = 5"),
                Query("update schema_version set version = 1"),
            ])
        }
    }
#endif

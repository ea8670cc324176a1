#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Several collectors on one database: the daily counts of an app, and decisions.
    @Suite struct SharedDaysTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        private func rows(of table: String) throws -> Int {
            try PostgreSQLConnection(to: schema.address).run(Query("select count(*) from \(table)")).first?
                .int(0) ?? 0
        }

        @Test
        func
            `each ten-minute slot is merged into its day once, even if several collectors expire slots and count`()
            throws
        {
            let address = schema.address
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            // 450 ten-minute slots of two apps, sent while they belonged to the last day, each from a different install.
            for day in 0..<3 {
                let now = noon + Int64(day) * LeakStoreTests.day
                let reports = (0..<150).map { number in
                    Report(
                        leak: leak("Page", app: ["shop", "mail"][number % 2]),
                        install: UInt64(day * 150 + number), at: now - Int64(number / 2) * 600_000, count: 2)
                }
                _ = try store.count([submission(reports, at: now)], now: now)
            }
            #expect(try rows(of: "app_slot") == 450)
            let now = noon + 4 * day
            _ = try runTogether(4) { number in
                let store = try PostgreSQLStore(address: address, clock: .unguarded)
                guard number > 0 else {
                    // These reports are too late for ten-minute slots. They are added to daily counts, to which the other
                    // threads add slots.
                    for late in 0..<40 {
                        let report = Report(
                            leak: leak("Page"), install: UInt64(1_000 + late),
                            at: noon - Int64(late) * 600_000)
                        _ = try store.count([submission([report], at: now)], now: now)
                    }
                    return
                }
                try store.expire(now: now)
            }
            #expect(try rows(of: "app_slot") == 0)
            #expect(try rows(of: "install_set where scope = 4") == 0)
            let reader = try store.makeReader()
            let all = try reader.overview(app: nil, period: .week, now: now)
            #expect((all.recentReports, all.recentLeaks) == (940, 2))
            // Beyond 256 installs the number is an estimate.
            #expect((440...540).contains(all.recentInstalls), "\(all.recentInstalls)")
            let mail = try reader.overview(app: "mail", period: .week, now: now)
            #expect(mail.recentReports == 450)
            #expect((210...240).contains(mail.recentInstalls), "\(mail.recentInstalls)")
            #expect(try store.verify() == [])
        }

        @Test
        func `a decision is stored with the counts at its time, even while other collectors count reports`()
            throws
        {
            let address = schema.address
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            let page = leak("Page")
            _ = try store.count([submission([Report(leak: page)])], now: noon)
            _ = try runTogether(3) { number in
                let store = try PostgreSQLStore(address: address, clock: .unguarded)
                for round in 0..<30 {
                    guard number > 0 else {
                        let action: Decision.Action =
                            round.isMultiple(of: 2) ? .resolve(.newestVersion) : .reopen
                        _ = try store.decide(Decision(action, by: "ada"), about: page.id, now: noon)
                        continue
                    }
                    _ = try store.count([submission([Report(leak: page)])], now: noon)
                }
            }
            _ = try store.decide(Decision(.resolve(.newestVersion), by: "ada"), about: page.id, now: noon)
            let detail = try #require(try store.makeReader().leak(page.id, now: noon))
            #expect(detail.row.reports == 61)
            #expect(detail.row.state == .resolved && detail.row.decisionStatus?.reportsSince == 0)
            #expect(detail.history.count == 31)
            #expect(try store.verify() == [])
        }
    }
#endif

#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// The plan by which PostgreSQL reads the evidence for fixes.
    @Suite struct FixHistoryPlanTests {
        let schema: DatabaseSchema

        init() throws { schema = try DatabaseSchema() }

        @Test
        func `reports in builds are added up from the rows of the leak, not from all builds of the version`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = (1...300).map { Report(leak: leak("L\($0 % 30)"), build: "\($0)") }
            _ = try store.count([submission(reports)], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            // Without this setting, PostgreSQL would scan the small tables instead of indexes.
            try connection.run(Query("set enable_seqscan = off"))
            try connection.run(Query("vacuum analyze build, leak_build"))
            let sql = FixHistory.selectSQL(
                .earlierReports, of: .current, from: "(select * from leak) l")
            let plan = try connection.run(Query("explain " + sql)).map { $0.text(0) }.joined(separator: "\n")
            #expect(plan.contains("leak_build_pkey"), Comment(rawValue: plan))
            #expect(!plan.contains("build_release_name_key"), Comment(rawValue: plan))
        }
    }
#endif

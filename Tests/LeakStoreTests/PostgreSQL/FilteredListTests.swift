import LeakSeededRandom

#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Lists with filters. A random sample of the rows gives a bound for the sort keys of a page, so that fewer rows are read.
    @Suite struct FilteredListTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        static let filters: [@Sendable (inout LeakQuery) -> Void] = [
            { $0.version = "2.0" },
            { ($0.version, $0.state) = ("2.0", .open) },
            { ($0.version, $0.state) = ("2.0", .slow) },
            { ($0.version, $0.search) = ("2.0", "home") },
            { ($0.version, $0.search, $0.state) = ("1.0", "7", .open) },
            { ($0.version, $0.kind, $0.app) = ("2.0", "object", "shop") },
            { $0.kind = "object" },
            { ($0.search, $0.state) = ("home", .open) },
        ]

        private func fill() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            var random = SeededRandom(seed: 27)
            for version in ["1.0", "2.0", "2.0"] {
                let reports = (0..<400).map { number in
                    Report(
                        leak: leak("L\(number)", stack: ["Home"]), version: version,
                        install: .random(in: 0..<9, using: &random),
                        isFreed: number % 40 == 0 || Int.random(in: 0..<9, using: &random) == 0,
                        at: noon - .random(in: 0..<400, using: &random) * hour,
                        count: .random(in: 1..<9, using: &random),
                        alive: .random(in: 0..<9, using: &random))
                }
                var batch = submission(reports)
                batch.explanations = stride(from: 0, to: 400, by: 3).map { number in
                    Submission.Explanation(
                        leak: leak("L\(number)", stack: ["Home"]), originIndex: 0, at: noon, reason: "s",
                        bytes: .random(in: 0..<9_000, using: &random))
                }
                _ = try store.count([batch], now: noon)
            }
        }

        private func keys(_ rows: Rows) -> [PageCursor] {
            rows.map { PageCursor(primary: $0.int64(1), secondary: $0.int64(2), leakRowID: $0.int64(0)) }
        }

        @Test
        func
            `a page of a filtered list is the same with a lower bound from any random sample, and without a bound`()
            throws
        {
            try fill()
            let connection = try PostgreSQLConnection(to: schema.address)
            let leakStates = LeakStates(known: KnownLeakRows(), decided: [], now: noon)
            // A list by name has no bound.
            for sort in LeakQuery.Sort.allCases where sort != .name {
                for period in [nil, Period.day, .week] {
                    for (number, apply) in Self.filters.enumerated() {
                        var query = LeakQuery()
                        (query.sort, query.period) = (sort, period)
                        query.order = number.isMultiple(of: 2) ? .descending : .ascending
                        apply(&query)
                        try compare(
                            FilteredList(query, leakStates, now: noon), connection,
                            "\(sort) \(period.map(\.rawValue) ?? "all") filter \(number)")
                    }
                }
            }
        }

        private func compare(
            _ selection: FilteredList, _ connection: PostgreSQLConnection, _ list: Comment
        ) throws {
            let all = try connection.run(selection.page(after: nil, from: nil, limit: 1_000))
            let expected = keys(all)
            let totals = LeakTotals(all.first, from: LeakRow.Column.count)
            #expect(totals.leaks == expected.count, list)
            #expect(totals.reports == all.reduce(0) { $0 + $1.int(3) }, list)
            let limit = 5
            for start in [0, 7, expected.count / 2, expected.count] where start <= expected.count {
                let cursor = start == 0 ? nil : expected[start - 1]
                for percent in [50, 100] {
                    let bound = try connection.run(
                        selection.bound(after: cursor, limit: limit, percent: percent)
                    ).first.map { FilteredList.Bound($0) }
                    if percent == 100 { #expect((bound != nil) == (start + limit <= expected.count), list) }
                    let rows = try connection.run(selection.page(after: cursor, from: bound, limit: limit))
                    #expect(keys(rows) == Array(expected[start...].prefix(limit)), list)
                    let found = try selection.totals(
                        inPageRow: rows.first, isFirstPage: start == 0, from: bound, on: connection)
                    #expect(found == totals, list)
                }
            }
        }

        @Test func `lists of a version find slow and explained leaks by their indexes`() throws {
            try fill()
            let connection = try PostgreSQLConnection(to: schema.address)
            // Without these settings, PostgreSQL would scan the small table instead of an index.
            for setting in ["enable_seqscan = off", "plan_cache_mode = force_custom_plan"] {
                try connection.run(Query("set \(setting)"))
            }
            try connection.run(Query("vacuum analyze leak"))
            var query = LeakQuery()
            (query.version, query.state, query.sort) = ("2.0", .open, .cost)
            let selection = FilteredList(
                query, LeakStates(known: KnownLeakRows(), decided: [], now: noon), now: noon)
            for (found, indexes) in [
                (selection.totals(), ["leak_slow"]),
                (selection.page(after: nil, from: nil, limit: 51), ["leak_slow", "leak_explained"]),
            ] {
                let plan = try connection.run(Query("explain " + found.sql, found.values))
                    .map { $0.text(0) }.joined(separator: "\n")
                #expect(indexes.allSatisfy(plan.contains), Comment(rawValue: plan))
            }
        }
    }
#endif

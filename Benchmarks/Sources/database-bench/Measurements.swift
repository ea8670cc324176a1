#if PostgreSQL
    import Foundation
    import LeakStore
    import LoadTools
    import LeakPostgreSQL

    struct Measurements {
        let url: String
        let seconds: Double
        /// Number of submissions that a store gets in one call, as the commit queue gathers them under load.
        private let inFlight = 64
        private let now: Int64 = 1_795_176_000_000

        /// Creates a schema, runs `body` with its name and its address, and drops the schema.
        private func withSchema<Result>(_ body: (String, DatabaseAddress) throws -> Result) throws -> Result {
            let name = "bench_\(UInt32.random(in: 0...UInt32.max))"
            _ = try Shell.run("psql", ["--quiet", "--command", "create schema \(name)", url])
            defer {
                // Suppresses the notice for each dropped table.
                let drop = "set client_min_messages = warning; drop schema \(name) cascade"
                _ = try? Shell.run("psql", ["--quiet", "--command", drop, url])
            }
            return try body(name, DatabaseAddress("\(url)?options=-csearch_path%3D\(name)"))
        }

        private func vacuum(_ schema: String) throws {
            let tables = try Shell.run(
                "psql",
                [
                    "--quiet", "--tuples-only", "--no-align", "--command",
                    "select 'vacuum analyze ' || schemaname || '.' || tablename || ';' from pg_tables "
                        + "where schemaname = '\(schema)'", url,
                ])
            for statement in tables.split(separator: "\n") {
                _ = try Shell.run("psql", ["--quiet", "--command", String(statement), url])
            }
        }

        /// Returns the reports per second that stores count while several of them write at the same time.
        ///
        /// - Parameters:
        ///   - reports: the number of reports in a batch.
        ///   - apps: the number of apps. The stores use them in turn.
        func write(reports: Int, stores: Int, apps: Int) throws -> Double {
            try withSchema { _, address in
                let opened = try (0..<stores).map { _ in try PostgreSQLStore(address: address) }
                let counts = Counts()
                let start = DispatchTime.now()
                DispatchQueue.concurrentPerform(iterations: stores) { number in
                    var load = Load(
                        seed: UInt64(number + 1), leaks: 200, app: "shop\(number % apps)",
                        keyID: Int64(number % apps + 1))
                    var waiting: [Submission] = []
                    while Self.elapsed(since: start) < seconds {
                        while waiting.count < inFlight {
                            waiting.append(load.batch(reports: reports, now: now))
                        }
                        guard let receipts = try? opened[number].count(waiting, now: now) else {
                            counts.fail()
                            return
                        }
                        waiting.removeFirst(receipts.count)
                        counts.add(receipts.count * reports)
                    }
                }
                guard !counts.hasFailed else { throw Failure("a transaction failed") }
                return Double(counts.total) / Self.elapsed(since: start)
            }
        }

        /// Opens a store without limits on leaks, and calls `count` for up to 500 leak numbers at a time until all leaks are
        /// stored.
        private func fill(
            _ address: DatabaseAddress, leaks: Int,
            count: (_ store: PostgreSQLStore, _ numbers: Range<Int>, _ load: inout Load) throws -> Void
        ) throws -> PostgreSQLStore {
            var limits = StoreLimits()
            limits.leaksPerApp = .max
            limits.leakTextBytesPerApp = .max
            limits.leakBuildsPerApp = .max
            let store = try PostgreSQLStore(address: address, limits: limits)
            var load = Load(seed: 1, leaks: leaks, app: "shop")
            for start in stride(from: 0, to: leaks, by: 500) {
                try count(store, start..<min(start + 500, leaks), &load)
            }
            return store
        }

        /// Median times in milliseconds.
        struct Reading {
            var leaks: Int
            var list: Double
            var listOfApp: Double
            var secondPage: Double
            var oneLeak: Double
        }

        /// Measures pages of a list, and one leak.
        func read(leaks count: Int) throws -> Reading {
            try withSchema { _, address in
                let store = try fill(address, leaks: count) { store, numbers, load in
                    // The first sightings are one of each leak, so that all leaks exist. The others are drawn by frequency.
                    var batch = load.batch(reports: 1_000, now: now)
                    for (place, number) in numbers.enumerated() {
                        batch.sightings[place].leak = Load.leak(number, of: "shop")
                    }
                    _ = try store.count([batch], now: now)
                }
                let reader = try store.makeReader()
                var query = LeakQuery()
                var ofApp = query
                ofApp.app = "shop"
                let next = try reader.leaks(query, now: now).next
                var second = query
                second.cursor = next
                query.sort = .impact
                return try Reading(
                    leaks: count, list: median { _ = try reader.leaks(query, now: now) },
                    listOfApp: median { _ = try reader.leaks(ofApp, now: now) },
                    secondPage: median { _ = try reader.leaks(second, now: now) },
                    oneLeak: median {
                        let number = Int.random(in: 0..<count)
                        _ = try reader.leak(Load.leak(number, of: "shop").id, now: now)
                    })
            }
        }

        /// Milliseconds of one query that runs several times.
        struct Times {
            var median: Double
            var longest: Double

            static func slowest(_ all: [Times]) -> Times {
                all.max { $0.median < $1.median } ?? Times(median: 0, longest: 0)
            }
        }

        typealias Filter = (name: String, apply: @Sendable (inout LeakQuery) -> Void)

        /// Filters of a list, with their names in the table. All leaks match the first filter.
        static let filters: [Filter] = [
            ("kind", { $0.kind = "view_controller" }),
            ("version", { $0.version = "5.1.0" }),
            ("class", { $0.className = "Screen77ViewController" }),
            ("text of all", { $0.search = "homeview" }),
            ("text of some", { $0.search = "screen77" }),
            ("text of none", { $0.search = "nowhere" }),
            ("open", { $0.state = .open }),
            ("slow", { $0.state = .slow }),
            ("open in version", { ($0.state, $0.version) = (.open, "5.1.0") }),
            ("text in version", { ($0.search, $0.version) = ("homeview", "5.1.0") }),
        ]
        struct PeriodReading {
            var period: Period
            /// Times of the first page, by sort order.
            var lists: [LeakQuery.Sort: Times]
            /// Times of the tenth page, by sort order.
            var tenthPages: [LeakQuery.Sort: Times]
            var overview: Times
            var summary: Times
        }

        struct Readings {
            var periods: [PeriodReading]
            var filtered: [FilteredReading]
            var causes: Times
        }

        struct FilteredReading {
            /// `nil` for lists of all time.
            var period: Period?
            /// Times of the first and the tenth page in the slowest sort order, one element for each of the filters.
            var filters: [(first: Times, tenth: Times)]
        }

        /// Measures lists of each period, the overview and the summary page, right after the database was filled and again
        /// after a vacuum. All leaks were seen within the last day; `older` of them were first seen before the longest
        /// period.
        func readPeriods(
            leaks count: Int, older: Int
        ) throws -> (filled: Readings, vacuumed: Readings) {
            try withSchema { schema, address in
                let store = try fillPeriods(address, leaks: count, older: older)
                let filled = try read(store)
                // The server also vacuums by itself, within minutes.
                try vacuum(schema)
                return try (filled, read(store))
            }
        }

        private func read(_ store: PostgreSQLStore) throws -> Readings {
            try Readings(
                periods: readPeriods(of: store), filtered: readFiltered(of: store, by: Self.filters),
                causes: readCauses(of: store))
        }

        /// Creates and fills a schema for ``readPeriods(ofSchema:)``, and does not drop it.
        func fillPeriods(schema: String, leaks count: Int, older: Int) throws {
            _ = try Shell.run("psql", ["--quiet", "--command", "create schema \(schema)", url])
            _ = try fillPeriods(
                DatabaseAddress("\(url)?options=-csearch_path%3D\(schema)"), leaks: count, older: older)
            try vacuum(schema)
        }

        private func fillPeriods(
            _ address: DatabaseAddress, leaks count: Int, older: Int
        ) throws -> PostgreSQLStore {
            try fill(address, leaks: count) { store, numbers, load in
                // The older leaks are spread evenly over all numbers.
                let isOlder = numbers.map { $0 * older / count != ($0 + 1) * older / count }
                for days in [100, 70, 40, 20, 10, 5, 3, 0] as [Int64] {
                    var batch = load.batch(reports: numbers.count, now: now)
                    for (place, number) in numbers.enumerated() {
                        batch.sightings[place].leak = Load.leak(number, of: "shop")
                        let age = days * 24 + Int64(number % 11)
                        batch.sightings[place].at = now - age * 3_600_000
                        batch.sightings[place].count = number % 17 + 1
                    }
                    if days == 0 { batch.explanations = explanations(of: numbers) }
                    if days > 0 {
                        batch.sightings = zip(batch.sightings, isOlder).filter(\.1).map(\.0)
                    }
                    guard !batch.sightings.isEmpty else { continue }
                    _ = try store.count([batch], now: now)
                }
            }
        }

        /// Explains every third leak with one of 500 causes.
        private func explanations(of numbers: Range<Int>) -> [Submission.Explanation] {
            numbers.filter { $0 % 3 == 0 }.map { number in
                Submission.Explanation(
                    leak: Load.leak(number, of: "shop"), originIndex: 0, at: now,
                    reason: "Session.observers[] closure capture \(number % 1_500)",
                    bytes: 100 + number * 7_919 % 1_000_003)
            }
        }

        /// Measures lists of a period in a database that is filled already.
        ///
        /// - Parameter schema: the schema with the tables of a store, with leaks seen before ``now``.
        func readPeriods(ofSchema schema: String) throws -> [PeriodReading] {
            try readPeriods(of: store(ofSchema: schema))
        }

        /// Measures lists with a filter in a database that is filled already.
        func readFiltered(ofSchema schema: String, by filters: [Filter]) throws -> [FilteredReading] {
            try readFiltered(of: store(ofSchema: schema), by: filters)
        }

        /// Measures the page of causes in a database that is filled already.
        func readCauses(ofSchema schema: String) throws -> Times {
            try readCauses(of: store(ofSchema: schema))
        }

        private func store(ofSchema schema: String) throws -> PostgreSQLStore {
            try PostgreSQLStore(address: DatabaseAddress("\(url)?options=-csearch_path%3D\(schema)"))
        }

        private func readFiltered(
            of store: PostgreSQLStore, by filters: [Filter]
        ) throws -> [FilteredReading] {
            let reader = try store.makeReader()
            return try ([nil] + Period.allCases).map { period in
                try FilteredReading(
                    period: period, filters: filters.map { try times(of: $0.apply, period, reader) })
            }
        }

        private func readPeriods(of store: PostgreSQLStore) throws -> [PeriodReading] {
            let reader = try store.makeReader()
            return try Period.allCases.map { period in
                var query = LeakQuery()
                query.period = period
                var lists: [LeakQuery.Sort: Times] = [:]
                var tenthPages: [LeakQuery.Sort: Times] = [:]
                for sort in LeakQuery.Sort.allCases {
                    (query.sort, query.cursor) = (sort, nil)
                    lists[sort] = try times { _ = try reader.leaks(query, now: now) }
                    for _ in 1..<10 { query.cursor = try reader.leaks(query, now: now).next ?? query.cursor }
                    tenthPages[sort] = try times { _ = try reader.leaks(query, now: now) }
                }
                query = LeakQuery()
                query.period = period
                return PeriodReading(
                    period: period, lists: lists, tenthPages: tenthPages,
                    overview: try times { _ = try reader.overview(app: nil, period: period, now: now) },
                    summary: try times {
                        _ = try reader.overview(app: nil, period: period, now: now)
                        _ = try reader.apps(in: AppKey.production)
                        _ = try reader.versions(app: nil)
                        _ = try reader.leaks(query, now: now)
                    })
            }
        }

        /// Measures the queries of the page of causes.
        private func readCauses(of store: PostgreSQLStore) throws -> Times {
            let reader = try store.makeReader()
            var query = LeakQuery()
            (query.sort, query.limit) = (.cost, 1_000)
            return try times {
                let leaks = try reader.leaks(query, now: now).leaks.map(\.identity.id)
                _ = try reader.reasons(of: leaks, limit: 5)
                _ = try reader.closures(of: Array(leaks.prefix(200)), limit: 100)
            }
        }

        private func times(
            of filter: (inout LeakQuery) -> Void, _ period: Period?, _ reader: any StoreReader
        ) throws -> (first: Times, tenth: Times) {
            let pages = try LeakQuery.Sort.allCases.map { sort in
                var query = LeakQuery()
                (query.period, query.sort) = (period, sort)
                filter(&query)
                let first = try times(of: 5) { _ = try reader.leaks(query, now: now) }
                // Skips the nine pages before the tenth in three larger pages.
                query.limit = 150
                for _ in 1...3 { query.cursor = try reader.leaks(query, now: now).next ?? query.cursor }
                query.limit = LeakQuery().limit
                return (first, try times(of: 5) { _ = try reader.leaks(query, now: now) })
            }
            return (.slowest(pages.map(\.0)), .slowest(pages.map(\.1)))
        }

        private func times(of count: Int = 11, _ body: () throws -> Void) throws -> Times {
            let durations = try durations(count, body)
            return Times(median: durations[count / 2], longest: durations[count - 1])
        }

        private func median(of times: Int = 41, _ body: () throws -> Void) throws -> Double {
            try durations(times, body)[times / 2]
        }

        /// Milliseconds of the calls, ascending.
        private func durations(_ times: Int, _ body: () throws -> Void) throws -> [Double] {
            var durations: [Double] = []
            for _ in 0..<times {
                let start = DispatchTime.now()
                try body()
                durations.append(Self.elapsed(since: start) * 1_000)
            }
            return durations.sorted()
        }

        private static func elapsed(since start: DispatchTime) -> Double {
            Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        }
    }

    /// Sum of the reports that the threads of all stores have counted.
    private final class Counts: @unchecked Sendable {
        // `Sendable` is unchecked: mutable state is accessed only while `lock` is locked.
        private let lock = NSLock()
        private var sum = 0
        private var failed = false

        var total: Int { lock.withLock { sum } }
        var hasFailed: Bool { lock.withLock { failed } }
        func add(_ count: Int) { lock.withLock { sum += count } }
        func fail() { lock.withLock { failed = true } }
    }
#endif

import LeakSeededRandom

#if PostgreSQL
    import Glibc
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Compares several collectors that run at the same time with ``CountingModel``. `DATABASE_SEEDS` sets the number of seeds.
    @Suite struct SharedModelTests {
        static let seeds =
            1...(unsafe getenv("DATABASE_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 4)

        private func schema() throws -> DatabaseSchema {
            try DatabaseSchema()
        }

        @Test(arguments: seeds)
        func
            `any interleaving of collectors, retries, restarts, erasures and expiry gives the totals of the model`(
                seed: UInt64
            ) throws
        {
            let schema = try schema()
            var rounds = try SharedRounds(on: schema.address, seed: seed)
            for round in 0..<5 {
                try rounds.play(round: round)
                #expect(try rounds.problems() == [], "seed \(seed), round \(round)")
            }
        }

        /// The order of arrival decides which names are the last within a limit. Reports of all other names count under
        /// "other".
        @Test(arguments: seeds)
        func `several collectors that reach the limits at the same time lose no report and exceed no limit`(
            seed: UInt64
        ) throws {
            let schema = try schema()
            let address = schema.address
            let limits = StoreLimitTests.smallLimits
            let counted = try runTogether(3) { number in
                var random = SeededRandom(seed: seed << 8 | UInt64(number))
                var store = try PostgreSQLStore(address: address, limits: limits, clock: .unguarded)
                var counted: [Submission] = []
                for _ in 0..<12 {
                    if Int.random(in: 0..<5, using: &random) == 0 {
                        store = try PostgreSQLStore(address: address, limits: limits, clock: .unguarded)
                    }
                    let call = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.batch(&random) }
                    for (batch, receipt) in zip(call, try store.count(call, now: noon))
                    where receipt == .counted { counted.append(batch) }
                }
                return counted
            }.flatMap { $0 }
            let store = try PostgreSQLStore(address: address, limits: limits, clock: .unguarded)
            #expect(try store.verify() == [])
            try check(try store.makeReader(), against: counted, limits)
        }

        private static func batch(_ random: inout SeededRandom) -> Submission {
            let app = "app \(Int.random(in: 0..<5, using: &random))"
            let reports = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Report(
                    leak: leak("L\(Int.random(in: 0..<9, using: &random))", app: app),
                    version: "\(Int.random(in: 1...6, using: &random)).0",
                    build: "\(Int.random(in: 1...5, using: &random))",
                    install: .random(in: 0..<40, using: &random),
                    isFreed: Int.random(in: 0..<4, using: &random) == 0,
                    count: .random(in: 1...3, using: &random))
            }
            let key = Int.random(in: 0..<40, using: &random)
            var batch = submission(
                reports, key: Bool.random(using: &random) ? "\(key)" : nil,
                keyID: .random(in: 1...2, using: &random))
            batch.response = Array("answer \(key % 5)".utf8)
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: app, version: "\(Int.random(in: 1...6, using: &random)).0", build: nil, sessions: 2,
                    leakySessions: 1, checks: ["C\(Int.random(in: 0..<5, using: &random))": 3])
            ]
            batch.dropped = [
                Submission.Dropped(app: app, reason: "r\(Int.random(in: 0..<5, using: &random))", count: 1)
            ]
            return batch
        }

        private func check(
            _ reader: any StoreReader, against counted: [Submission], _ limits: StoreLimits
        ) throws {
            func sum(_ isFreed: Bool) -> Int {
                counted.reduce(0) { sum, batch in
                    sum + batch.sightings.reduce(0) { $0 + ($1.isFreed == isFreed ? $1.count : 0) }
                }
            }
            var query = LeakQuery()
            (query.limit, query.state) = (200, .any)
            let all = try reader.leaks(query, now: noon)
            let apps = try reader.apps()
            let overview = try reader.overview(app: nil, now: noon)
            let releases = try apps.map { try reader.releases(app: AppKey($0)) }
            #expect(overview.reports == sum(false) && all.leaks.reduce(0) { $0 + $1.reports } == sum(false))
            #expect(all.leaks.reduce(0) { $0 + $1.freed } == sum(true))
            #expect(overview.droppedTotal == counted.count)
            #expect(releases.joined().reduce(0) { $0 + $1.sessions } == 2 * counted.count)
            #expect(releases.joined().reduce(0) { $0 + $1.checks } == 3 * counted.count)
            // One more app, "other", counts the apps beyond the limit.
            #expect(apps.count <= 2 * limits.appsPerKey + 1)
            #expect(releases.allSatisfy { $0.count <= limits.releasesPerApp + 1 })
            #expect(releases.joined().allSatisfy { $0.builds.count <= limits.buildsPerRelease + 1 })
            for app in apps {
                query.app = app
                #expect(try reader.leaks(query, now: noon).total <= limits.leaksPerApp + 1)
            }
            var overLimit: [OverLimitCount.Name: Int] = [:]
            for limit in overview.overLimit { overLimit[limit.limit, default: 0] += limit.count }
            let others = all.leaks.filter { $0.identity.title.hasPrefix("Not grouped") }
            #expect(overLimit[.leaks, default: 0] == others.reduce(0) { $0 + $1.reports + $1.freed })
        }
    }
#endif

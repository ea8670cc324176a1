#if PostgreSQL
    import LeakSeededRandom
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Merges by hand while several collectors count reports on one database.
    @Suite struct SharedMergeTests {
        private static let leaks = (0..<4).map { leak("L\($0)") }
        private static let target = leak("New")
        let schema: DatabaseSchema

        /// Fails without a server, because then nothing would be tested.
        init() throws {
            schema = try DatabaseSchema()
        }

        private func store() throws -> PostgreSQLStore {
            try PostgreSQLStore(address: schema.address, seed: 7, clock: .unguarded)
        }

        private static func count(in store: any Store, seed: UInt64) throws -> Int {
            var random = SeededRandom(seed: seed)
            var reports = 0
            for _ in 0..<20 {
                let batch = (0..<6).map { _ in
                    Report(
                        leak: leaks.randomElement(using: &random) ?? leaks[0],
                        version: "1.\(random.next() % 3)",
                        install: random.next() % 40)
                }
                do throws(StoreError) {
                    let receipts = try store.count([submission(batch)], now: noon)
                    if receipts == [.counted] { reports += batch.count }
                } catch {
                    // Nothing was counted, because merges came in between in each attempt. A sender repeats the request.
                    guard error.reason == .locked else { throw error }
                }
            }
            return reports
        }

        private static func merge(in store: any Store, seed: UInt64) throws {
            var random = SeededRandom(seed: seed)
            for _ in 0..<15 {
                let pair = leaks.shuffled(using: &random)
                do throws(StoreError) {
                    if random.next() % 3 == 0 {
                        guard let merge = try store.makeReader().manualMerges(app: "shop").first else {
                            continue
                        }
                        _ = try store.undoMerge(merge.number, by: "ada", audit: nil, now: noon)
                    } else {
                        _ = try store.mergeByHand(
                            pair[0].id, into: pair[1].id, by: "ada", audit: nil, now: noon)
                    }
                } catch {
                    guard error.reason == .invalidArgument else { throw error }
                }
            }
        }

        /// Merges leaks by a rule, as the collector does after it has named frames by new symbols.
        private static func mergeByRule(in store: any Store, seed: UInt64) throws {
            var random = SeededRandom(seed: seed)
            for _ in 0..<5 {
                let source = leaks.randomElement(using: &random) ?? leaks[0]
                _ = try store.merge(
                    [source.id], into: target, by: "rules", now: noon, note: { _ in "merged" })
            }
        }

        @Test(arguments: 1...UInt64(2))
        func `several collectors count, merge by hand and merge by rules, and no report is lost`(seed: UInt64)
            async throws
        {
            let first = try store()
            _ = try first.count([submission(Self.leaks.map { Report(leak: $0) })], now: noon)
            let stores = try (0..<4).map { _ in try store() }
            let counted = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try Self.count(in: stores[0], seed: seed) }
                group.addTask { try Self.count(in: stores[1], seed: seed + 10) }
                group.addTask {
                    try Self.merge(in: stores[2], seed: seed + 20)
                    return 0
                }
                group.addTask {
                    try Self.merge(in: stores[3], seed: seed + 30)
                    return 0
                }
                group.addTask {
                    try Self.mergeByRule(in: first, seed: seed + 40)
                    return 0
                }
                return try await group.reduce(0) { $0 + $1 }
            }
            #expect(try first.verify() == [])
            #expect(
                try first.makeReader().overview(app: "shop", now: noon).reports == counted + Self.leaks.count)
            for store in stores {
                _ = try store.count([submission(Self.leaks.map { Report(leak: $0) })], now: noon)
            }
            while let merge = try first.makeReader().manualMerges(app: "shop").first {
                do throws(StoreError) {
                    _ = try first.undoMerge(merge.number, by: "ada", audit: nil, now: noon)
                } catch {
                    // A target without reports of its own needs one before its merge can be undone.
                    guard error.reason == .invalidArgument else { throw error }
                    let row = try #require(try first.makeReader().leak(merge.target, now: noon)?.row)
                    _ = try first.count([submission([Report(leak: row.identity, version: "9.0")])], now: noon)
                }
                #expect(try first.verify() == [])
            }
        }
    }
#endif

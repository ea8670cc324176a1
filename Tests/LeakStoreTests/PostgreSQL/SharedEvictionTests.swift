#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Eviction in PostgreSQL while reports arrive.
    @Suite struct SharedEvictionTests {
        @Test
        func `a step that only skips a version in use does not make other collectors clear their caches`()
            throws
        {
            let schema = try DatabaseSchema()
            var limits = StoreLimits()
            limits.releasesPerApp = 20
            let store = try PostgreSQLStore(address: schema.address, limits: limits, clock: .unguarded)
            func count(_ version: String) throws {
                let report = Report(leak: leak("Page"), version: version)
                #expect(try store.count([submission([report])], now: noon) == [.counted])
            }
            // One version more than nine tenths of the limit.
            for number in 0..<19 { try count("1.\(number)") }
            let connection = try PostgreSQLConnection(to: schema.address)
            func clearCount() throws -> Int {
                try connection.run(Query("select count from erasure")).first?.int(0) ?? 0
            }
            let start = try clearCount()
            var errors: [any Error] = []
            var isUsedAgain = false
            _ = try store.expire(now: noon) {
                // The first version gets a leak again after its leaks were moved, so it is in use.
                do {
                    if try !isUsedAgain && clearCount() > start {
                        try count("1.0")
                        isUsedAgain = true
                    }
                } catch {
                    errors.append(error)
                }
                return true
            }
            #expect(errors.isEmpty)
            let versions = try store.makeReader().releases(app: "shop").map(\.version)
            #expect(versions.contains("1.0") && !versions.contains("1.1"), "\(versions)")
            // The leaks of 1.0, 1.1 and 1.2 were moved, and 1.1 and 1.2 were deleted, because "other" is a version too. Skipping
            // 1.0 in between changes nothing.
            let clears = try clearCount() - start
            #expect(clears == 5)
            #expect(try store.verify() == [])
        }
    }
#endif

#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Several collectors on one database that delete old leaks and versions, and combine old days, at the same time.
    @Suite struct SharedRetentionTests {
        @Test
        func `several collectors together delete each old leak and version once, while reports arrive`()
            throws
        {
            let schema = try DatabaseSchema()
            let address = schema.address
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            for number in 0..<6 {
                let now = noon + Int64(number) * day
                let reports = (0..<120).map {
                    Report(
                        leak: leak("L\($0)", app: ["shop", "mail"][$0 % 2]),
                        version: "1.\(number == 0 ? 0 : ($0 + number) % 20)", build: "\(number)",
                        install: UInt64($0 % 7), at: now)
                }
                _ = try store.count([submission(reports, at: now)], now: now)
            }
            let now = noon + 500 * day
            let seenAgain = (0..<60).map {
                Report(leak: leak("L\($0)", app: ["shop", "mail"][$0 % 2]), version: "2.0", at: now)
            }
            _ = try store.count([submission(seenAgain, at: now)], now: now)
            let shown = try store.makeReader().retentionCounts(by: RetentionRule(), now: now)
            #expect(
                shown.count == 2 && shown.allSatisfy { $0.leaks == 30 && $0.versions > 5 && $0.days >= 30 })
            _ = try runTogether(4) { number in
                let store = try PostgreSQLStore(address: address, clock: .unguarded)
                guard number > 0 else {
                    for round in 0..<20 {
                        let reports = (0..<3).map {
                            Report(
                                leak: leak("New \(round + $0)"), version: "2.0", install: UInt64(round),
                                at: now)
                        }
                        _ = try store.count([submission(reports, at: now)], now: now)
                    }
                    return
                }
                try store.expire(now: now)
            }
            #expect(try store.verify() == [])
            let reader = try store.makeReader()
            #expect(try reader.retentionCounts(by: RetentionRule(), now: now) == [])
            for (app, new) in [("shop", 22), ("mail", 0)] {
                let overview = try reader.overview(app: AppScope(app), now: now)
                #expect(overview.leaks == 30 + new)
                #expect(overview.overLimit.first { $0.limit == .deletedLeaks }?.count == 30)
                let versions = try #require(shown.first { $0.app.name == app }?.versions)
                #expect(overview.overLimit.first { $0.limit == .deletedReleases }?.count == versions)
            }
        }
    }
#endif

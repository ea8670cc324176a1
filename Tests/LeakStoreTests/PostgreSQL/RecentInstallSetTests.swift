#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Expiry of the table `recent_install_set`, and damage to it.
    @Suite struct RecentInstallSetTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        @Test
        func
            `an expiry reads each set of recent installs once, even if the set is due for expiry again meanwhile`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = (0..<450).map { Report(leak: leak("L\($0)"), install: UInt64($0)) }
            _ = try store.count([submission(reports)], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            var steps = 0
            _ = try store.expire(now: noon + day) {
                steps += 1
                _ = try? connection.run(Query("update recent_install_set set day = 0"))
                return steps < 100
            }
            #expect(steps < 100)
        }

        /// Returns a store with two installs of a leak, whose set of recent installs is then damaged.
        private func damagedStore(_ damage: String) throws -> PostgreSQLStore {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = [1, 2].map { Report(leak: leak("Page"), install: $0) }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            try PostgreSQLConnection(to: schema.address).run(Query("update recent_install_set set \(damage)"))
            return try PostgreSQLStore(address: schema.address, clock: .unguarded)
        }

        private static let unreadable = #"members = '\x00'"#

        @Test
        func `verify reports an unreadable set of recent installs, and the next report replaces the set`()
            throws
        {
            let store = try damagedStore(Self.unreadable)
            #expect(
                try store.verify() == [
                    "the number of recent installs is the size of its set: not true for 1 row"
                ])
            let report = Report(leak: leak("Page"), install: 3)
            #expect(try store.count([submission([report])], now: noon) == [.counted])
            #expect(try store.verify() == [])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.impact == 1)
        }

        @Test func `an unreadable set of recent installs expires`() throws {
            let store = try damagedStore(Self.unreadable)
            try store.expire(now: noon + day)
            #expect(try store.verify() == [])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.impact == 0)
        }

        @Test
        func `an erasure deletes unreadable sets, which may contain the install, but does not count them`()
            throws
        {
            let store = try damagedStore(Self.unreadable)
            #expect(try store.erase(install: 9).sets == 0)
            #expect(try store.verify() == [])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.impact == 0)
        }

        @Test
        func
            `verify reports an empty set of recent installs, although its stored number of installs is 0 too`()
            throws
        {
            let store = try damagedStore(#"installs = 0, members = '\x020000000000000000000000'"#)
            #expect(
                try store.verify().contains(
                    "the number of recent installs is the size of its set: not true for 1 row"))
        }

        @Test
        func `an install is new for another release and day even if each number differs in only one bit`() {
            var counted = CountedInstalls()
            let day = 20_000
            for (bit, dayBit) in [(0, 12), (1, 13), (8, 4), (10, 6)] {
                for (release, day) in [(5, day), (5 ^ 1 << bit, day ^ 1 << dayBit)] as [(Int64, Int)] {
                    let key = RecentInstallSet.Key(leak: 1, release: release)
                    let isNew = counted.insert(UInt64(100 * bit + dayBit), day: day, in: key.number)
                    #expect(isNew, "release \(release), day \(day)")
                }
            }
        }

        @Test func `a merged leak has the installs of the sets that can be read`() throws {
            let store = try damagedStore(Self.unreadable)
            _ = try store.count([submission([Report(leak: leak("Cart"), install: 3)])], now: noon)
            _ = try store.merge(
                [leak("Page").id], into: leak("Cart"), by: "regroup", now: noon, note: { _ in "merged" })
            #expect(try store.verify() == [])
            #expect(try store.makeReader().leak(leak("Cart").id, now: noon)?.row.impact == 1)
        }

        @Test(arguments: ["-9223372036854775808", "9223372036854775807"])
        func `a set of recent installs whose stored day is damaged causes no crash`(day: String) throws {
            let store = try damagedStore("day = \(day)")
            _ = try store.verify()
            let report = Report(leak: leak("Page"), install: 3)
            #expect(try store.count([submission([report])], now: noon) == [.counted])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.impact == 3)
            _ = try store.erase(install: 1)
            try store.expire(now: noon + LeakStoreTests.day)
            #expect(try store.verify() == [])
            _ = try store.merge(
                [leak("Page").id], into: leak("Cart"), by: "regroup", now: noon, note: { _ in "merged" })
        }
    }
#endif

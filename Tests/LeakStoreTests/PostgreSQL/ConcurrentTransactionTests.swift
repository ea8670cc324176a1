#if PostgreSQL
    import Glibc
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Calls of the store while other transactions are open.
    @Suite struct ConcurrentTransactionTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        /// Runs `body` on a separate thread until it waits for a lock or ends. Then calls `release`, and waits for the end of
        /// `body`.
        ///
        /// - Parameter others: the number of other sessions that already wait for a lock.
        /// - Returns: `true` if `body` waited for a lock.
        private func waits(
            behind others: Int = 0, release: () throws -> Void, _ body: @escaping @Sendable () throws -> Void
        ) throws -> Bool {
            let watcher = try PostgreSQLConnection(to: schema.server)
            let hasEnded = Guarded(false)
            let failure = Guarded<(any Error)?>(nil)
            let thread = WorkerThread(name: "body") {
                do { try body() } catch { failure.with { $0 = error } }
                hasEnded.with { $0 = true }
            }
            var isWaiting = false
            // Looks for seven seconds, because a call waits for a lock for at most ten seconds.
            for _ in 0..<700 where !isWaiting && !hasEnded.with({ $0 }) {
                isWaiting = try schema.sessions(where: "wait_event_type = 'Lock'", by: watcher) > others
                usleep(10_000)
            }
            try release()
            thread.join()
            if let failure = failure.with({ $0 }) { throw failure }
            return isWaiting
        }

        private func rows(of table: String) throws -> Int {
            try PostgreSQLConnection(to: schema.address).run(Query("select count(*) from \(table)")).first?
                .int(0) ?? 0
        }

        @Test func `an idempotency key that expires while it is looked up is looked up again`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            // Simulates a key that existed and was deleted a moment later.
            _ = try PostgreSQLConnection(to: schema.address).run([
                Query("create sequence attempts"),
                Query(
                    """
                    create function vanish() returns trigger language plpgsql as
                    $$ begin if nextval('attempts') = 1 then return null; end if; return new; end $$
                    """),
                Query(
                    "create trigger vanish before insert on idempotency for each row execute function vanish()"
                ),
            ])
            let batch = submission([Report(leak: leak("Page"))], key: "a")
            #expect(try store.count([batch], now: noon) == [.counted])
            #expect(try store.count([batch], now: noon) == [.repeated(response: batch.response)])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 1)
        }

        @Test func `a commit with a new app waits until a running erasure has ended`() throws {
            // Both stores are created first: a starting store checks for a migration, which waits for all other transactions.
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let second = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let page = leak("Page", app: "old")
            _ = try store.count([submission([Report(leak: page, install: 1)])], now: noon)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("select scope from install_set for update"))
            let cart = leak("Cart", app: "new")
            var isHeldUp = false
            let isErasing = try waits(
                release: {
                    isHeldUp = try waits(behind: 1, release: { try other.run(Query("rollback")) }) {
                        _ = try second.count([submission([Report(leak: cart, install: 2)])], now: noon)
                    }
                },
                { _ = try store.erase(install: 1) })
            #expect(isErasing && isHeldUp)
            let reader = try store.makeReader()
            #expect(try reader.leak(page.id, now: noon)?.row.installs == 0)
            #expect(try reader.leak(cart.id, now: noon)?.row.installs == 1)
            #expect(try store.verify() == [])
        }

        @Test func `expiry skips rows that another transaction has locked`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = (0..<5).map { Report(leak: leak("L\($0)"), install: UInt64($0)) }
            _ = try store.count([submission(reports, key: "a")], now: noon)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            _ = try other.run([
                Query("select leak from leak_hour where leak = (select min(id) from leak) for update"),
                Query("select app from app_slot for update"), Query("select key from idempotency for update"),
            ])
            try store.expire(now: noon + 91 * day)
            #expect(try (rows(of: "leak_hour"), rows(of: "app_slot"), rows(of: "idempotency")) == (1, 1, 1))
            try other.run(Query("rollback"))
            try store.expire(now: noon + 91 * day)
            #expect(try (rows(of: "leak_hour"), rows(of: "app_slot"), rows(of: "idempotency")) == (0, 0, 0))
        }

        @Test func `the hourly counts of one leak are deleted in small steps`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
            try PostgreSQLConnection(to: schema.address).run(
                Query(
                    """
                    insert into leak_hour (leak, hour, release, reports)
                    select id, hour, first_release, 1 from leak, generate_series(1, 5000) as hour
                    """))
            var expiry = Expiry(now: noon)
            var left = [try rows(of: "leak_hour")]
            while try store.writer.with({ writer in try writer.runStep(of: &expiry) }) {
                left.append(try rows(of: "leak_hour"))
            }
            #expect(left.last == 1)
            #expect(zip(left, left.dropFirst()).allSatisfy { $0 - $1 <= Writer.maxHoursPerStep }, "\(left)")
        }

        @Test func `reports are counted between the steps of a long erasure`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: leak("Page"), install: 1)])], now: noon)
            try PostgreSQLConnection(to: schema.address).run(
                Query(
                    """
                    insert into install_set (scope, owner, part, members)
                    select 4, number, 0, members
                    from generate_series(1, 60000) as number, (select members from install_set limit 1) as one
                    """))
            let counted = Guarded(-1)
            var (steps, seen) = (0, 0)
            var counter: WorkerThread?
            _ = try store.erase(install: 2) {
                steps += 1
                if steps == 2 {
                    counter = WorkerThread(name: "counter") {
                        for number in 0..<40 {
                            counted.with { $0 = number }
                            _ = try? store.count([submission([Report(leak: leak("Page"))])], now: noon)
                        }
                        counted.with { $0 = 40 }
                    }
                    while counted.with({ $0 }) < 0 { usleep(100) }
                }
                seen = counted.with { $0 }
                return true
            }
            counter?.join()
            #expect(steps > 60 && seen == 40, "\(seen) in \(steps) steps")
        }

        @Test func `reports between two steps of an erasure do not bring the erased install back`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            func reports(_ numbers: Range<Int>, _ build: String, _ install: UInt64) -> [Report] {
                numbers.map { Report(leak: leak("L\($0)"), build: build, install: install) }
            }
            let all = reports(0..<700, "1", 2) + reports(0..<700, "1", 1)
            #expect(try store.count([submission(all)], now: noon) == [.counted])
            var steps = 0
            let erased = try #require(
                try store.erase(install: 1) {
                    steps += 1
                    // Half of the leaks get another build while some sets have been searched and others have not.
                    if steps == 2 || steps == 3 {
                        let more = reports(350..<700, "\(steps)", 2)
                        #expect(throws: Never.self) { try store.count([submission(more)], now: noon) }
                    }
                    return true
                })
            // Each of the 700 leaks has four sets: its own, and those of its release, its build and its recent installs. The
            // app and its release have one each.
            #expect(steps > 3 && erased.sets == 700 * 4 + 2, "\(erased.sets) sets in \(steps) steps")
            #expect(try store.erase(install: 1).sets == 0)
            #expect(try store.verify() == [])
        }

        @Test func `the reports of an install are found by an index`() throws {
            _ = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let connection = try PostgreSQLConnection(to: schema.address)
            // Without this setting, PostgreSQL would scan the table, because it has no rows.
            try connection.run(Query("set enable_seqscan = off"))
            let plan = try connection.run(
                Query("explain select leak, slot from sample where install_hash = 7::bigint"))
            #expect(plan.contains { $0.text(0).contains("sample_of_install") })
        }

        @Test func `an expired response is kept while another transaction has locked its idempotency key`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: leak("Page"))], key: "a")], now: noon)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("select key from idempotency for update"))
            try store.expire(now: noon + 30 * day)
            #expect(try (rows(of: "idempotency"), rows(of: "answer")) == (1, 1))
            try other.run(Query("rollback"))
            #expect(try store.verify() == [])
            try store.expire(now: noon + 30 * day)
            #expect(try (rows(of: "idempotency"), rows(of: "answer")) == (0, 0))
        }

        @Test func `expiry waits for a migration`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Migration.exclusiveLockQuery)
            let isWaiting = try waits(release: { try other.run(Query("rollback")) }) {
                try store.expire(now: noon)
            }
            #expect(isWaiting)
        }

        @Test func `a migration waits for a running commit, and the next commit sees the new schema version`()
            throws
        {
            _ = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                .count([submission([Report(leak: leak("Page"))])], now: noon)
            try schema.downgradeToFirstVersion()
            let earlier = try PostgreSQLConnection(to: schema.address)
            earlier.begin("begin")
            _ = try earlier.run([Migration.sharedLockQuery, Query("update app set reports = reports")])
            let address = schema.address
            var seen: Int?
            let isWaiting = try waits(
                release: {
                    seen = try earlier.run(Migration.versionQuery).first?.int(0)
                    try earlier.run(Query("commit"))
                }, { _ = try PostgreSQLStore(address: address, clock: .unguarded) })
            #expect(isWaiting && seen == 1)
            #expect(
                try earlier.run([Migration.sharedLockQuery, Migration.versionQuery])[1].first?.int(0)
                    == Migration.newestVersion)
            #expect(try PostgreSQLStore(address: address, clock: .unguarded).verify() == [])
        }

        @Test func `reports are counted even if the role's default isolation is repeatable read`() throws {
            let schema = try DatabaseSchema(
                options: "%20-cdefault_transaction_isolation%3Drepeatable%5C%20read")
            let address = schema.address
            _ = try runTogether(3) { number in
                let store = try PostgreSQLStore(address: address, clock: .unguarded)
                for sent in 0..<20 {
                    _ = try store.count(
                        [submission([Report(leak: leak("Page"))], key: "\(number) \(sent)")], now: noon)
                }
            }
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 60)
        }
    }
#endif

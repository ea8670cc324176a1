#if PostgreSQL
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Transactions that the server aborts because they take too long, and calls without a time limit. Also the checks of
    /// `verify`.
    @Suite struct SlowDatabaseTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        /// Returns a store whose connection has an additional setting.
        private func store(_ setting: String) throws -> PostgreSQLStore {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.writer.with { writer in try writer.connector.open().run(Query("set \(setting)")) }
                .count
            return store
        }

        @Test func `after a transaction has timed out, the next transaction contains half as many batches`()
            throws
        {
            let store = try store("statement_timeout = '1s'")
            _ = try PostgreSQLConnection(to: schema.address).run([
                Query(
                    """
                    create function rest() returns trigger language plpgsql as
                    $$ begin perform pg_sleep(0.1); return new; end $$
                    """),
                Query(
                    "create trigger rest before insert on idempotency for each row execute function rest()"),
            ])
            var batches = (0..<32).map { submission([Report(leak: leak("Page"))], key: "\($0)") }
            var failures: [StoreError.Reason] = []
            var taken: [Int] = []
            while !batches.isEmpty, failures.count < 20 {
                do {
                    let receipts = try store.count(batches, now: noon)
                    #expect(receipts.allSatisfy { $0 == .counted })
                    taken.append(receipts.count)
                    batches.removeFirst(receipts.count)
                } catch {
                    failures.append(error.reason)
                }
            }
            #expect(batches.isEmpty && taken.allSatisfy { $0 < 16 }, "\(taken)")
            #expect(failures.count >= 2 && failures.allSatisfy { $0 == .locked }, "\(failures)")
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 32)
            #expect(try store.verify() == [])
        }

        @Test func `a call that waits too long for another transaction's lock fails, and counts nothing`()
            throws
        {
            let store = try store("lock_timeout = '300ms'")
            let batch = submission([Report(leak: leak("Page"))], key: "a")
            _ = try store.count([batch], now: noon)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("select id from app for update"))
            let next = submission([Report(leak: leak("Page"))], key: "b")
            let failure = try #require(throws: StoreError.self) { try store.count([next], now: noon) }
            #expect(failure.reason == .locked)
            try other.run(Query("rollback"))
            #expect(
                try store.count([batch, next], now: noon) == [.repeated(response: batch.response), .counted])
            #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 2)
        }

        @Test func `verify has no time limit`() throws {
            _ = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                .count([submission([Report(leak: leak("Page"))], key: "a")], now: noon)
            var address = schema.address
            address.timeouts.answer = .seconds(2)
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            _ = try PostgreSQLConnection(to: schema.address).run([
                Query("alter table answer rename to kept"),
                Query(
                    """
                    create view answer as select * from kept,
                      lateral (select pg_sleep(3) is not null as is_rested where kept.id > 0) as rest
                    """),
            ])
            #expect(try store.verify() == [])
        }

        @Test func `a copy into PostgreSQL has no time limit`() throws {
            var address = schema.address
            _ = try PostgreSQLStore(address: address, clock: .unguarded)
            try PostgreSQLConnection(to: address).run(
                Query(
                    """
                    create function rest() returns trigger language plpgsql as
                    $$ begin perform pg_sleep(3); return new; end $$
                    """))
            try PostgreSQLConnection(to: address).run(
                Query("create trigger rest before insert on app for each row execute function rest()"))
            address.timeouts.answer = .seconds(2)
            let directory = TemporaryDirectory()
            let source = try directory.store()
            _ = try source.count([submission([Report(leak: leak("Page"))])], now: noon)
            let copied = try PostgreSQLStore.copy(from: source, to: address, now: noon) { _ in }
            #expect(copied.contains { $0.name == "app" && $0.rows == 1 })
        }

        @Test func `a read for a page fails after the time limit for pages`() throws {
            var address = schema.address
            address.timeouts.page = .seconds(2)
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
            let reader = try store.makeReader()
            #expect(try reader.apps() == ["shop"])
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("lock table app in access exclusive mode"))
            let start = ContinuousClock.now
            let failure = try #require(throws: StoreError.self) { try reader.apps() }
            // The server stops waiting for a lock after ten seconds, and reports an error.
            #expect(failure.reason == .unavailable && ContinuousClock.now - start < .seconds(9))
            try other.run(Query("rollback"))
            #expect(try reader.apps() == ["shop"])
        }

        @Test func `verify compares a daily count with its hourly counts only if these have not expired`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            for (name, days) in [("Old", [0]), ("Page", [1, 2, 3])] {
                for number in days {
                    let time = noon + Int64(number) * day
                    let report = Report(leak: leak(name), at: time)
                    _ = try store.count([submission([report], at: time)], now: time)
                }
            }
            // Deletes hourly counts of one leak only, because expiry deletes them leak by leak.
            let connection = try PostgreSQLConnection(to: schema.address)
            try connection.run(
                Query(
                    """
                    delete from leak_hour h using leak l
                    where l.id = h.leak and l.class = 'Page' and h.hour < $1::bigint
                    """, .integer((noon + 2 * day) / hour)))
            #expect(try store.verify() == [])
            try connection.run(
                Query(
                    "update leak_hour set reports = 7 where hour = $1::bigint",
                    .integer((noon + 3 * day) / hour)))
            #expect(
                try store.verify()
                    == [
                        "reports of a day are the sum of its hours, if all hours are kept: not true for 1 row",
                        "reports of a leak before each of its hours are its total without the reports since then: not true for 1 row",
                        "reports before a period in leak are the total without the reports of the period: not true for 1 row",
                        "reports before a period in leak_release are the total without the reports of the period: not true for 1 row",
                    ])
        }

        @Test func `after timeouts, successful transactions raise the limit of the batch size again`() {
            var limiter = BatchSizeLimiter()
            let whole = limiter.limit
            limiter.recordTimeout(of: 64)
            #expect(limiter.limit == 32)
            limiter.recordTimeout(of: 1)
            #expect(limiter.limit == 1)
            for _ in 0..<40 { limiter.recordSuccess() }
            #expect(limiter.limit == whole)
        }

        /// Changes stored data, and expects verify to report that the check of this data fails.
        @Test(arguments: [
            (
                "update leak set reports = reports + 1",
                "reports and freed of a leak are the sums of its releases: not true for 1 row"
            ),
            (
                "update leak set impact = 7",
                "the impact of a leak is its recent installs in the current release: not true for 1 row"
            ),
            ("update leak set builds = 7", "builds of a leak are counted correctly: not true for 1 row"),
            (
                "update app set cells = 7",
                "the stored number of leak builds of an app is not too large: not true for 1 row"
            ),
            (
                "update app set newest_release = null",
                "the current release of an app is the pinned one, or the highest with adoption: not true for 1 row"
            ),
            (
                "update release set new_leaks = 0",
                "leaks and new leaks of a release are counted correctly: not true for 1 row"
            ),
            (
                "update release set installs = 9",
                "the number of installs is the size of its set: not true for 1 row"
            ),
            (
                "delete from install_set where scope = 1",
                "rows with installs have a set of installs: not true for 1 row"
            ),
            (
                "update install_set set members = ''",
                "the number of installs is the size of its set: not true for 5 rows"
            ),
            ("delete from answer", "an idempotency key has its answer: not true for 1 row"),
            ("delete from leak_text", "rows that other rows refer to exist: not true for 1 row"),
        ])
        func `verify reports each check that fails`(damage: String, problem: String) throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let batch = submission([Report(leak: leak("Page"), install: 1)], key: "a")
            _ = try store.count([batch], now: noon)
            #expect(try store.verify() == [])
            try PostgreSQLConnection(to: schema.address).run(Query(damage))
            let found = try store.verify()
            #expect(found.contains(problem), "\(found)")
        }
    }
#endif

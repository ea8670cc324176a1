#if PostgreSQL
    import Glibc
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Answers of the database server that do not come, or come too late.
    @Suite struct LostAnswerTests {
        /// The database server handles the signal of `pg_terminate_backend` after the commit: it sends the answer, and then
        /// ends the session.
        @Test
        func `if a database session ends right after a commit, the report of the commit is counted once`()
            throws
        {
            let schema = try DatabaseSchema(options: DatabaseSchema.commitDelay(milliseconds: 60))
            // Each report has its own leak, and the number of reports depends on the speed of the machine.
            var limits = StoreLimits()
            (limits.leaksPerApp, limits.leakTextBytesPerKeyAndDay) = (.max, .max)
            let store = try PostgreSQLStore(address: schema.address, limits: limits, clock: .unguarded)
            let (checker, isOver) = (AnswerChecker(), Guarded(false))
            let sender = WorkerThread(name: "sender") {
                var sent = 0
                while !isOver.with({ $0 }) {
                    checker.send("\(sent)", to: store)
                    sent += 1
                }
            }
            let other = try PostgreSQLConnection(to: schema.server)
            var ended = 0
            for _ in 0..<6_000 where ended < 12 {
                let hits = try schema.terminate(where: "state = 'active' and query = 'commit'", by: other)
                let isHit = hits > 0
                ended += isHit ? 1 : 0
                // Waits until that commit is over.
                usleep(isHit ? 150_000 : 10_000)
            }
            isOver.with { $0 = true }
            sender.join()
            let result = try checker.checkResult(for: schema)
            #expect(ended == 12)
            #expect(result.isCorrect && result.answerCounts[.counted] ?? 0 >= ended, "\(result)")
        }

        @Test func `a report whose commit is answered too late is counted once`() throws {
            let schema = try DatabaseSchema()
            var address = schema.address
            address.timeouts.answer = .milliseconds(700)
            let store = try PostgreSQLStore(address: address, clock: .unguarded)
            _ = try PostgreSQLConnection(to: schema.address).run([
                Query(
                    """
                    create function rest() returns trigger language plpgsql as
                    $$ begin perform pg_sleep(2); return new; end $$
                    """),
                Query("create trigger rest before insert on leak_hour for each row execute function rest()"),
            ])
            let checker = AnswerChecker()
            checker.send("Page", to: store)
            let result = try checker.checkResult(for: schema)
            #expect(result.isCorrect && result.answerCounts == [.counted: 1], "\(result)")
        }

        @Test func `if a server does not respond, the call fails and its connection is given up`() throws {
            let schema = try DatabaseSchema()
            var address = schema.address
            address.timeouts.answer = .milliseconds(300)
            let connection = try PostgreSQLConnection(to: address)
            let start = ContinuousClock.now
            let failure = try #require(throws: StoreError.self) {
                try connection.run(Query("select pg_sleep(20)"))
            }
            #expect(failure.reason == .unavailable && connection.isLost)
            #expect(ContinuousClock.now - start < .seconds(15))
        }

        @Test
        func
            `if no response comes before the commit, a report is not counted, and later reports are counted`()
            throws
        {
            let schema = try DatabaseSchema()
            var address = schema.address
            address.timeouts.answer = .milliseconds(500)
            let (store, checker) = (try PostgreSQLStore(address: address, clock: .unguarded), AnswerChecker())
            checker.send("first", to: store)
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("select id from app for update"))
            let start = ContinuousClock.now
            checker.send("second", to: store)
            // The server itself stops waiting for the lock after ten seconds.
            #expect(ContinuousClock.now - start < .seconds(8))
            try other.run(Query("rollback"))
            for attempt in 0..<50 where checker.countedCount < 2 {
                checker.send("third \(attempt)", to: store)
            }
            let result = try checker.checkResult(for: schema)
            #expect(result.isCorrect && result.answerCounts[.counted] == 2, "\(result)")
        }

        @Test func `a ping without a response fails soon, and succeeds once the server responds again`()
            throws
        {
            let schema = try DatabaseSchema()
            var address = schema.address
            address.timeouts.probe = .milliseconds(300)
            let reader = try PostgreSQLStore(address: address, clock: .unguarded).makeReader()
            try reader.ping()
            let other = try PostgreSQLConnection(to: schema.address)
            other.begin("begin")
            try other.run(Query("lock table app in access exclusive mode"))
            let start = ContinuousClock.now
            let failure = try #require(throws: StoreError.self) { try reader.ping() }
            #expect(failure.reason == .unavailable)
            #expect(ContinuousClock.now - start < .seconds(8))
            try other.run(Query("rollback"))
            var isBack = false
            for _ in 0..<100 where !isBack {
                usleep(50_000)
                isBack = (try? reader.ping()) != nil
            }
            #expect(isBack)
        }

        @Test func `a server that accepts connections and sends nothing is treated as unreachable`() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = unsafe (bind(listener, pointer, size), listen(listener, 1))
                    _ = unsafe getsockname(listener, pointer, &size)
                }
            }
            let port = UInt16(bigEndian: address.sin_port)
            let failure = try #require(throws: StoreError.self) {
                try PostgreSQLConnection(to: DatabaseAddress("postgres://127.0.0.1:\(port)/leaks"))
            }
            #expect(failure.reason == .unavailable)
        }
    }
#endif

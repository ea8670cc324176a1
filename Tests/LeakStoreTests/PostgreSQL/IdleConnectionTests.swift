#if PostgreSQL
    import Glibc
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Treatment of idle and abandoned connections.
    @Suite struct IdleConnectionTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        /// Ends all sessions, as a server does when it restarts.
        private func endSessions() throws {
            let other = try PostgreSQLConnection(to: schema.server)
            #expect(try schema.terminate(where: "true", by: other) > 0)
            for _ in 0..<3_000 where try schema.sessions(where: "true", by: other) > 0 { usleep(10_000) }
            #expect(try schema.sessions(where: "true", by: other) == 0)
        }

        @Test func `the first call after the server has ended the session succeeds`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let page = leak("Page")
            _ = try store.count([submission([Report(leak: page, install: 1)])], now: noon)
            let hash = [UInt8](repeating: 7, count: 32)
            try endSessions()
            let link = try store.add(
                Credential(
                    purpose: .signIn, name: "link", hash: hash, createdAt: noon, expiresAt: noon + hour))
            try endSessions()
            #expect(try store.useOnce(hash: hash, now: noon))
            try endSessions()
            #expect(try !store.revoke(credential: link.id, now: noon))
            try endSessions()
            #expect(try store.erase(install: 1).samples > 0)
            try endSessions()
            try store.expire(now: noon)
            try endSessions()
            #expect(try store.count([submission([Report(leak: page)])], now: noon) == [.counted])
        }

        @Test func `a statement is cancelled on the server after its client has given up`() throws {
            var address = schema.address
            address.timeouts.answer = .seconds(2)
            let connection = DatabaseConnector(to: address) { _ in }
            let failure = try #require(throws: StoreError.self) {
                do {
                    _ = try connection.open().run(Query("select pg_sleep(600)"))
                } catch {
                    connection.reset()
                    throw error
                }
            }
            #expect(failure.reason == .unavailable)
            let other = try PostgreSQLConnection(to: schema.server)
            for _ in 0..<6_000 where try schema.sessions(where: "true", by: other) > 0 { usleep(10_000) }
            #expect(try schema.sessions(where: "true", by: other) == 0)
        }
    }
#endif

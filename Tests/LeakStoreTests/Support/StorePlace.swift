import LeakStore
import Testing

#if PostgreSQL
    import Glibc
    @testable import LeakPostgreSQL
#endif

/// Where a test of what every store must do keeps its reports: a file, or, with `COLLECTOR_TEST_DATABASE_URL`, a schema
/// in that database. Goes with everything in it.
final class StorePlace: Sendable {
    private let directory = TemporaryDirectory()
    #if PostgreSQL
        let schema = DatabaseSchema.fresh
    #endif

    /// Another process's view: nothing is remembered of what was there before.
    func store(
        seed: UInt64 = 7, limits: StoreLimits = StoreLimits(), clock: ClockRule = .unguarded
    ) throws -> any Store {
        #if PostgreSQL
            if let schema {
                return try PostgreSQLStore(address: schema.address, seed: seed, limits: limits, clock: clock)
            }
        #endif
        return try directory.store(seed: seed, limits: limits, clock: clock)
    }
}

#if PostgreSQL
    /// A schema for one test, dropped with everything in it.
    final class DatabaseSchema: Sendable {
        let address: DatabaseAddress
        /// The address as another process takes it.
        let url: String
        /// Of the schema, and of its sessions as `application_name`.
        let name: String
        let server: DatabaseAddress

        static var url: String? {
            unsafe getenv("COLLECTOR_TEST_DATABASE_URL").map { unsafe String(cString: $0) }
        }

        /// `nil` without a server.
        static var fresh: DatabaseSchema? { url.flatMap { _ in try? DatabaseSchema() } }

        /// The server's address.
        static func server() throws -> String {
            try #require(
                url,
                "no PostgreSQL server: run make test, or set COLLECTOR_TEST_DATABASE_URL to the URL of one")
        }

        /// - Parameter options: the server's settings for every session, as in an address: `%20-cname%3Dvalue`.
        init(options: String = "") throws {
            let url = try Self.server()
            name = "test_\(UInt64.random(in: 0...UInt64.max))"
            server = try DatabaseAddress(url)
            self.url = "\(url)?options=-csearch_path%3D\(name)\(options)&application_name=\(name)"
            address = try DatabaseAddress(self.url)
            try Connection(to: server).run(Query("create schema \(name)"))
        }

        deinit { _ = try? Connection(to: server).run(Query("drop schema \(name) cascade")) }
    }
#endif

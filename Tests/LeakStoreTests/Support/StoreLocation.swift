import LeakStore
import Testing

#if PostgreSQL
    import Glibc
    @testable import LeakPostgreSQL
#endif

/// The database of a test that runs with every store: a file, or, with `COLLECTOR_TEST_DATABASE_URL`, a database of that
/// server. The file or database is removed when the test ends.
final class StoreLocation: Sendable {
    private let directory = TemporaryDirectory()
    #if PostgreSQL
        /// `nil` without a server.
        private let database: Result<DatabaseCopy, any Error>?
    #endif

    init() {
        #if PostgreSQL
            database = DatabaseSchema.url.map { _ in Result { try DatabaseCopy() } }
        #endif
    }

    /// Returns a store as another process opens it, without any cached state.
    func store(
        seed: UInt64 = 7, limits: StoreLimits = StoreLimits(), clock: ClockRule = .unguarded,
        retention: RetentionRule = RetentionRule()
    ) throws -> any Store {
        #if PostgreSQL
            if let database {
                return try PostgreSQLStore(
                    address: database.get().address, seed: seed, limits: limits, clock: clock,
                    retention: retention)
            }
        #endif
        return try directory.store(seed: seed, limits: limits, clock: clock, retention: retention)
    }

    /// Runs a statement in the database of a store that was opened before, without the store.
    func execute(_ sql: String) throws {
        #if PostgreSQL
            if let database {
                try PostgreSQLConnection(to: database.get().address).run(Query(sql))
                return
            }
        #endif
        try directory.execute(sql)
    }

    /// Returns the number of rows of a table.
    func rowCount(of table: String) throws -> Int {
        #if PostgreSQL
            if let database {
                return try PostgreSQLConnection(to: database.get().address)
                    .run(Query("select count(*) from \(table)")).first?.int(0) ?? 0
            }
        #endif
        return try directory.rowCount(of: table)
    }
}

#if PostgreSQL
    /// A database with all tables for one test: a copy of a template that this process creates once. Copying takes a
    /// third of the time that creating the tables takes. The database is dropped when the test ends.
    final class DatabaseCopy: Sendable {
        let address: DatabaseAddress
        private let name: String
        private let server: DatabaseAddress

        private static let template: Result<String, any Error> = Result { try makeTemplate() }

        private static func makeTemplate() throws -> String {
            let server = try DatabaseSchema.server()
            let name = "test_template_\(UInt64.random(in: 0...UInt64.max))"
            try PostgreSQLConnection(to: DatabaseAddress(server)).run(Query("create database \(name)"))
            try Migration.run(on: PostgreSQLConnection(to: address(of: name, at: server)))
            // If the process ends without running exit handlers, its template stays on the server.
            atexit { DatabaseCopy.dropTemplate() }
            return name
        }

        private static func dropTemplate() {
            guard let name = try? template.get(), let server = try? DatabaseSchema.server() else { return }
            _ = try? PostgreSQLConnection(to: DatabaseAddress(server)).run(Query("drop database \(name)"))
        }

        private static func address(of name: String, at server: String) throws -> DatabaseAddress {
            let end = try #require(server.lastIndex(of: "/"))
            return try DatabaseAddress("\(server[...end])\(name)?application_name=\(name)")
        }

        init() throws {
            let url = try DatabaseSchema.server()
            name = "test_\(UInt64.random(in: 0...UInt64.max))"
            server = try DatabaseAddress(url)
            address = try Self.address(of: name, at: url)
            let template = try Self.template.get()
            try PostgreSQLConnection(to: server).run(
                Query("create database \(name) template \(template) strategy file_copy"))
        }

        deinit { _ = try? PostgreSQLConnection(to: server).run(Query("drop database \(name) with (force)")) }
    }

    /// A PostgreSQL schema (namespace) for one test. It is dropped with its tables when the test ends.
    final class DatabaseSchema: Sendable {
        let address: DatabaseAddress
        /// The address as text, to pass to another process.
        let url: String
        /// Name of the schema, and `application_name` of the sessions that use it.
        let name: String
        let server: DatabaseAddress

        static var url: String? {
            unsafe getenv("COLLECTOR_TEST_DATABASE_URL").map { unsafe String(cString: $0) }
        }

        /// Returns the server's address.
        static func server() throws -> String {
            try #require(
                url,
                "no PostgreSQL server: run make test, or set COLLECTOR_TEST_DATABASE_URL to the URL of one")
        }

        /// - Parameter options: settings for every session, percent-encoded as in an address: `%20-cname%3Dvalue`.
        init(options: String = "") throws {
            let url = try Self.server()
            name = "test_\(UInt64.random(in: 0...UInt64.max))"
            server = try DatabaseAddress(url)
            self.url = "\(url)?options=-csearch_path%3D\(name)\(options)&application_name=\(name)"
            address = try DatabaseAddress(self.url)
            try PostgreSQLConnection(to: server).run(Query("create schema \(name)"))
        }

        deinit { _ = try? PostgreSQLConnection(to: server).run(Query("drop schema \(name) cascade")) }
    }
#endif

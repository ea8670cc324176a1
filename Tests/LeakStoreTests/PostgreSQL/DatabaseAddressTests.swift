#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// The address of a database: the parts that may appear in a log, ambiguous addresses, and TLS.
    @Suite struct DatabaseAddressTests {
        @Test(arguments: [
            ("postgres://host/leaks", "host:5432/leaks"),
            ("postgresql://user:s3cret@host:6000/leaks?sslmode=verify-full", "host:6000/leaks"),
            ("postgres://user:s%403cret@one:1,two:2/leaks", "one,two:1,2/leaks"),
            ("postgres:///leaks?host=/run/postgresql&password=s3cret", "/run/postgresql:5432/leaks"),
            ("postgres://host/leaks?user=me@work&password=a@s3cret", "host:5432/leaks"),
            ("postgres://user:s3cret@[::1]:6000/leaks", "::1:6000/leaks"),
        ])
        func `the description of an address names hosts and database, and no secret`(
            text: String, name: String
        ) throws {
            let address = try DatabaseAddress(text)
            #expect(address.description == name && "\(address)" == name)
        }

        /// In most of these addresses, libpq would take a part of the password for a host or a port.
        @Test(arguments: [
            "postgres://user:p@s3cret@host/leaks", "postgres://user:p/s3cret@host/leaks",
            "postgres://user:p:s3cret@host/leaks", "postgres://user:s3cret/x@host/leaks",
            "postgres://user:s3cret", "postgres://user:s3cret?x=1", "mysql://user:s3cret@host/leaks",
            "postgres://host/leaks?pasword=s3cret", "postgres://host/leaks?password=%s3cret",
        ])
        func `an ambiguous address is refused, and the error does not contain it`(text: String) throws {
            let failure = try #require(throws: StoreError.self) { try DatabaseAddress(text) }
            #expect(failure.reason == .invalidArgument)
            #expect(!failure.description.contains("s3cret") && !failure.description.contains("pasword"))
        }

        @Test(arguments: [
            "postgres://user:s3cret@127.0.0.1:1/leaks", "postgres://user:s3cret@no.such.host.invalid/leaks",
            "postgres:///leaks?host=/nowhere&user=me&password=s3cret&sslpassword=s3cret",
        ])
        func `the error about an unreachable server contains no secret`(text: String) throws {
            let failure = try #require(throws: StoreError.self) {
                try PostgreSQLStore(address: DatabaseAddress(text), clock: .unguarded)
            }
            #expect(failure.reason == .unavailable)
            #expect(!failure.description.contains("s3cret"), "\(failure)")
        }

        /// The server of the tests has no TLS; an address that requires TLS must not connect without it.
        @Test(arguments: ["require", "verify-ca", "verify-full"])
        func `TLS that an address requires is enforced`(mode: String) throws {
            let url = try DatabaseSchema.server()
            let failure = try #require(throws: StoreError.self) {
                try PostgreSQLConnection(to: DatabaseAddress("\(url)?sslmode=\(mode)&sslrootcert=/dev/null"))
            }
            #expect(failure.reason == .unavailable)
            try PostgreSQLConnection(to: DatabaseAddress("\(url)?sslmode=prefer")).run(Query("select 1"))
        }
    }
#endif

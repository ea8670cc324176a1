import LeakHTTPServer
import Testing

@testable import LeakCollector

@Suite struct SettingsTests {
    @Test func `flags override the environment, and an empty variable is treated as missing`() throws {
        let settings = try Settings(
            flags: [.port: "1"],
            environment: ["COLLECTOR_PORT": "2", "COLLECTOR_HOST": "0.0.0.0", "COLLECTOR_DATA": ""])
        #expect(settings.port == 1)
        #expect(settings.host == "0.0.0.0")
        #expect(settings.dataFolder == "./data")
    }

    @Test(arguments: [
        ("COLLECTOR_PORT", "http", "COLLECTOR_PORT is “http”, must be a number from 0 to 65535"),
        ("COLLECTOR_PORT", "65536", "COLLECTOR_PORT is “65536”, must be a number from 0 to 65535"),
        ("COLLECTOR_PORT", "-1", "COLLECTOR_PORT is “-1”, must be a number from 0 to 65535"),
        (
            "COLLECTOR_HOST", "a b",
            "COLLECTOR_HOST must be a host name or an address, such as 127.0.0.1 or ::1"
        ),
        (
            "COLLECTOR_DATABASE_BYTES", "16G",
            "COLLECTOR_DATABASE_BYTES is “16G”, must be a number of bytes, 1048576 or more"
        ),
        (
            "COLLECTOR_SAMPLE_DAYS", "6",
            "COLLECTOR_SAMPLE_DAYS is “6”, must be a number of days from 7 to 36500, or 0 forever"
        ),
        (
            "COLLECTOR_UNSEEN_DAYS", "30",
            "COLLECTOR_UNSEEN_DAYS is “30”, must be a number of days from 31 to 36500, or 0 forever"
        ),
        (
            "COLLECTOR_DAILY_DAYS", "97",
            "COLLECTOR_DAILY_DAYS is “97”, must be a number of days from 98 to 36500, or 0 forever"
        ),
        (
            "COLLECTOR_BACKUP_INTERVAL", "0",
            "COLLECTOR_BACKUP_INTERVAL is “0”, must be a number of hours from 1 to 8760"
        ),
        (
            "COLLECTOR_PROXY_ROLE", "check",
            "COLLECTOR_PROXY_ROLE is “check”, must be viewer, triager or admin"
        ),
        (
            "COLLECTOR_PROXY_ADMINS", "ann,",
            "COLLECTOR_PROXY_ADMINS has an empty entry; separate entries with one comma"
        ),
        ("COLLECTOR_BACKUP_COUNT", "0", "COLLECTOR_BACKUP_COUNT is “0”, must be a number from 1 to 1000"),
        (
            "COLLECTOR_LEAK_FREE_SESSIONS", "101",
            "COLLECTOR_LEAK_FREE_SESSIONS is “101”, must be a percentage above 0, at most 100, such as 95 or 99.5"
        ),
        ("COLLECTOR_EXPLANATIONS", "off", "COLLECTOR_EXPLANATIONS is “off”, must be yes or no"),
        ("COLLECTOR_LOG", "xml", "COLLECTOR_LOG is “xml”, must be text or json"),
        ("COLLECTOR_ACCESS_LOG", "on", "COLLECTOR_ACCESS_LOG is “on”, must be off, text or json"),
        (
            "COLLECTOR_METRICS_LISTEN", "9464",
            "COLLECTOR_METRICS_LISTEN is “9464”, must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464"
        ),
        (
            "COLLECTOR_METRICS_LISTEN", "::1:9464",
            "COLLECTOR_METRICS_LISTEN is “::1:9464”, must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464"
        ),
        (
            "COLLECTOR_METRICS_LISTEN", "localhost:65536",
            "COLLECTOR_METRICS_LISTEN is “localhost:65536”, must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464"
        ),
        ("COLLECTOR_URL", "leaks.example.com", "COLLECTOR_URL must start with http:// or https://"),
        (
            "COLLECTOR_URL", "https://",
            "COLLECTOR_URL must be an address without a path, such as https://leaks.example.com"
        ),
        (
            "COLLECTOR_URL", "https://a/leaks",
            "COLLECTOR_URL must be an address without a path, such as https://leaks.example.com"
        ),
        (
            "COLLECTOR_TRUSTED_ORIGINS", "https://a, null",
            "COLLECTOR_TRUSTED_ORIGINS names “null”, must be addresses without a path, separated by commas, such as "
                + "https://leaks.example.com,http://leaks.internal:8080"
        ),
        (
            "COLLECTOR_TRUSTED_ORIGINS", "https://a/leaks",
            "COLLECTOR_TRUSTED_ORIGINS names “https://a/leaks”, must be addresses without a path, separated by commas, "
                + "such as https://leaks.example.com,http://leaks.internal:8080"
        ),
        (
            "COLLECTOR_TRUSTED_ORIGINS", "https://a,",
            "COLLECTOR_TRUSTED_ORIGINS has an empty entry; separate entries with one comma"
        ),
        (
            "COLLECTOR_CONNECTIONS", "0",
            "COLLECTOR_CONNECTIONS is “0”, must be a number from 1 to 1000000"
        ),
        (
            "COLLECTOR_IDLE_TIME", "75s",
            "COLLECTOR_IDLE_TIME is “75s”, must be a number of seconds from 1 to 3600"
        ),
        (
            "COLLECTOR_BODY_BYTES", "1M",
            "COLLECTOR_BODY_BYTES is “1M”, must be a number of bytes from 1024 to 16777216"
        ),
        (
            "COLLECTOR_BODY_BYTES", "16777217",
            "COLLECTOR_BODY_BYTES is “16777217”, must be a number of bytes from 1024 to 16777216"
        ),
        (
            "COLLECTOR_TRUSTED_PROXIES", "10.0.0.0/8,nginx",
            "COLLECTOR_TRUSTED_PROXIES names “nginx”, which is not an address, such as 10.0.0.1, or a range, such as "
                + "10.0.0.0/8 or fd00::/8"
        ),
        (
            "COLLECTOR_TRUSTED_PROXIES", "10.0.0.1/8",
            "COLLECTOR_TRUSTED_PROXIES names “10.0.0.1/8”, which has bits set after its first 8; write 10.0.0.0/8, or "
                + "10.0.0.1 for this address alone"
        ),
        (
            "COLLECTOR_TRUSTED_PROXIES", "10.0.0.0/33",
            "COLLECTOR_TRUSTED_PROXIES names “10.0.0.0/33”, which must end with a number of bits from 0 to 32"
        ),
        ("COLLECTOR_INGEST_KEY", "short", "COLLECTOR_INGEST_KEY is 5 characters, must be at least 16"),
        (
            "COLLECTOR_ACCESS_TOKEN", "with a space in it",
            "COLLECTOR_ACCESS_TOKEN holds a space, a control character or a character outside ASCII"
        ),
        ("COLLECTOR_DATABASE_URL", refusedDatabase.value, refusedDatabase.words),
    ])
    func `an invalid setting is rejected, and the error says why`(
        variable: String, value: String, words: String
    ) {
        #expect {
            try Settings(flags: [:], environment: [variable: value])
        } throws: {
            "\($0)" == words
        }
    }

    @Test func `settings for connections, idle time and body bytes become limits of the server`() throws {
        let settings = try Settings(
            flags: [.connections: "2000", .idleTime: "300"],
            environment: ["COLLECTOR_BODY_BYTES": "16777216"])
        let limits = settings.serverLimits(loops: 8)
        #expect(limits.connections == 2000)
        #expect(limits.idleTime == .seconds(300))
        #expect(limits.bodyBytes == 16 << 20)
        #expect(limits.uploadBytes / 8 >= 2 * limits.bodyBytes)
        #expect(limits.lingerBytes > limits.bodyBytes)
        let usual = Settings().serverLimits(loops: 8)
        #expect(usual.idleTime == .seconds(75))
        // Each of the 8 event loops can hold an envelope with attachments, even an envelope of unknown length, whose buffer
        // grows by doubling.
        #expect(usual.uploadBytes / 8 >= 3 * SentryIngest.maxBodyBytes)
    }

    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1", 9464), ("[::1]:0", "::1", 0),
        ("metrics.internal:80", "metrics.internal", 80),
        ("*:9464", "*", 9464),
    ])
    func `the address of the metrics is split into host and port`(value: String, host: String, port: Int)
        throws
    {
        let settings = try Settings(flags: [.metricsListen: value], environment: [:])
        #expect(settings.metricsListen?.host == host && settings.metricsListen?.port == port)
    }

    @Test func `trusted origins and proxies are read from lists that are separated by commas`() throws {
        let settings = try Settings(
            flags: [:],
            environment: [
                "COLLECTOR_TRUSTED_ORIGINS": "https://leaks.example, http://10.0.0.1:8080",
                "COLLECTOR_TRUSTED_PROXIES": "10.0.0.0/8, fd00::/8",
            ])
        #expect(settings.trustedOrigins == ["https://leaks.example", "http://10.0.0.1:8080"])
        let proxies = try ["10.0.0.0/8", "fd00::/8"].map { try IPNetwork($0) }
        #expect(settings.trustedProxies == proxies)
    }

    #if PostgreSQL
        @Test(arguments: [
            "postgres://me:hunter2@host/leaks", "postgresql://host/leaks?password=hunter2",
            "postgres://host/leaks?sslpassword=hunter2",
        ])
        func `a database address with a password is refused as a flag, and accepted from the environment`(
            address: String
        ) throws {
            let refusal = try #require(throws: SettingError.self) {
                try Settings(flags: [.databaseURL: address], environment: [:])
            }
            #expect(
                "\(refusal)"
                    == "--database-url has a password, which the list of processes would show: give the address as "
                    + "COLLECTOR_DATABASE_URL")
            let settings = try Settings(flags: [:], environment: ["COLLECTOR_DATABASE_URL": address])
            #expect(settings.databaseURL == address)
            let open = "postgres://me@host/leaks"
            #expect(try Settings(flags: [.databaseURL: open], environment: [:]).databaseURL == open)
        }
    #endif

    /// In a build with PostgreSQL, the error does not repeat the value, because it may contain a password.
    private static var refusedDatabase: (value: String, words: String) {
        #if PostgreSQL
            (
                "postgres:/hunter2",
                "COLLECTOR_DATABASE_URL must be an address such as "
                    + "postgres://user@host:5432/database?sslmode=verify-full"
            )
        #else
            (
                "postgres://a/b",
                "COLLECTOR_DATABASE_URL names a PostgreSQL database, which this build cannot use: build the collector with make "
                    + "build TRAITS=PostgreSQL, or unset this setting to keep reports in the data folder"
            )
        #endif
    }

    @Test(arguments: ["https://leaks.example.com", "https://leaks.example.com/", "http://[::1]:8080"])
    func `the collector's own address is accepted with or without the last slash`(address: String) throws {
        let settings = try Settings(flags: [.url: address], environment: [:])
        #expect(settings.url == (address.hasSuffix("/") ? String(address.dropLast()) : address))
    }

    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1"), ("*", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"),
        ("fe80::1", "[fe80::1]"),
        ("localhost", "localhost"), ("192.0.2.1", "192.0.2.1"),
    ])
    func `the collector reaches itself at a host that depends on the host on which it listens`(
        host: String, reachable: String
    ) throws {
        #expect(try Settings(flags: [.host: host], environment: [:]).reachableHost == reachable)
    }

    @Test(arguments: [
        "tcp://10.0.0.1:8080", "udp://10.0.0.1:8080", "sctp://10.0.0.1:1", "tcp://[fd00::1]:8080",
    ])
    func `a port that Kubernetes set is ignored with a warning, and a configured port is used`(
        value: String
    ) throws {
        let settings = try Settings(flags: [:], environment: ["COLLECTOR_PORT": value])
        #expect(settings.port == 8080)
        #expect(
            settings.warnings.count == 1 && settings.warnings[0].hasPrefix("COLLECTOR_PORT is “\(value)”"))
        let given = try Settings(flags: [.port: "9090"], environment: ["COLLECTOR_PORT": value])
        #expect(given.port == 9090 && given.warnings.isEmpty)
        #expect(throws: SettingError.self) { try Settings(flags: [.port: value], environment: [:]) }
    }

    @Test func `secrets are logged as text but not as JSON, unless COLLECTOR_LOG_SECRETS says otherwise`()
        throws
    {
        for (form, word, shows) in [
            ("text", "", true), ("json", "", false), ("text", "no", false), ("json", "yes", true),
        ] {
            let settings = try Settings(
                flags: [.log: form], environment: ["COLLECTOR_LOG_SECRETS": word])
            #expect(settings.showsSecrets == shows)
        }
    }

    @Test func `the error about an invalid ingest key does not contain the key`() {
        #expect {
            try Settings(flags: [:], environment: ["COLLECTOR_INGEST_KEY": "hunter2"])
        } throws: {
            !"\($0)".contains("hunter2")
        }
    }
}

internal import LeakHTTPServer
internal import LeakMessage
public import LeakStore
internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The collector, put together: a server, a store, one thread that writes, a few that read, and the gate in front.
public final class Collector: Sendable {
    /// What an operator is told once, at the start. The secrets in it are shown nowhere else.
    public struct Announcement: Sendable {
        /// `http://HOST:PORT`, as bound.
        public var listening: String
        /// Where people find it, for a first `curl`.
        public var address: String
        /// `http://HOST:PORT`, by which this machine reaches it.
        public var reachable: String
        /// Works once, for ten minutes.
        public var signInLink: String
        /// Made at this start because there was none.
        public var newIngestKey: String?
        public var newAccessToken: String?
        /// Indicates whether there is none, and none was made because it would not have been shown.
        public var lacksIngestKey: Bool
        public var lacksAccessToken: Bool
    }

    /// Where people find it: for links and snippets.
    let address: String
    private let server: Server
    let service: CollectorService
    private let store: any Store
    private let queue: CommitQueue
    private let storeThreads: StoreThreads
    let parsing = ParsingPool()
    private let erasure: Erasure
    private let symbols: SymbolUploads
    private let known: KnownLeaks
    private let housekeeping: Housekeeping
    private let accessLog: AccessLog?
    private let threads: Guarded<[WorkerThread]>
    private let writer: Guarded<WorkerThread?>
    public let announcement: Announcement

    /// Opens everything and listens; nothing is answered before ``start()``.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``StoreError``, `ServerError` or another error whose description is one line for the operator.
    public init(
        settings: Settings, store: any Store, publicFolder: PublicFolder, log: Log,
        now: @escaping @Sendable () -> Int64 = WallClock.milliseconds
    ) throws {
        let isSecure = settings.url?.hasPrefix("https://") ?? false
        // `__Host-` lets no other host of the domain set it, and wants TLS. RFC 6265bis §4.1.3.2
        let gate = Gate(
            cookieName: isSecure ? "__Host-leaks_session" : "leaks_session_\(settings.port)",
            trustedOrigins: Set(
                (settings.trustedOrigins + [settings.url].compactMap(\.self)).compactMap { WebOrigin($0) }))
        let signIn = SignIn(store: store, gate: gate, isSecure: isSecure)
        self.store = store
        let health = StoreHealth()
        queue = CommitQueue(store: store, now: now) { error in
            // Housekeeping looks whether the database is back; what else fails shows with the next transaction.
            let isAway = error?.reason == .unavailable || error?.reason == .uncertain
            if isAway { health.note(.databaseAway, isThere: true) }
            let isDamaged = error?.reason == .damaged
            if isDamaged { health.note(.damaged, isThere: true) }
            health.note(.unwritable, isThere: error != nil && !isAway && !isDamaged)
            // Housekeeping logs damage once.
            if let error, !isDamaged { log.error("reports not taken: \(error)") }
        } untidy: { error in
            if error.reason == .damaged { return }
            log.warning("the store's log was not shortened, and is tried again: \(error)")
        }
        storeThreads = StoreThreads(health: health, log: log)
        erasure = Erasure(store: store, log: log)
        let tables = SymbolTables(store: store)
        symbols = SymbolUploads(store: store, tables: tables, log: log, now: now)
        housekeeping = Housekeeping(
            store: store, gate: gate, tables: tables,
            folder: settings.databaseURL == nil ? DataFolder(path: settings.dataFolder) : nil, health: health,
            log: log,
            now: now)
        known = publicFolder.known
        if let warning = publicFolder.warning { log.warning(warning) }
        let context = RequestContext(
            store: store, gate: gate, threads: storeThreads, health: health, tables: tables, now: now)
        let ingest = Ingest(
            queue: queue, parsing: parsing, rate: RateLimit(reportsPerSecond: settings.reportsPerSecond),
            symbols: tables, takesExplanations: settings.takesExplanations, now: now)
        service = CollectorService(
            context, signIn: signIn, ingest: ingest, erasure: erasure, symbols: symbols,
            files: publicFolder.files, log: log)
        let slowCalls = SlowCalls(log: log, now: now)
        accessLog = Self.format(settings.accessLogForm).map { AccessLog(to: 1, as: $0) }
        var configuration = Server.Configuration(
            host: settings.host, port: settings.port, loops: Self.loops)
        configuration.limits = settings.serverLimits(loops: Self.loops)
        configuration.trustedProxies = settings.trustedProxies
        configuration.onSlowCall = { slowCalls.note($0) }
        if let accessLog { configuration.onAnswer = { accessLog.write(Self.withoutSecrets($0)) } }
        server = try Server(configuration, service: service)
        if server.connectionLimit < configuration.limits.connections {
            log.warning(
                "takes \(server.connectionLimit) connections at a time, not \(configuration.limits.connections):"
                    + " this process may not open more files (ulimit -n)")
        }

        // Only now that nothing else can go wrong: a secret that is made must be shown.
        let reader = try store.makeReader()
        let made = try Credentials(store: store).prepare(
            settings: settings, known: reader.credentials(all: true, now: now()), now: now())
        _ = gate.replace(try reader.credentials(all: true, now: now()), since: gate.edits)
        let code = try signIn.makeCode(now: now())

        let reachable = settings.reachableHost
        address =
            settings.url ?? "http://\(reachable == "127.0.0.1" ? "localhost" : reachable):\(server.port)"
        // An asterisk is no host that a browser could go to.
        let listening = settings.host == "*" ? "localhost" : settings.host
        context.boundAddress.with { [address] in $0 = address }
        announcement = Announcement(
            listening: "http://\(listening.contains(":") ? "[\(listening)]" : listening):\(server.port)",
            address: address,
            reachable: "http://\(reachable):\(server.port)",
            signInLink: "\(address)/sign-in?code=\(code.text)", newIngestKey: made.ingestKey?.text,
            newAccessToken: made.accessToken?.text, lacksIngestKey: made.lacksIngestKey,
            lacksAccessToken: made.lacksAccessToken)
        threads = Guarded([])
        writer = Guarded(nil)
    }

    /// Sign-in links carry a code in their query, a link to the way in may carry another link, and some Sentry SDKs put
    /// their key there. Another token or key has no place there; whoever puts one there by mistake shall not find it in
    /// a log. Nor shall an install that is erased live on there.
    private static func withoutSecrets(_ record: AccessRecord) -> AccessRecord {
        var record = record
        record.maskQuery(secretParameters)
        record.target = LoggedPath.masked(record.target)
        return record
    }

    private static func format(_ form: Settings.AccessLogForm) -> AccessFormat? {
        switch form {
        case .off: nil
        case .text: .text
        case .json: .json
        }
    }

    private static let secretParameters: Set = [
        "code", "to", "token", "access_token", "key", "password", "secret", "sentry_key", "sentry_secret",
        "dsn",
    ]

    public var port: Int { server.port }

    /// One per core, up to more than reports can keep busy.
    private static var loops: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8) }

    /// Threads that parse large bodies at most: they must not keep the loops from the processor.
    private static let parsers = 2

    /// How long clients may take to finish when the collector stops. With the writing of what was taken it stays below
    /// the ten seconds after which containers are killed.
    public static let stopBound = Duration.seconds(5)

    /// Starts the threads; from now on requests are answered.
    public func start() throws {
        let thread = queue.start()
        writer.with { $0 = thread }
        let started =
            try storeThreads.start(store: store, known: known, threads: 2) + [
                try housekeeping.start(), erasure.start(), try symbols.start(),
            ] + parsing.start(threads: min(Self.loops, Self.parsers))
        threads.with { $0 += started }
        server.start()
    }

    /// Takes no new connections, answers what is in flight, writes what was taken, then returns.
    ///
    /// - Parameter bound: how long clients may take to finish.
    public func stop(within bound: Duration) {
        // Before the server waits for the answers.
        erasure.stop()
        symbols.stop()
        server.stop(within: bound)
        parsing.stop()
        queue.stop()
        writer.with { $0.take() }?.join()
        storeThreads.stop()
        housekeeping.stop()
        let started = threads.with { threads in
            defer { threads = [] }
            return threads
        }
        for thread in started { thread.join() }
        accessLog?.close(within: .seconds(1))
    }
}

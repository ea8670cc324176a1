internal import LeakHTTPServer
internal import LeakMessage
public import LeakStore
internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The complete collector: a server, a store, one writer thread, a few threads for reading, parsing, erasures, backups, uploads of
/// symbols and maintenance, and an ``Authenticator`` that authenticates requests.
public final class Collector: Sendable {
    /// Information for the operator that is printed once, at the start. Its secrets are shown nowhere else.
    public struct StartupInfo: Sendable {
        /// The address that the server is bound to: `http://HOST:PORT`.
        public var listeningAddress: String
        /// The address that people open. The printed example of `curl` contains it.
        public var address: String
        /// The address by which this machine reaches the collector: `http://HOST:PORT`.
        public var localAddress: String
        /// The address of `/metrics` without a token; `nil` without ``Settings/metricsListen``.
        public var metricsAddress: String?
        /// A sign-in link that works once, for ten minutes.
        public var signInLink: String
        /// The ingest key that was created at this start, because the database had no ingest key.
        public var newIngestKey: String?
        /// The access token that was created at this start, because the database had no access token.
        public var newAccessToken: String?
        /// True if there is no ingest key. The start created none, because ``Settings/showsSecrets`` is off and the key
        /// would not have been printed.
        public var lacksIngestKey: Bool
        /// True if there is no access token. The start created none, because ``Settings/showsSecrets`` is off and the token
        /// would not have been printed.
        public var lacksAccessToken: Bool
    }

    /// The address that people open, for links and snippets.
    let address: String
    private let server: Server
    /// The server of `/metrics` without a token; `nil` if there is none.
    private let metricsServer: Server?
    let service: CollectorService
    private let store: any Store
    private let queue: CommitQueue
    private let storeThreads: StoreThreadPool
    private let previewThread: StoreThreadPool
    private let metricsThread: StoreThreadPool
    let parsingPool = ParsingPool()
    private let erasure: Erasure
    private let symbolUploads: SymbolUploadWorker
    private let knownLeaks: KnownLeaks
    private let maintenanceLoop: MaintenanceLoop
    private let notifications: NotificationLoop
    /// `nil` if the collector makes no backups.
    let backups: BackupLoop?
    private let accessLog: AccessLog?
    private let threads: Guarded<[WorkerThread]>
    private let writerThread: Guarded<WorkerThread?>
    public let startupInfo: StartupInfo

    /// Creates all parts of the collector, and listens. No request is answered before ``start()``.
    ///
    /// - Parameters:
    ///   - version: the version of the program, for `/metrics`.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``StoreError``, `ServerError` or another error whose description is one line for the operator.
    public init(
        settings: Settings, store: any Store, publicFolder: PublicFolder, log: Log,
        version: String = "unknown",
        now: @escaping @Sendable () -> Int64 = WallClock.milliseconds
    ) throws {
        let events = EventQueue()
        backups = try settings.backupSchedule().map { schedule in
            try Self.makeFolder(
                schedule.folder, noun: "folder of backups", settings: "--backup or COLLECTOR_BACKUP")
            return BackupLoop(
                schedule, databasePath: Self.databasePath(in: settings.dataFolder),
                freeBytes: { DataFolder(path: $0).freeBytes }, log: log,
                onFailure: {
                    events.add(
                        Event(
                            .backupFailed, title: "Backup", text: "A backup failed; see the collector’s log",
                            at: now()))
                }, now: now)
        }
        let isSecure = settings.url?.hasPrefix("https://") ?? false
        // The prefix `__Host-` prevents other hosts of the domain from setting the cookie, and requires TLS. RFC
        // 6265bis §4.1.3.2
        let authenticator = Authenticator(
            cookieName: isSecure ? "__Host-leaks_session" : "leaks_session_\(settings.port)",
            trustedOrigins: Set(
                (settings.trustedOrigins + [settings.url].compactMap(\.self)).compactMap { WebOrigin($0) }),
            proxyUsers: try settings.proxyUsers())
        let signIn = SignIn(store: store, authenticator: authenticator, isSecure: isSecure)
        self.store = store
        let health = StoreHealth()
        queue = CommitQueue(store: store, now: now) { error in
            // MaintenanceLoop clears `databaseUnreachable` and `damaged`. The next transaction that succeeds clears
            // `writeFailed`.
            let isUncertain = error?.reason == .uncertain
            let isDamaged = error?.reason == .damaged || isUncertain && store.damage != nil
            let isUnreachable = error?.reason == .unavailable || isUncertain && !isDamaged
            if isUnreachable { health.record(.databaseUnreachable, isPresent: true) }
            if isDamaged { health.record(.damaged, isPresent: true) }
            health.record(.writeFailed, isPresent: error != nil && !isUnreachable && !isDamaged)
            // MaintenanceLoop logs damage once.
            if let error, !isDamaged { log.error("reports could not be stored: \(error)") }
        } onCheckpointError: { error in
            if error.reason == .damaged { return }
            log.warning("the write-ahead log could not be shortened; the collector will try again: \(error)")
        }
        storeThreads = StoreThreadPool(health: health, log: log)
        previewThread = StoreThreadPool(
            health: health, log: log, name: "preview", limit: RulesPreview.maxRequestCount)
        metricsThread = StoreThreadPool(
            health: health, log: log, name: "metrics", limit: MetricsHandler.maxRequestCount)
        erasure = Erasure(store: store, log: log)
        let symbolTables = SymbolTableCache(store: store)
        let rules = RulesCache()
        symbolUploads = SymbolUploadWorker(store: store, symbolTables: symbolTables, log: log, now: now)
        maintenanceLoop = MaintenanceLoop(
            store: store, authenticator: authenticator, symbolTables: symbolTables, rules: rules,
            folder: settings.databaseURL == nil ? DataFolder(path: settings.dataFolder) : nil, health: health,
            events: events, knownLeaks: publicFolder.knownLeaks,
            leakFreeSessionsPercent: settings.leakFreeSessionsPercent, log: log,
            now: now)
        knownLeaks = publicFolder.knownLeaks
        if let warning = publicFolder.warning { log.warning(warning) }
        let boundAddress = Guarded("")
        let notifications = NotificationLoop(
            settings.channels, allowsPrivateAddresses: settings.notifiesPrivateAddresses,
            isAlone: settings.databaseURL == nil, store: store, address: { boundAddress.with { $0 } },
            log: log, now: now)
        self.notifications = notifications
        let context = RequestContext(
            store: store, authenticator: authenticator, storeThreads: storeThreads,
            previewThread: previewThread, metricsThread: metricsThread, health: health,
            symbolTables: symbolTables, rules: rules, backups: backups,
            channelStatuses: { notifications.currentStatuses }, retention: settings.retention,
            addEvent: { events.add($0) }, boundAddress: boundAddress, now: now)
        let ingest = Ingest(
            queue: queue, parsingPool: parsingPool,
            rateLimit: RateLimit(reportsPerSecond: settings.reportsPerSecond),
            symbolTables: symbolTables, rules: rules, storesExplanations: settings.storesExplanations,
            now: now)
        var metricSources = MetricsHandler.Sources(version: version, queue: queue, ingest: ingest)
        if settings.databaseURL == nil {
            let folder = DataFolder(path: settings.dataFolder)
            metricSources.isDatabaseServer = false
            metricSources.databaseLimitBytes = settings.databaseBytes ?? StoreLimits().databaseBytes
            metricSources.freeDiskBytes = { folder.freeBytes }
        }
        service = CollectorService(
            context, signIn: signIn, ingest: ingest, erasure: erasure, symbolUploads: symbolUploads,
            metricSources: metricSources,
            files: publicFolder.files, log: log)
        let slowCalls = SlowCallLog(log: log, now: now)
        accessLog = Self.accessFormat(settings.accessLogFormat).map { AccessLog(to: 1, as: $0) }
        var configuration = Server.Configuration(
            host: settings.host, port: settings.port, loops: Self.loopCount)
        configuration.limits = settings.serverLimits(loops: Self.loopCount)
        configuration.trustedProxies = settings.trustedProxies
        configuration.sendsRequestIDs = true
        configuration.onSlowCall = { slowCalls.record($0) }
        if let accessLog { configuration.onAnswer = { accessLog.write(Self.withoutSecrets($0)) } }
        server = try Server(configuration, service: service)
        let metrics = service.metrics
        metrics.observe(server)
        metricsServer = try settings.metricsListen.map { address in
            var configuration = Server.Configuration(
                host: address.host, port: address.port, limits: MetricsService.limits)
            configuration.onSlowCall = { slowCalls.record($0) }
            return try Server(configuration, service: MetricsService(metrics))
        }
        if server.connectionLimit < configuration.limits.connections {
            log.warning(
                "at most \(server.connectionLimit) connections at a time, not \(configuration.limits.connections):"
                    + " this process may not open more files; raise ulimit -n")
        }

        // Secrets are created last, when nothing else can fail, because a secret that is created must also be shown.
        let reader = try store.makeReader()
        // The first report is grouped by the rules of its app, too.
        try rules.refresh(from: reader)
        let createdSecrets = try Credentials(store: store, by: .start).prepare(
            settings: settings, storedCredentials: reader.credentials(includingEnded: true, now: now()),
            now: now())
        _ = authenticator.replace(
            try reader.credentials(includingEnded: true, now: now()), since: authenticator.editCount)
        let code = try signIn.makeCode(now: now())

        let localHost = settings.reachableHost
        address =
            settings.url ?? "http://\(localHost == "127.0.0.1" ? "localhost" : localHost):\(server.port)"
        context.boundAddress.with { [address] in $0 = address }
        startupInfo = StartupInfo(
            listeningAddress: Self.address(of: settings.host, server.port),
            address: address,
            localAddress: "http://\(localHost):\(server.port)",
            metricsAddress: metricsServer.flatMap { server in
                settings.metricsListen.map { Self.address(of: $0.host, server.port) + "/metrics" }
            },
            signInLink: "\(address)/sign-in?code=\(code.text)", newIngestKey: createdSecrets.ingestKey?.text,
            newAccessToken: createdSecrets.accessToken?.text, lacksIngestKey: createdSecrets.lacksIngestKey,
            lacksAccessToken: createdSecrets.lacksAccessToken)
        threads = Guarded([])
        writerThread = Guarded(nil)
    }

    /// Returns the address of a server.
    private static func address(of host: String, _ port: Int) -> String {
        // An asterisk is not a host that a browser can open.
        let host = host == "*" ? "localhost" : host
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Removes secrets from an access log record. Sign-in links carry a code in their query, a link to the sign-in page may carry
    /// another link, and some Sentry SDKs put their key into the query. Other tokens and keys do not belong in a query, but a
    /// client may put one there by mistake. The id of an erased install must not stay in a log either.
    private static func withoutSecrets(_ record: AccessRecord) -> AccessRecord {
        var record = record
        record.maskQuery(secretParameters)
        record.target = LoggedPath.masked(record.target)
        return record
    }

    private static func accessFormat(_ form: Settings.AccessLogFormat) -> AccessFormat? {
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

    /// Number of event loops: one per core, at most 8. Reports cannot keep more than 8 loops busy.
    private static var loopCount: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8) }

    /// Maximum number of threads that parse large bodies. More threads would take processor time from the event loops.
    private static let maxParserThreads = 2

    /// Time that clients may take to finish when the collector stops. This time and the time to write the accepted reports
    /// are together below the ten seconds after which a container that was told to stop is killed.
    public static let stopTimeout = Duration.seconds(5)

    /// Starts the threads. Requests are answered from now on.
    public func start() throws {
        let thread = queue.start()
        writerThread.with { $0 = thread }
        let started =
            try storeThreads.start(store: store, known: knownLeaks, threads: 2)
            + previewThread.start(store: store, known: .none, threads: 1)
            + metricsThread.start(store: store, known: knownLeaks, threads: 1) + [
                try maintenanceLoop.start(), erasure.start(), try symbolUploads.start(),
            ] + parsingPool.start(threads: min(Self.loopCount, Self.maxParserThreads))
        threads.with { $0 += started }
        #if os(Linux)
            if !notifications.currentStatuses.isEmpty {
                let thread = try notifications.start()
                threads.with { $0.append(thread) }
            }
        #endif
        backups?.start()
        server.start()
        metricsServer?.start()
    }

    /// Accepts no new connections, answers the requests in flight, writes the accepted reports, then returns.
    ///
    /// - Parameter timeout: time that clients may take to finish.
    public func stop(within timeout: Duration) {
        notifications.stop()
        // Erasures and uploads of symbols stop first, because the server waits for their answers.
        erasure.stop()
        symbolUploads.stop()
        server.stop(within: timeout)
        metricsServer?.stop(within: .seconds(1))
        parsingPool.stop()
        queue.stop()
        writerThread.with { $0.take() }?.join()
        storeThreads.stop()
        previewThread.stop()
        metricsThread.stop()
        maintenanceLoop.stop()
        backups?.stop()
        let started = threads.with { threads in
            defer { threads = [] }
            return threads
        }
        for thread in started { thread.join() }
        accessLog?.close(within: .seconds(1))
    }
}

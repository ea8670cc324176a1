internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Handler of `/metrics`: counters of this process, the size of the database, and the numbers of the overview for each app, in the
/// format of Prometheus.
///
/// Counters are read for each answer. Values from the database are read at most every 30 seconds, however many scrapes come, and
/// missing if the database cannot be reached. A token that is limited to one app gets only the values of its app.
final class MetricsHandler: Sendable {
    /// Maximum number of pairs of an app and an environment with metrics of their own. Each has eight time series.
    static let maxApps = 50
    /// Maximum number of scrapes that wait for values from the database.
    static let maxRequestCount = 9
    /// Milliseconds for which values from the database are used again.
    static let cacheMilliseconds: Int64 = 30_000
    /// Milliseconds for which an app that has metrics keeps them after its last report, so that time series do not come and go when
    /// there are more than ``maxApps`` apps.
    static let stickyMilliseconds: Int64 = 24 * 3_600_000

    /// The parts of the collector that are measured.
    struct Sources: Sendable {
        var version: String
        var queue: CommitQueue
        var ingest: Ingest
        /// `true` for PostgreSQL.
        var isDatabaseServer = true
        /// Size at which a database file accepts no more reports; `nil` for PostgreSQL.
        var databaseLimitBytes: Int?
        /// Returns the free bytes of the disk of the data folder; `nil` for PostgreSQL.
        var freeDiskBytes: (@Sendable () -> UInt64?)?
    }

    /// The values of one app in one environment.
    private struct AppValues {
        var key: AppKey
        var overview: Overview
    }

    /// Values from the database.
    private struct StoredValues {
        /// Milliseconds since 1970.
        var readAt: Int64
        var databaseBytes: Int
        var freeDiskBytes: UInt64?
        /// Sorted by app and environment.
        var apps: [AppValues]
        /// Number of pairs of an app and an environment that are not in ``apps``.
        var omittedApps: Int
    }

    private let context: RequestContext
    private let sources: Sources
    private let signInAttempts: [SignInAttempts]
    /// The start of the process, in milliseconds since 1970.
    private let startedAt: Int64
    /// Values by the app that a token is limited to; `nil` for all apps.
    private let cache = Guarded<[ByteText?: StoredValues]>([:])
    /// Returns the counters of the server; `nil` until the server is bound.
    private let serverCounters = Guarded<(@Sendable () -> Counters)?>(nil)

    init(_ context: RequestContext, _ sources: Sources, signInAttempts: [SignInAttempts]) {
        self.context = context
        self.sources = sources
        self.signInAttempts = signInAttempts
        startedAt = context.now() - Int64((ProcessStatistics.secondsSinceStart() ?? 0) * 1000)
    }

    /// Names the server whose counters are shown.
    func observe(_ server: Server) {
        serverCounters.with { counters in
            counters = { [weak server] in server?.counters ?? Counters() }
        }
    }

    var route: Route {
        Route(.get, "/metrics", access: .readers(.read)) { [self] request, match, responder in
            do throws(Problem) {
                try request.requireParameters([])
                guard let reader = match.reader else { throw .unauthorized("this needs an access token") }
                answer(responder, to: reader)
            } catch {
                responder.send(match.rejection(error, now: context.now()))
            }
        }
    }

    /// Answers at once if values from the database are in the cache, otherwise after they were read.
    ///
    /// - Parameter credential: the credential of the request; `nil` if the address needs none.
    func answer(_ responder: consuming Responder, to credential: Credential?) {
        let app = credential?.app
        if let values = cachedValues(of: app) {
            responder.send(response(values, app: app))
            return
        }
        let responder = SharedResponder(responder)
        context.metricsThread.add(
            StoreWork("/metrics", responders: { [responder] }) { [self] problem in
                // Without the database, only the values of the process are left, of which a limited token sees nothing.
                let isReadable = problem.kind == .overloaded || problem.kind == .stopping
                return app == nil && !isReadable ? response(nil, app: nil) : problem.response
            } response: { [self] resources in
                // An earlier request may have read the values while this one waited.
                if let values = cachedValues(of: app) { return response(values, app: app) }
                let now = context.now()
                let reader = credential?.limited(resources.reader, now: now) ?? resources.reader
                let values = try readValues(from: reader, of: app, now: now)
                cache.with { cache in
                    cache = cache.filter { Self.isFresh($0.value, now: now) || $0.key == nil }
                    cache[app.map { ByteText($0) }] = values
                }
                return response(values, app: app)
            })
    }

    // MARK: Values from the database

    private static func isFresh(_ values: StoredValues, now: Int64) -> Bool {
        // A clock that was set back does not keep values forever.
        (0..<cacheMilliseconds).contains(now - values.readAt)
    }

    private func cachedValues(of app: String?) -> StoredValues? {
        let now = context.now()
        return cache.with { $0[app.map { ByteText($0) }] }.flatMap { Self.isFresh($0, now: now) ? $0 : nil }
    }

    private func readValues(
        from reader: any StoreReader, of app: String?, now: Int64
    ) throws(StoreError) -> StoredValues {
        let summaries = try reader.appSummaries()
        let shownBefore = Set(cache.with { $0[app.map { ByteText($0) }] }?.apps.map(\.key) ?? [])
        let kept = summaries.filter {
            shownBefore.contains($0.key) && now - $0.lastSeen < Self.stickyMilliseconds
        }
        let keptKeys = Set(kept.map(\.key))
        // Summaries are sorted by the time when their app was last seen.
        let shown = (kept + summaries.filter { !keptKeys.contains($0.key) }).prefix(Self.maxApps)
        var apps: [AppValues] = []
        for key in shown.map(\.key) {
            apps.append(AppValues(key: key, overview: try reader.overview(app: key.scope, now: now)))
        }
        apps.sort { ($0.key.name, $0.key.environment) < ($1.key.name, $1.key.environment) }
        return StoredValues(
            readAt: now, databaseBytes: try reader.databaseBytes(),
            freeDiskBytes: sources.freeDiskBytes.flatMap { $0() }, apps: apps,
            omittedApps: summaries.count - apps.count)
    }

    // MARK: The answer

    private func response(_ values: StoredValues?, app: String?) -> Response {
        var writer = MetricsWriter()
        if app == nil {
            addProcess(to: &writer)
            addServer(to: &writer)
            addIngest(to: &writer)
            addDatabase(values, to: &writer)
        }
        if let values { addApps(values, to: &writer) }
        var response = Response(.ok, type: MetricsWriter.mediaType, body: .bytes(writer.bytes))
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    private func addProcess(to writer: inout MetricsWriter) {
        let database = sources.isDatabaseServer ? "postgresql" : "sqlite"
        writer.add(.buildInfo, 1, labels: [("version", sources.version), ("database", database)])
        writer.add(.processStartTime, Double(startedAt) / 1000)
        guard let process = ProcessStatistics.current() else { return }
        writer.add(.processCPU, process.cpuSeconds)
        writer.add(.processResidentBytes, process.residentBytes)
        writer.add(.processOpenDescriptors, process.openDescriptors)
        writer.add(.processMaxDescriptors, process.maxDescriptors)
    }

    private func addServer(to writer: inout MetricsWriter) {
        guard let counters = serverCounters.with({ $0 })?() else { return }
        let (rejected, timedOut) = (counters.rejectedConnections, counters.timedOut)
        writer.add(.httpOpenConnections, counters.openConnections)
        writer.add(.httpAcceptedConnections, counters.accepted)
        writer.add(
            .httpRejectedConnections, by: "limit",
            [
                ("connections", rejected.overTotalLimit),
                ("connections_per_address", rejected.overAddressLimit),
                ("descriptors", rejected.withoutDescriptor),
            ])
        writer.add(.httpEvictedConnections, counters.evicted)
        writer.add(
            .httpTimedOutConnections, by: "waited_for",
            [
                ("head", timedOut.head), ("body", timedOut.body), ("request", timedOut.idle),
                ("reading_of_response", timedOut.write),
            ])
        writer.add(.httpFailedAccepts, counters.failedAccepts)
        writer.add(.httpRequests, counters.requests)
        writer.add(
            .httpResponses, by: "code",
            [
                ("2xx", counters.successful), ("3xx", counters.redirected), ("4xx", counters.clientErrors),
                ("5xx", counters.serverErrors),
            ])
        writer.add(.httpInvalidRequests, counters.rejectedRequests)
        writer.add(.httpReceivedBytes, counters.bytesReceived)
        writer.add(.httpSentBytes, counters.bytesSent)
        writer.add(.httpSlowCalls, counters.slowCalls)
    }

    private func addIngest(to writer: inout MetricsWriter) {
        let (queue, totals) = (sources.queue, sources.queue.totals)
        writer.add(.acceptedReports, totals.acceptedReports)
        writer.add(
            .rejectedReports, by: "reason",
            ReportRejection.allCases.map { ($0.rawValue, totals.rejectedReports[$0] ?? 0) })
        writer.add(
            .droppedReports, by: "reason",
            (CommitQueue.Totals.dropReasons.union(["other", "sentry"])).sorted().map {
                ($0, totals.droppedReports[$0] ?? 0)
            })
        writer.add(
            .batches, by: "result",
            [
                ("counted", totals.countedBatches), ("repeated", totals.repeatedBatches),
                ("reused_key", totals.reusedKeys), ("failed", totals.failedBatches),
            ])
        let rejections = sources.ingest.rejectedBatchCounts
        // Each kind has a sample from the start, so that the first rejection is an increase from 0.
        writer.add(
            .rejectedBatches, by: "problem",
            ProblemKind.allCases.filter { $0.isOfBatches || rejections[$0] != nil }.map {
                ($0.rawValue, rejections[$0] ?? 0)
            })
        writer.add(.queuedBatches, queue.waitingCount)
        writer.add(.queuedBytes, queue.waitingBytes)
        writer.add(.queueLimitBytes, queue.limits.waitingBytes)
        writer.add(.commitDuration, totals.commits)
        writer.add(.failedCommits, totals.failedCommits)
        writer.add(.readDuration, context.storeThreads.durations)
        writer.add(.queuedReads, context.storeThreads.requestCount)
    }

    private func addDatabase(_ values: StoredValues?, to writer: inout MetricsWriter) {
        let present = context.health.present
        writer.add(
            .databaseProblem, by: "problem",
            StoreHealth.Issue.allCases.map { ($0.rawValue, present.contains($0) ? 1 : 0) })
        writer.add(.databaseReadable, values == nil ? 0 : 1)
        if let values { writer.add(.databaseBytes, values.databaseBytes) }
        if let limit = sources.databaseLimitBytes { writer.add(.databaseLimitBytes, limit) }
        // Also without the database, which may be unreadable because its disk is full.
        if let free = values?.freeDiskBytes ?? sources.freeDiskBytes.flatMap({ $0() }) {
            writer.add(.freeDiskBytes, Double(free))
        }
        if let backups = context.backups {
            let status = backups.currentStatus
            if let time = status.lastBackup { writer.add(.lastBackupTime, Double(time) / 1000) }
            writer.add(.backupProblem, backups.problem(now: context.now()) == nil ? 0 : 1)
            writer.add(.backupFailures, status.failureCount)
        }
        let channels = context.channelStatuses().enumerated().map { index, status in
            (labels: [("channel", "\(index + 1)"), ("service", status.format.rawValue)], status: status)
        }
        for (labels, status) in channels {
            writer.add(.notifications, status.sentCount, labels: labels + [("result", "accepted")])
            writer.add(.notifications, status.failureCount, labels: labels + [("result", "failed")])
        }
        for (labels, status) in channels {
            writer.add(.notificationProblem, status.failure == nil ? 0 : 1, labels: labels)
        }
        let totals = signInAttempts.map(\.totals)
        writer.add(
            .failedSignIns, by: "method",
            SignInAttempts.SignInMethod.allCases.map { method in
                (method.rawValue, totals.reduce(0) { $0 + ($1.failures[method] ?? 0) })
            })
        writer.add(.blockedSignIns, totals.reduce(0) { $0 + $1.rejections })
    }

    private func addApps(_ values: StoredValues, to writer: inout MetricsWriter) {
        writer.add(.apps, values.apps.count + values.omittedApps)
        writer.add(.omittedApps, values.omittedApps)
        func add(_ metric: Metric, _ value: (Overview) -> Int?) {
            for app in values.apps {
                guard let count = value(app.overview) else { continue }
                writer.add(metric, count, labels: Self.labels(of: app.key))
            }
        }
        for app in values.apps {
            guard let release = app.overview.currentRelease else { continue }
            writer.add(
                .currentReleaseInfo, 1, labels: Self.labels(of: app.key) + [("version", release.version)])
        }
        add(.appSessions) { $0.currentRelease?.sessions }
        add(.appLeakFreeSessions) { $0.currentRelease.map { $0.sessions - $0.leakySessions } }
        add(.appLeaksToFix) { $0.toFix.leaks }
        add(.appNewLeaks) { $0.newLeaks }
        add(.appRegressedLeaks) { $0.regressedLeaks }
        add(.appRecentReports) { $0.recentReports }
    }

    private static func labels(of app: AppKey) -> [MetricsWriter.Label] {
        [("app", app.name), ("environment", app.environment)]
    }
}

/// The service of the address that has only `/metrics`, and needs no token: `--metrics-listen`.
final class MetricsService: Service {
    private let handler: MetricsHandler

    init(_ handler: MetricsHandler) { self.handler = handler }

    func screen(_ request: borrowing Request) -> ScreeningResult {
        guard request.pathEquals("/metrics") else {
            return ScreeningResult(Problem(.notFound, "this address has only /metrics").response)
        }
        guard request.method == .get || request.method == .head else {
            return ScreeningResult(
                Problem(.methodNotAllowed, "this address accepts only GET, HEAD").withField(
                    "Allow", "GET, HEAD"
                ).response)
        }
        return ScreeningResult()
    }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        handler.answer(responder, to: nil)
    }

    /// The limits of the server. Prometheus keeps one connection open, so few connections are enough.
    static var limits: Limits {
        var limits = Limits()
        limits.connections = 32
        limits.bodyBytes = 1024
        limits.uploadBytes = 64 << 10
        return limits
    }
}

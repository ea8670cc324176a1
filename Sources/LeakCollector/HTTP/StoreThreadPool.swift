internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Threads that answer requests with data of the store. Each has its own reader.
final class StoreThreadPool: Sendable {
    /// Maximum number of requests that wait or run; further requests are rejected. Two threads share them. If each request takes
    /// 2 ms, an accepted request waits for at most half a second. Lists of a large PostgreSQL database take up to 70 ms each, so that
    /// the last of 512 waits for 18 seconds.
    static let maxRequestCount = 512

    /// The objects that belong to one thread.
    struct ThreadResources {
        let reader: any StoreReader
        let pageCache: PageCache
    }

    private let jobs: JobQueue<ThreadResources>
    private let health: StoreHealth
    private let log: Log
    private let name: String

    /// - Parameters:
    ///   - name: begins the names of the threads.
    ///   - limit: the maximum number of requests that wait or run.
    init(
        health: StoreHealth, log: Log, name: String = "reader", limit: Int = StoreThreadPool.maxRequestCount
    ) {
        self.health = health
        self.log = log
        self.name = name
        jobs = JobQueue(
            limit: limit,
            fullProblem: .unavailable(
                "too many requests are waiting for the database; try again", kind: .overloaded,
                afterSeconds: 1),
            stoppingProblem: .unavailable(
                "the collector is stopping; try again", kind: .stopping, afterSeconds: 1))
    }

    /// `true` once the collector stops.
    var isStopping: Bool { jobs.isStopping }

    /// Runs the work on the next thread that is free. Rejects it with 503 if too many requests wait or the database
    /// cannot be reached.
    func add(_ work: StoreWork<ThreadResources>) {
        do throws(Problem) {
            try requireDatabase()
            jobs.add(work)
        } catch {
            work.reject(error)
        }
    }

    /// Checks that the database can be reached.
    ///
    /// - Throws: ``Problem`` 503 if the database cannot be reached: each request would wait until it times out.
    func requireDatabase() throws(Problem) {
        guard !health.blocksReads else {
            throw .unavailable(
                "the database cannot be reached; try again", kind: .databaseUnreachable, afterSeconds: 5)
        }
    }

    /// Starts the threads, and creates a reader for each.
    func start(store: any Store, known: KnownLeaks, threads: Int) throws(StoreError) -> [WorkerThread] {
        var startedThreads: [WorkerThread] = []
        for number in 1...threads {
            // The reader is created here, but used only on the new thread.
            nonisolated(unsafe) let reader = try store.makeReader(known: known)
            startedThreads.append(
                WorkerThread(name: "\(name) \(number)") { [self] in
                    let resources = unsafe ThreadResources(reader: reader, pageCache: PageCache())
                    while jobs.runNext(with: resources, log: log) != .stopped {}
                })
        }
        return startedThreads
    }

    /// Number of requests that wait or run.
    var requestCount: Int { jobs.count }

    /// The time of each request on its thread.
    var durations: LatencyHistogram { jobs.durations.with { $0 } }

    /// Stops the threads after they have answered the waiting requests.
    func stop() { jobs.drain() }
}

/// The work for one request, or for several requests with the same response. It runs on a thread that may wait for the store.
///
/// `ThreadResources` is the type of the objects that belong to the thread, such as its reader.
struct StoreWork<ThreadResources>: Sendable {
    /// The name of the work in the log.
    private let name: String
    /// Returns the responders of the requests that the work answers. Called once, when the work begins or is rejected.
    private let responders: @Sendable () -> [SharedResponder]
    private let makeRejection: @Sendable (Problem) -> Response
    private let makeResponse: @Sendable (ThreadResources) throws -> Response

    init(
        _ name: String, responders: @escaping @Sendable () -> [SharedResponder],
        rejection: @escaping @Sendable (Problem) -> Response,
        response: @escaping @Sendable (ThreadResources) throws -> Response
    ) {
        self.name = name
        self.responders = responders
        makeRejection = rejection
        makeResponse = response
    }

    /// Runs the work and sends its response. Blocks the calling thread while it reads from the store.
    func run(with resources: ThreadResources, log: Log) {
        let responders = responders()
        let response: Response
        do {
            response = try makeResponse(resources)
        } catch {
            let problem = Problem(from: error)
            if problem.status.code >= 500 {
                let request = responders.first?.requestID.map { " (request \($0))" } ?? ""
                log.error("\(name)\(request): \(problem.cause ?? problem.detail)")
            }
            response = makeRejection(problem)
        }
        for responder in responders { responder.send(response) }
    }

    /// Sends the rejection without running the work.
    func reject(_ problem: Problem) {
        let response = makeRejection(problem)
        for responder in responders() { responder.send(response) }
    }
}

/// The services that handlers of requests use.
struct RequestContext: Sendable {
    let store: any Store
    let authenticator: Authenticator
    let storeThreads: StoreThreadPool
    /// The thread of ``RulesPreview``, which takes too long for a thread that answers other requests.
    let previewThread: StoreThreadPool
    /// Reads the values of metrics, which would arrive too late behind a queue of pages.
    let metricsThread: StoreThreadPool
    let health: StoreHealth
    let symbolTables: SymbolTableCache
    let rules: RulesCache
    /// `nil` if the collector makes no backups.
    let backups: BackupLoop?
    /// Returns the state of the notification channels.
    let channelStatuses: @Sendable () -> [ChannelStatus]
    /// The ages at which the store deletes data.
    let retention: RetentionRule
    /// Adds an event, which the maintenance thread stores.
    let addEvent: @Sendable (Event) -> Void
    /// The address of this collector. It is known once the server is bound, because only then port 0 becomes a real
    /// port.
    var address: String { boundAddress.with { $0 } }
    /// The value of ``address``; empty until the server is bound.
    let boundAddress: Guarded<String>
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
}

/// Cache of the pages that one reader has rendered, so that an unchanged page is not rendered twice.
///
/// A page is reused until a commit or the next minute. The cache belongs to one thread, with its reader.
final class PageCache {
    /// State of the store and time for which the cached pages are valid.
    private struct Validity: Equatable {
        /// ``StoreReader/changeCounter()``.
        var changeCounter: Int64
        /// Milliseconds since 1970.
        var now: Int64
    }

    private struct Page {
        var response: Response
        /// Bytes of the body, and of its compressed form if that is cached too.
        var bytes: Int
        var wasRequestedAgain = false
    }

    /// Maximum number of pages. A person opens few pages within a minute.
    private let maxPageCount: Int
    /// Maximum bytes of pages, including their compressed forms. The default has room for ten of the longest lists.
    private let maxBytes: Int
    private var validity: Validity?
    private var pages: [AnyHashable: Page] = [:]
    private var cachedBytes = 0

    init(maxPageCount: Int = 64, maxBytes: Int = 2 << 20) {
        self.maxPageCount = maxPageCount
        self.maxBytes = maxBytes
    }

    /// Returns the cached page for `cacheKey`, or the page that `render` returns.
    ///
    /// - Parameters:
    ///   - changeCounter: the store's change counter, read before `render` reads. If a commit happens in between, the page
    ///     is rendered again for the next request.
    ///   - now: the time that `render` makes the page for, in milliseconds since 1970.
    func page(
        for cacheKey: AnyHashable, changeCounter: Int64, now: Int64, render: () throws -> Response
    ) rethrows -> Response {
        let current = Validity(changeCounter: changeCounter, now: now)
        if current != validity {
            removeAll()
            validity = current
        }
        if let page = pages[cacheKey] { return pageForRepeatedRequest(page, cacheKey) }
        let response = try render()
        insert(Page(response: response, bytes: response.body.count), for: cacheKey)
        return response
    }

    /// Returns a cached page. A page that is requested twice will probably be requested again, so its compressed form
    /// is cached too from now on.
    private func pageForRepeatedRequest(_ page: Page, _ cacheKey: AnyHashable) -> Response {
        guard !page.wasRequestedAgain else { return page.response }
        var page = page
        page.wasRequestedAgain = true
        page.bytes += page.response.compressBeforehand()
        cachedBytes -= pages.removeValue(forKey: cacheKey)?.bytes ?? 0
        insert(page, for: cacheKey)
        return page.response
    }

    private func insert(_ page: Page, for cacheKey: AnyHashable) {
        guard page.bytes <= maxBytes else { return }
        if pages.count == maxPageCount || cachedBytes + page.bytes > maxBytes { removeAll() }
        pages[cacheKey] = page
        cachedBytes += page.bytes
    }

    private func removeAll() {
        pages = [:]
        cachedBytes = 0
    }
}

/// The read of a resource that a request asks for.
struct ResourceRead: Sendable {
    /// The key of the page in a thread's page cache; `nil` if it is not cached.
    var cacheKey: (any Resource)?
    /// Returns the response. Blocks the calling thread while it reads from the store.
    let makeResponse: @Sendable (StoreView) throws -> Response

    /// The key of a cached page: readers with the same rights get the same page.
    private struct CacheKey: Hashable {
        var resource: AnyHashable
        var permissions: Set<Permission>
        var onlyApp: String?
        var operatorAlert: String?
        var canSignOut: Bool
    }

    /// Returns the response, from the page cache if the page is in it.
    ///
    /// - Parameters:
    ///   - view: the view of the store for the request.
    ///   - pageCache: the cached pages of the view's reader.
    func answer(from view: StoreView, cache pageCache: PageCache) throws -> Response {
        guard let cacheKey else { return try makeResponse(view) }
        var view = view
        view.now -= view.now % 60_000
        guard view.reader.hasLocalChangeCounter else { return try makeResponse(view) }
        return try pageCache.page(
            for: CacheKey(
                resource: AnyHashable(cacheKey), permissions: view.permissions, onlyApp: view.onlyApp,
                operatorAlert: view.operatorAlert, canSignOut: view.canSignOut),
            changeCounter: try view.reader.changeCounter(), now: view.now
        ) {
            try makeResponse(view)
        }
    }
}

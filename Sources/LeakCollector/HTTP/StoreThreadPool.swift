internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Threads that answer requests with data of the store. Each has its own reader.
final class StoreThreadPool: Sendable {
    /// Maximum number of requests that wait or run. Each takes a millisecond or two, so an accepted request waits for
    /// at most about a second. Further requests are rejected.
    static let maxRequestCount = 512

    /// The objects that belong to one thread.
    struct ThreadResources {
        let reader: any StoreReader
        let pageCache: PageCache
    }

    private let jobs = JobQueue<ThreadResources>(
        limit: StoreThreadPool.maxRequestCount,
        fullProblem: .unavailable(
            "too many requests are waiting for the database; try again", afterSeconds: 1),
        stoppingProblem: .unavailable("the collector is stopping; try again", afterSeconds: 1))
    private let health: StoreHealth
    private let log: Log

    init(health: StoreHealth, log: Log) {
        self.health = health
        self.log = log
    }

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
            throw .unavailable("the database cannot be reached; try again", afterSeconds: 5)
        }
    }

    /// Starts the threads, and creates a reader for each.
    func start(store: any Store, known: KnownLeaks, threads: Int) throws(StoreError) -> [WorkerThread] {
        var startedThreads: [WorkerThread] = []
        for number in 1...threads {
            // The reader is created here, but used only on the new thread.
            nonisolated(unsafe) let reader = try store.makeReader(known: known)
            startedThreads.append(
                WorkerThread(name: "reader \(number)") { [self] in
                    let resources = unsafe ThreadResources(reader: reader, pageCache: PageCache())
                    while jobs.runNext(with: resources, log: log) != .stopped {}
                })
        }
        return startedThreads
    }

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
            if problem.status.code >= 500 { log.error("\(name): \(problem.cause ?? problem.detail)") }
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
    let health: StoreHealth
    let symbolTables: SymbolTableCache
    /// The address of this collector. It is known once the server is bound, because only then port 0 becomes a real
    /// port.
    var address: String { boundAddress.with { $0 } }
    /// The value of ``address``; empty until the server is bound.
    let boundAddress = Guarded("")
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
}

/// Queue of requests for threads that may wait for the store. If the queue is full or stopped, it rejects new requests.
struct JobQueue<ThreadResources>: Sendable {
    private let queue: WorkQueue<StoreWork<ThreadResources>>
    private let fullProblem: Problem
    private let stoppingProblem: Problem

    /// - Parameters:
    ///   - limit: the maximum number of requests that wait or run; each may hold a body of megabytes.
    ///   - fullProblem: the response to a request beyond `limit`.
    ///   - stoppingProblem: the response to requests that wait or arrive when the collector stops.
    init(limit: Int, fullProblem: Problem, stoppingProblem: Problem) {
        queue = WorkQueue(limit: limit)
        self.fullProblem = fullProblem
        self.stoppingProblem = stoppingProblem
    }

    /// Adds a request, or rejects it.
    func add(_ work: StoreWork<ThreadResources>) {
        switch queue.add(work) {
        case .accepted: break
        case .full: work.reject(fullProblem)
        case .stopping: work.reject(stoppingProblem)
        }
    }

    /// Answers the next request on this thread; blocks until there is a request.
    ///
    /// - Parameter timeout: the longest wait; `nil` for no limit.
    func runNext(with resources: ThreadResources, timeout: Duration? = nil, log: Log) -> WorkOutcome {
        queue.runNext(timeout: timeout) { $0.run(with: resources, log: log) }
    }

    var isStopping: Bool { queue.isStopping }

    /// Accepts no more requests, and answers those that wait.
    func drain() { queue.drain() }

    /// Accepts no more requests, and rejects those that wait.
    func cancel() {
        for work in queue.cancel() { work.reject(stoppingProblem) }
    }
}

/// The data of one response: a reader of the store, and the time that the response refers to.
struct StoreView {
    let reader: any StoreReader
    /// Milliseconds since 1970.
    let now: Int64
    /// The symbols that name closures of earlier reports, which arrived before the symbols; `nil` leaves such closures without
    /// names.
    var symbolTables: SymbolTableCache?
    /// Links to the pages of the server, or to the files of an export.
    var links = Links.served
    /// Address of this collector, for links in text that people paste elsewhere.
    var address = ""

    /// Returns the context of a page with a query: all apps and environments, and the versions of the query's app.
    func context(_ query: LeakQuery) throws(StoreError) -> PageContext {
        PageContext(
            links: links, now: now, apps: try reader.apps(in: query.environment),
            environments: try reader.environments(app: nil), versions: try reader.versions(app: query.scope),
            query: query)
    }

    /// Returns the context of a page about one app, or of a page without a choice of apps.
    func context(app: AppScope) -> PageContext {
        var query = LeakQuery()
        query.scope = app
        return PageContext(links: links, now: now, query: query)
    }

    /// Returns the context of a page about one app with a choice of the environment.
    func contextWithEnvironments(app: AppScope) throws(StoreError) -> PageContext {
        var context = context(app: app)
        context.environments = try reader.environments(app: nil)
        return context
    }
}

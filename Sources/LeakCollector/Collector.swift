internal import HTTPServer
internal import LeakMessage
public import LeakStore
internal import Threads

/// The collector, put together: a server, a store, one thread that writes, a few that read, and the gate in front.
public final class Collector: Sendable {
    /// What an operator is told once, at the start. The secrets in it are shown nowhere else.
    public struct Announcement: Sendable {
        /// `http://HOST:PORT`, as bound.
        public var listening: String
        /// Works once, for ten minutes.
        public var signInLink: String
        /// Made at this start because there was none.
        public var newIngestKey: String?
        public var newAccessToken: String?
    }

    /// Where people find it: for links and snippets.
    let address: String
    private let server: Server
    private let store: any Store
    private let queue: CommitQueue
    private let pool: ReadPool
    private let housekeeping: Housekeeping
    private let threads: Guarded<[WorkerThread]>
    private let writer: Guarded<WorkerThread?>
    public let announcement: Announcement

    /// Opens everything and listens; nothing is answered before ``start()``.
    ///
    /// - Parameters:
    ///   - publicFolder: style, icon and error pages.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``StoreError``, `ServerError` or another error whose description is one line for the operator.
    public init(
        settings: Settings, store: any Store, publicFolder: String, log: Log,
        now: @escaping @Sendable () -> Int64 = WallClock.milliseconds
    ) throws {
        let files = try StaticFiles(folder: publicFolder)
        let reader = try store.makeReader()
        let credentials = Credentials(store: store)
        let made = try credentials.prepare(
            settings: settings, known: reader.credentials(all: true, now: now()), now: now())
        let gate = Gate(try reader.credentials(all: true, now: now()))

        self.store = store
        queue = CommitQueue(store: store, now: now) { error in log.error("reports not taken: \(error)") }
        pool = ReadPool()
        housekeeping = Housekeeping(
            store: store, gate: gate, dataFolder: settings.dataFolder, log: log, now: now)

        let signIn = SignIn(store: store, gate: gate, isSecure: settings.url?.hasPrefix("https://") ?? false)
        let code = try signIn.makeCode(now: now())
        let front = Front(
            gate: gate, signIn: signIn, files: files, queue: queue, pool: pool, housekeeping: housekeeping,
            log: log, now: now)
        server = try Server(
            Server.Configuration(host: settings.host, port: settings.port), service: front)

        let port = server.port
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        address = settings.url ?? "http://localhost:\(port)"
        front.learn(address: address)
        announcement = Announcement(
            listening: "http://\(host):\(port)", signInLink: "\(address)/sign-in?code=\(code.text)",
            newIngestKey: made.ingestKey?.text, newAccessToken: made.accessToken?.text)
        threads = Guarded([])
        writer = Guarded(nil)
    }

    public var port: Int { server.port }

    /// Starts the threads; from now on requests are answered.
    public func start() throws {
        let thread = queue.start()
        writer.with { $0 = thread }
        let started = try pool.start(store: store, threads: 2) + [try housekeeping.start()]
        threads.with { $0 += started }
        server.start()
    }

    /// Takes no new connections, answers what is in flight, writes what was taken, then returns.
    ///
    /// - Parameter bound: how long clients may take to finish.
    public func stop(within bound: Duration) {
        server.stop(within: bound)
        queue.stop()
        writer.with { $0.take() }?.join()
        pool.stop()
        housekeeping.stop()
        for thread in threads.with({ $0 }) { thread.join() }
    }
}

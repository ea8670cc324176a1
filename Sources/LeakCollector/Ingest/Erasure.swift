internal import LeakHTTPServer
internal import LeakMessage
public import LeakStore
internal import LeakPlatform

/// Erasure of one install: `DELETE /api/v1/installs/{id}` and `collector erase`.
///
/// An erasure searches the whole database, which takes seconds in a large one. Erasures, and deletions of other data
/// (``ForgetMutation``), run one after another on a thread of their own, so that no reader waits for them.
public final class Erasure: Mutation {
    static let stoppingProblem = Problem.unavailable(
        "the collector is stopping; send the request again later", kind: .stopping, afterSeconds: 5)

    let method = LeakHTTPServer.Method.delete
    let permission = Permission.administer
    let path = "/api/v1/installs/{install}"

    /// Maximum number of erasures and deletions that run or wait. One runs at a time.
    static let maxRequestCount = 9

    private let jobs = JobQueue<Void>(
        limit: Erasure.maxRequestCount,
        fullProblem: .unavailable(
            "too many requests to erase or delete data are waiting; send this one again later",
            kind: .overloaded, afterSeconds: 10),
        stoppingProblem: Erasure.stoppingProblem)
    private let store: any Store
    private let log: Log

    init(store: any Store, log: Log) {
        self.store = store
        self.log = log
    }

    /// Erases an install. Blocks the calling thread until the rows are deleted.
    ///
    /// - Parameter install: the id as the app sent it.
    public static func run(install: String, in store: any Store) throws(StoreError) -> ErasureResult {
        let entry = entry(by: .commandLine, at: WallClock.milliseconds())
        return try store.erase(install: Install.hash(install), audit: entry, while: { true })
            ?? ErasureResult()
    }

    /// Returns the entry of the audit log. It does not name the install, because its data is erased.
    private static func entry(by origin: ChangeOrigin, at time: Int64) -> AuditEntry {
        AuditEntry(.eraseInstall, of: "an install", by: origin, at: time)
    }

    /// Erases an install, and answers once its data is erased. The id is not logged, because the request asks to erase it.
    func start(_: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let install = change.match.parameters["install"] ?? ""
        let count = install.utf8.count
        guard count <= WireLimits.installBytes else {
            let detail =
                "the id of the install is \(count) bytes, the limit is \(WireLimits.installBytes); check it"
            throw Problem.invalidParameter(detail)
        }
        let hash = Install.hash(install)
        let entry = Self.entry(by: change.origin, at: change.now)
        jobs.add(
            change.work("erasing an install") { [self] in
                guard let erased = try store.erase(install: hash, audit: entry, while: { !jobs.isStopping })
                else {
                    return Self.stoppingProblem.response
                }
                return JSONResponse.json { writer in
                    writer.field("samples", erased.samples)
                    writer.field("sets", erased.sets)
                    writer.field("left_in_log", erased.isLeftInLog)
                }
            })
    }

    /// Adds a deletion, or rejects it if too many wait.
    func add(_ work: StoreWork<Void>) { jobs.add(work) }

    /// `true` once the collector stops. Then a deletion stops before its next step.
    var isStopping: Bool { jobs.isStopping }

    /// Starts the thread that erases.
    func start() -> WorkerThread {
        WorkerThread(name: "erasure") { [self] in
            while jobs.runNext(with: (), log: log) != .stopped {}
        }
    }

    /// Rejects the waiting requests, and stops and rejects the running request before its next step. Then the thread ends.
    func stop() { jobs.cancel() }
}

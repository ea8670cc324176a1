internal import LeakStore
internal import LeakPlatform

/// Threads that answer requests to the store, each with a view of the store of its own.
final class StoreThreads: Sendable {
    /// Requests that wait or run at most. Each takes a millisecond or two; a request that would wait longer than a second is
    /// rejected.
    static let limit = 512

    /// Belongs to the thread.
    struct Lent {
        let reader: any StoreReader
        let memo: PageMemo
    }

    private let jobs = JobQueue<Lent>(
        limit: StoreThreads.limit,
        full: .unavailable("too many requests wait for the database; try again", afterSeconds: 1),
        stopping: .unavailable("the collector is stopping; try again", afterSeconds: 1))
    private let health: StoreHealth
    private let log: Log

    init(health: StoreHealth, log: Log) {
        self.health = health
        self.log = log
    }

    /// Runs the work on the next thread that is free. Rejects it with 503 if too many requests wait or the database cannot be
    /// reached.
    func add(_ work: StoreWork<Lent>) {
        do throws(Problem) {
            try checkDatabase()
            jobs.add(work)
        } catch {
            work.reject(error)
        }
    }

    /// - Throws: ``Problem`` 503 if the database cannot be reached: each request would wait until it times out.
    func checkDatabase() throws(Problem) {
        guard !health.keepsQuestionsOut else {
            throw .unavailable("the database cannot be reached", afterSeconds: 5)
        }
    }

    /// Starts one thread per reader.
    func start(store: any Store, known: KnownLeaks, threads: Int) throws(StoreError) -> [WorkerThread] {
        var started: [WorkerThread] = []
        for number in 1...threads {
            // Made here, used on its thread alone.
            nonisolated(unsafe) let reader = try store.makeReader(known: known)
            started.append(
                WorkerThread(name: "reader \(number)") { [self] in
                    let lent = unsafe Lent(reader: reader, memo: PageMemo())
                    while jobs.runNext(with: lent, log: log) != .stopped {}
                })
        }
        return started
    }

    /// The threads end after what waits.
    func stop() { jobs.finish() }
}

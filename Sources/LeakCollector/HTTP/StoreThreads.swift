internal import LeakPlatform
internal import LeakStore

/// Threads that answer requests to the store, each with a view of the store of its own.
final class StoreThreads: Sendable {
    /// Requests that wait at most. Each takes a millisecond or two; a request that would wait longer than a second is
    /// rejected.
    static let waitingLimit = 512

    /// Belongs to the thread.
    struct Lent {
        let reader: any StoreReader
        let memo: PageMemo
    }

    private struct State {
        var waiting: [StoreWork<Lent>] = []
        var isStopping = false
    }

    private let state = Guarded(State())
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
            let isTaken = state.with { state in
                guard !state.isStopping, state.waiting.count < Self.waitingLimit else { return false }
                state.waiting.append(work)
                return true
            }
            guard isTaken else {
                throw .unavailable("too many questions wait for the store", afterSeconds: 1)
            }
            state.wakeAll()
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
                    while let work = next() { work.run(with: lent, log: log) }
                })
        }
        return started
    }

    func stop() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    private func next() -> StoreWork<Lent>? {
        let next: (work: StoreWork<Lent>?, isOver: Bool)? = state.wait { state in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
            return state.isStopping ? (nil, true) : nil
        }
        return next?.work
    }
}

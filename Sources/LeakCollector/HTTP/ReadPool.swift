internal import LeakStore
internal import LeakPlatform

/// A few threads, each with its own view of the store, that do what would block a loop.
final class ReadPool: Sendable {
    /// Jobs waiting at most. Each takes a millisecond or two; whoever would wait longer than a second is told to come
    /// back.
    static let waitingJobs = 512

    /// What it is lent belongs to the thread that runs it.
    typealias Job = @Sendable (any StoreReader, PageMemo) -> Void

    private struct State {
        var jobs: [Job] = []
        var isStopping = false
    }

    private let state = Guarded(State())

    /// Takes a job.
    ///
    /// - Returns: whether it was taken; `false` when too many wait.
    func run(_ job: @escaping Job) -> Bool {
        let isTaken = state.with { state in
            guard !state.isStopping, state.jobs.count < Self.waitingJobs else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { state.wakeAll() }
        return isTaken
    }

    /// Starts one thread per reader.
    func start(store: any Store, known: KnownLeaks, threads: Int) throws(StoreError) -> [WorkerThread] {
        var started: [WorkerThread] = []
        for number in 1...threads {
            // Made here, used on its thread alone.
            nonisolated(unsafe) let reader = try store.makeReader(known: known)
            started.append(
                WorkerThread(name: "reader \(number)") { [self] in
                    let memo = PageMemo()
                    while let job = next() { unsafe job(reader, memo) }
                })
        }
        return started
    }

    func stop() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    private func next() -> Job? {
        let next: (job: Job?, isOver: Bool)? = state.wait { state in
            if !state.jobs.isEmpty { return (state.jobs.removeFirst(), false) }
            return state.isStopping ? (nil, true) : nil
        }
        return next?.job
    }
}

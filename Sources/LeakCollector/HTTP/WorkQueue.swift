internal import LeakHTTPServer
internal import LeakPlatform

/// The result of adding to a ``WorkQueue``.
enum WorkAdmission: Hashable {
    case accepted
    case full
    case stopping
}

/// The result of waiting for work of a ``WorkQueue``.
enum WorkOutcome: Hashable {
    case ran
    /// No work came before the timeout.
    case timedOut
    case stopped
}

/// Queue of work for worker threads. The total weight of waiting and running work is limited.
final class WorkQueue<Work: Sendable>: Sendable {
    private struct State {
        var waiting: [(work: Work, weight: Int)] = []
        /// Weight of waiting and running work.
        var weight = 0
        var isStopping = false
    }

    private enum NextWork {
        case work(Work, weight: Int)
        case stopped
    }

    private let state = Guarded(State())
    private let limit: Int

    /// - Parameter limit: the largest total weight of waiting and running work.
    init(limit: Int) { self.limit = limit }

    /// Adds work, unless it would exceed the limit. If no work waits or runs, work of any weight is accepted.
    func add(_ work: Work, weight: Int = 1) -> WorkAdmission {
        let admission: WorkAdmission = state.with { state in
            if state.isStopping { return .stopping }
            if state.weight > 0, state.weight + weight > limit { return .full }
            state.waiting.append((work, weight))
            state.weight += weight
            return .accepted
        }
        if admission == .accepted { state.wakeAll() }
        return admission
    }

    /// Runs the next work on this thread; blocks until there is some.
    ///
    /// - Parameter timeout: the longest wait; `nil` for no limit.
    func runNext(timeout: Duration? = nil, _ body: (Work) -> Void) -> WorkOutcome {
        let next: NextWork? = state.wait(timeout: timeout) { state in
            if !state.waiting.isEmpty {
                let (work, weight) = state.waiting.removeFirst()
                return .work(work, weight: weight)
            }
            return state.isStopping ? .stopped : nil
        }
        switch next {
        case nil: return .timedOut
        case .stopped: return .stopped
        case .work(let work, let weight):
            body(work)
            state.with { $0.weight -= weight }
            return .ran
        }
    }

    var isStopping: Bool { state.with { $0.isStopping } }

    /// Weight of waiting and running work.
    var weight: Int { state.with { $0.weight } }

    /// Accepts no more work. Threads run the waiting work before they get ``WorkOutcome/stopped``.
    func drain() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    /// Accepts no more work, and discards the waiting work.
    ///
    /// - Returns: the waiting work, which is not run.
    func cancel() -> [Work] {
        let waiting = state.with { state in
            defer { state.waiting = [] }
            state.isStopping = true
            state.weight -= state.waiting.reduce(0) { $0 + $1.weight }
            return state.waiting.map(\.work)
        }
        state.wakeAll()
        return waiting
    }
}

/// Queue of requests for threads that may wait for the store. If the queue is full or stopped, it rejects new requests.
struct JobQueue<ThreadResources>: Sendable {
    private let queue: WorkQueue<StoreWork<ThreadResources>>
    private let fullProblem: Problem
    private let stoppingProblem: Problem
    /// The time of each request on its thread.
    let durations = Guarded(LatencyHistogram())

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
        queue.runNext(timeout: timeout) { work in
            let start = SystemTime.monotonicNanoseconds
            work.run(with: resources, log: log)
            let duration = SystemTime.monotonicNanoseconds - start
            durations.with { $0.record(nanoseconds: duration) }
        }
    }

    /// Number of requests that wait or run.
    var count: Int { queue.weight }

    var isStopping: Bool { queue.isStopping }

    /// Accepts no more requests, and answers those that wait.
    func drain() { queue.drain() }

    /// Accepts no more requests, and rejects those that wait.
    func cancel() {
        for work in queue.cancel() { work.reject(stoppingProblem) }
    }
}

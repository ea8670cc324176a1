internal import LeakHTTPServer

/// Requests for threads that may wait for the store. A request that finds the queue full or stopped is rejected.
struct JobQueue<Lent>: Sendable {
    private let queue: WorkQueue<StoreWork<Lent>>
    private let full: Problem
    private let stopping: Problem

    /// - Parameters:
    ///   - limit: the most requests that wait or run; each may hold a body of megabytes.
    ///   - full: the answer to a request beyond `limit`.
    ///   - stopping: the answer to what waits or comes when the collector stops.
    init(limit: Int, full: Problem, stopping: Problem) {
        queue = WorkQueue(limit: limit)
        self.full = full
        self.stopping = stopping
    }

    /// Adds a request, or rejects it.
    func add(_ work: StoreWork<Lent>) {
        switch queue.add(work) {
        case .taken: break
        case .full: work.reject(full)
        case .stopping: work.reject(stopping)
        }
    }

    /// Answers the next request on this thread; blocks until there is one.
    ///
    /// - Parameter timeout: the longest wait; `nil` waits for good.
    func runNext(with lent: Lent, timeout: Duration? = nil, log: Log) -> WorkOutcome {
        queue.runNext(timeout: timeout) { $0.run(with: lent, log: log) }
    }

    var isStopping: Bool { queue.isStopping }

    /// Takes no more requests, and answers those that wait.
    func finish() { queue.stop() }

    /// Takes no more requests, and rejects those that wait.
    func stop() {
        for work in queue.cancel() { work.reject(stopping) }
    }
}

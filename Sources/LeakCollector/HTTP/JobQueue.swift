internal import LeakHTTPServer
internal import LeakPlatform

/// Requests whose answers take long, such as erasing an install, for one thread that takes them one after another.
final class JobQueue<Lent>: Sendable {
    /// Requests that wait at most; each may hold a body of megabytes.
    static var limit: Int { 8 }

    enum Next {
        case job(StoreWork<Lent>)
        /// The time was up before a job came.
        case timedOut
        case stopped
    }

    private struct State {
        var waiting: [StoreWork<Lent>] = []
        var isStopping = false
    }

    private let state = Guarded(State())
    private let full: Problem
    private let stopping: Problem

    /// - Parameters:
    ///   - full: the answer while ``limit`` requests wait.
    ///   - stopping: the answer to what waits or comes when the collector stops.
    init(full: Problem, stopping: Problem) {
        self.full = full
        self.stopping = stopping
    }

    /// Adds a request, or rejects it.
    func add(_ work: StoreWork<Lent>) {
        let rejection: Problem? = state.with { state in
            if state.isStopping { return stopping }
            if state.waiting.count >= Self.limit { return full }
            state.waiting.append(work)
            return nil
        }
        if let rejection {
            work.reject(rejection)
        } else {
            state.wakeAll()
        }
    }

    /// Takes the next request for the thread that answers them; blocks until there is one.
    ///
    /// - Parameter timeout: the longest wait; `nil` waits for good.
    func next(timeout: Duration? = nil) -> Next {
        let next: Next? = state.wait(timeout: timeout) { state in
            if state.isStopping { return .stopped }
            return state.waiting.isEmpty ? nil : .job(state.waiting.removeFirst())
        }
        return next ?? .timedOut
    }

    var isStopping: Bool { state.with { $0.isStopping } }

    /// Rejects what waits; the thread gets ``Next/stopped``.
    func stop() {
        let waiting = state.with { state in
            defer { state.waiting = [] }
            state.isStopping = true
            return state.waiting
        }
        state.wakeAll()
        for work in waiting { work.reject(stopping) }
    }
}

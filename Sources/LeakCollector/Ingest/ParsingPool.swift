internal import LeakPlatform

/// A few threads that parse and group large bodies, so that no loop of the server is held up by one.
///
/// Bounded by the bytes of the bodies that wait or are being parsed. Answers keep their order on a connection, because
/// the server writes them in the order of the requests.
final class ParsingPool: Sendable {
    /// Bytes of bodies that wait or are being parsed: four of the largest.
    static let capacity = 64 << 20

    typealias Job = @Sendable () -> Void

    private struct Work {
        let bytes: Int
        let job: Job
        let cancel: Job
    }

    private struct State {
        var waiting: [Work] = []
        var bytes = 0
        var isStopping = false
    }

    /// The result of submitting a job.
    enum Admission: Hashable {
        case taken
        /// Too many bytes wait.
        case full
        case stopping
    }

    private let state = Guarded(State())

    /// Submits a job.
    ///
    /// - Parameters:
    ///   - bytes: of the body that it parses. A body is taken alone, however large it is.
    ///   - cancel: runs in place of the job if the pool stops before its turn.
    /// - Returns: whether it was taken. Neither `job` nor `cancel` runs if it was not.
    func run(bytes: Int, _ job: @escaping Job, cancel: @escaping Job) -> Admission {
        let admission: Admission = state.with { state in
            if state.isStopping { return .stopping }
            if state.bytes > 0, state.bytes + bytes > Self.capacity { return .full }
            state.waiting.append(Work(bytes: bytes, job: job, cancel: cancel))
            state.bytes += bytes
            return .taken
        }
        if admission == .taken { state.wakeAll() }
        return admission
    }

    /// Starts the threads.
    func start(threads: Int) -> [WorkerThread] {
        (1...threads).map { number in
            WorkerThread(name: "parser \(number)") { [self] in
                while let work = next() {
                    work.job()
                    state.with { $0.bytes -= work.bytes }
                }
            }
        }
    }

    /// Cancels what waits. The threads end after the jobs that they run.
    func stop() {
        let waiting = state.with { state in
            defer { state.waiting = [] }
            state.isStopping = true
            state.bytes -= state.waiting.reduce(0) { $0 + $1.bytes }
            return state.waiting
        }
        state.wakeAll()
        for work in waiting { work.cancel() }
    }

    private func next() -> Work? {
        let next: (work: Work?, isOver: Bool)? = state.wait { state in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
            return state.isStopping ? (nil, true) : nil
        }
        return next?.work
    }
}

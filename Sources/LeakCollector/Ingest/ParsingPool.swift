internal import LeakPlatform

/// A few threads that parse and group large bodies, so that these do not block an event loop of the server.
///
/// The pool is bounded by the bytes of the bodies that wait or are being parsed. Answers keep their order on a connection,
/// because the server writes them in the order of the requests.
final class ParsingPool: Sendable {
    /// Maximum bytes of bodies that wait or are being parsed: four of the largest bodies.
    static let maxBytes = 64 << 20

    typealias Job = @Sendable () -> Void

    private struct Work {
        let job: Job
        let cancel: Job
    }

    private let queue = WorkQueue<Work>(limit: ParsingPool.maxBytes)

    /// Adds a job to the queue.
    ///
    /// - Parameters:
    ///   - bytes: size of the body that the job parses. An idle pool accepts a body of any size.
    ///   - cancel: runs in place of the job if the pool stops before its turn.
    /// - Returns: the result of adding the job. If it was not accepted, neither `job` nor `cancel` runs.
    func enqueue(bytes: Int, _ job: @escaping Job, cancel: @escaping Job) -> WorkAdmission {
        queue.add(Work(job: job, cancel: cancel), weight: bytes)
    }

    /// Starts the threads.
    func start(threads: Int) -> [WorkerThread] {
        (1...threads).map { number in
            WorkerThread(name: "parser \(number)") { [self] in
                while queue.runNext({ $0.job() }) != .stopped {}
            }
        }
    }

    /// Cancels the waiting jobs. The threads end after their current jobs.
    func stop() {
        for work in queue.cancel() { work.cancel() }
    }
}

internal import HTTPServer
internal import LeakMessage
public import LeakStore
internal import Threads

/// Erasing one install: `DELETE /api/v1/installs/{id}` and `collector erase`.
///
/// It looks through the whole database, seconds in a large one: on a thread of its own, one install after another, so
/// that nobody who reads waits behind it.
public final class Erasure: Sendable {
    /// Erasures that wait at most: somebody asks for one now and then.
    static let waitingJobs = 8

    private struct Job {
        let install: UInt64
        let responder: SharedResponder
    }

    private struct State {
        var waiting: [Job] = []
        var isStopping = false
    }

    private let state = Guarded(State())
    private let store: any Store
    private let log: Log

    init(store: any Store, log: Log) {
        self.store = store
        self.log = log
    }

    /// Blocks on the store.
    ///
    /// - Parameter install: the id as the app sent it.
    public static func run(install: String, in store: any Store) throws(StoreError) -> Erased {
        try store.erase(install: Install.hash(install))
    }

    /// Answers once the install is gone. The id is in no log: it is what somebody asked to forget.
    func receive(_ install: String, _ responder: consuming Responder) {
        let count = install.utf8.count
        guard count <= WireLimits.installBytes else {
            let detail = "the install is \(count) bytes, at most \(WireLimits.installBytes): no report has it"
            responder.send(Problem(.badRequest, detail).response)
            return
        }
        let job = Job(install: Install.hash(install), responder: SharedResponder(responder))
        let refusal: Problem? = state.with { state in
            if state.isStopping { return Self.stopping }
            if state.waiting.count >= Self.waitingJobs { return Self.tooMany }
            state.waiting.append(job)
            return nil
        }
        if let refusal {
            job.responder.send(refusal.response)
        } else {
            state.wakeAll()
        }
    }

    private static let tooMany = Problem.unavailable("too many installs wait to be erased", afterSeconds: 10)
    private static let stopping = Problem.unavailable(
        "the collector is stopping; ask again, what is erased already stays so", afterSeconds: 5)

    /// Starts the thread that erases.
    func start() -> WorkerThread {
        WorkerThread(name: "erasure") { [self] in
            while let job = next() { job.responder.send(answer(to: job)) }
        }
    }

    /// Refuses what waits, and what is being erased before its next step; the thread ends.
    func stop() {
        let waiting = state.with { state in
            defer { state.waiting = [] }
            state.isStopping = true
            return state.waiting
        }
        state.wakeAll()
        for job in waiting { job.responder.send(Self.stopping.response) }
    }

    private func next() -> Job? {
        let next: (job: Job?, isOver: Bool)? = state.wait { state in
            if state.isStopping { return (nil, true) }
            return state.waiting.isEmpty ? nil : (state.waiting.removeFirst(), false)
        }
        return next?.job
    }

    private func answer(to job: Job) -> Response {
        do throws(StoreError) {
            let erased = try store.erase(install: job.install) { state.with { !$0.isStopping } }
            guard let erased else { return Self.stopping.response }
            return Answer.json { writer in
                writer.field("samples", erased.samples)
                writer.field("sets", erased.sets)
                writer.field("left_in_log", erased.isLeftInLog)
            }
        } catch {
            log.error("erasing an install: \(error)")
            return Problem(error).response
        }
    }
}

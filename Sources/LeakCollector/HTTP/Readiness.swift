internal import LeakHTTPServer
internal import LeakStore
internal import LeakPlatform

/// Answers `/readyz`. One look at the store serves all who ask before it begins: anybody may ask, and thousands of
/// questions must not take the place of pages.
final class Readiness: Sendable {
    private let waiting = Guarded<[SharedResponder]>([])
    private let pool: ReadPool
    private let log: Log

    init(pool: ReadPool, log: Log) {
        self.pool = pool
        self.log = log
    }

    func receive(_ responder: consuming Responder) {
        let responder = SharedResponder(responder)
        let isFirst = waiting.with { waiting in
            waiting.append(responder)
            return waiting.count == 1
        }
        guard isFirst else { return }
        let isTaken = pool.run { [self] reader, _ in
            let asking = take()
            let response = look(reader)
            for responder in asking { responder.send(response) }
        }
        guard !isTaken else { return }
        let busy = Problem.unavailable("too many questions wait for the store", afterSeconds: 1).response
        for responder in take() { responder.send(busy) }
    }

    private func take() -> [SharedResponder] {
        waiting.with { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    private func look(_ reader: any StoreReader) -> Response {
        do throws(StoreError) {
            try reader.ping()
            return .plain("ready\n")
        } catch {
            let problem = Problem(error)
            log.error("/readyz: \(problem.cause ?? problem.detail)")
            return problem.response
        }
    }
}

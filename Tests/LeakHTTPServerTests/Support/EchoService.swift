import LeakHTTPServer
import Testing
import LeakPlatform

/// A service that answers every request with its body.
struct EchoService: Service {
    /// The function that returns the response of ``screen(_:)``.
    var screening: @Sendable (borrowing Request) -> Response? = { _ in nil }

    func screen(_ request: borrowing Request) -> ScreeningResult { ScreeningResult(screening(request)) }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        responder.send(Response(.ok, type: "text/plain", body: .bytes(request.body())))
    }
}

/// A service that passes every request to a closure, which sends the response.
struct ClosureService: Service {
    let answer: @Sendable (borrowing Request, consuming Responder) -> Void

    func serve(_ request: borrowing Request, _ responder: consuming Responder) { answer(request, responder) }
}

/// Runs `body` with a server on a free port and stops the server. Also checks that `onAnswer` was called for every counted
/// answer.
///
/// - Parameter isObserved: `true` if the server has an observer of answers and of slow calls.
func withServer<Result>(
    _ service: any Service = EchoService(), loops: Int = 1, limits: Limits = Limits(),
    isObserved: Bool = true, _ body: (Server) throws -> Result
) throws -> Result {
    let recordCount = Guarded(0)
    var configuration = Server.Configuration(port: 0, loops: loops, limits: limits)
    if isObserved {
        configuration.onAnswer = { record in
            _ = AccessFormat.json.line(record)
            recordCount.with { $0 += 1 }
        }
        configuration.onSlowCall = { _ in }
    }
    let server = try Server(configuration, service: service)
    server.start()
    defer {
        server.stop(within: .milliseconds(100))
        if isObserved { #expect(recordCount.with { $0 } == server.counters.answers) }
    }
    return try body(server)
}

extension Counters {
    /// The number of answers with any status.
    var answers: Int { successful + redirected + clientErrors + serverErrors }
}

/// Runs `count` calls of `body` at the same time, each on a separate thread.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in WorkerThread(name: "test-\(index)") { body(index) } }
    for thread in threads { thread.join() }
}

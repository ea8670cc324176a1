import HTTPServer
import Threads

/// Answers every request with its body.
struct EchoService: Service {
    /// What ``screen(_:)`` says.
    var refuses: @Sendable (borrowing Request) -> Response? = { _ in nil }

    func screen(_ request: borrowing Request) -> Response? { refuses(request) }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        responder.send(Response(.ok, type: "text/plain", body: .bytes(request.body())))
    }
}

/// Answers as a closure says.
struct ClosureService: Service {
    let answer: @Sendable (borrowing Request, consuming Responder) -> Void

    func serve(_ request: borrowing Request, _ responder: consuming Responder) { answer(request, responder) }
}

/// Runs `body` with a server on a free port and stops it.
func withServer<Result>(
    _ service: any Service = EchoService(), loops: Int = 1, limits: Limits = Limits(),
    _ body: (Server) throws -> Result
) throws -> Result {
    let server = try Server(.init(port: 0, loops: loops, limits: limits), service: service)
    server.start()
    defer { server.stop(within: .milliseconds(100)) }
    return try body(server)
}

/// Runs `count` calls of `body` at the same time, each on a thread of its own.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in WorkerThread(name: "test-\(index)") { body(index) } }
    for thread in threads { thread.join() }
}

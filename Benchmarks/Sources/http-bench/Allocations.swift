import CountedMalloc
import EchoService
import LeakHTTPServer
import LoadTools

/// Counts the calls of `malloc` that our server makes for one request. Their number is the same on any machine.
enum Allocations {
    /// The measured requests, and the number of allocations allowed for each. A body that arrives in several reads needs
    /// some, because the head and the bytes that have arrived must be stored in between.
    static let limits: [(name: String, request: [UInt8], limit: Double)] = [
        ("GET", Connection.get, 0), ("POST of 559 bytes", Connection.post(559), 0),
        ("POST of 16 KiB", Connection.post(16 << 10), 4), ("POST of 1 MiB", Connection.post(1 << 20), 8),
    ]

    /// An echo service that counts the calls of `malloc` on its thread.
    private struct CountedEcho: Service {
        let echo = Echo()

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            echo.serve(request, responder)
            counted_malloc_start()
        }
    }

    static func perRequest(_ request: [UInt8]) throws -> Double {
        let server = try Server(Server.Configuration(port: 0), service: CountedEcho())
        server.start()
        defer { server.stop(within: .seconds(1)) }
        guard let connection = Connection.open(port: server.port) else {
            throw Failure("the server does not listen")
        }
        // The first requests make buffers grow and create lazy values.
        let (first, counted) = (50, 1000)
        for _ in 0..<first where !connection.ask(request) { throw Failure("the server did not answer") }
        _ = counted_malloc_take()
        for _ in 0..<counted where !connection.ask(request) { throw Failure("the server did not answer") }
        return Double(counted_malloc_take()) / Double(counted)
    }
}

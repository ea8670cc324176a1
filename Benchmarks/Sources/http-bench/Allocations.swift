import CountedMalloc
import EchoService
import LeakHTTPServer
import LoadTools

/// Calls of `malloc` that our server makes for one request: counted, so the same on any machine.
enum Allocations {
    /// The measured requests, and the number of allocations allowed for each. A body that arrives in several reads costs some: its
    /// head and the part that has arrived must be kept meanwhile.
    static let limits: [(name: String, request: [UInt8], limit: Double)] = [
        ("GET", Connection.get, 0), ("POST of 559 bytes", Connection.post(559), 0),
        ("POST of 16 KiB", Connection.post(16 << 10), 4), ("POST of 1 MiB", Connection.post(1 << 20), 8),
    ]

    /// The echo, on a thread whose calls are counted.
    private struct Watched: Service {
        let echo = Echo()

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            echo.serve(request, responder)
            counted_malloc_start()
        }
    }

    static func perRequest(_ request: [UInt8]) throws -> Double {
        let server = try Server(Server.Configuration(port: 0), service: Watched())
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

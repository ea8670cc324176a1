import LeakGzip
import LeakHTTPVectors
import Testing
import LeakPlatform

@testable import LeakHTTPServer

@Suite struct SharedBytesTests {
    /// A service that retains every body in the form in which the server shares it.
    private final class RetainingService: Service {
        let bodies = Guarded<[SharedBytes]>([])

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            let body = request.sharedBody()
            bodies.with { $0.append(body) }
            responder.send(Response(.ok, body: .shared(body)))
        }

        var texts: [String] {
            bodies.with { $0 }.map { String(decoding: $0.copy(), as: UTF8.self) }
        }
    }

    private static let sizes = [1, 559, 16 << 10, 70_000, 1 << 20]

    private func postRequest(_ body: String, _ fields: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(arguments: sizes)
    func `the bytes of a body that a service keeps do not change when further bodies arrive`(
        size: Int
    ) throws {
        let keeper = RetainingService()
        try withServer(keeper) { server in
            let client = Client(port: server.port)
            let bodies = "abcdefgh".map { String(repeating: $0, count: size) }
            for body in bodies {
                client.send(postRequest(body))
                #expect(client.nextAnswer()?.text == body)
            }
            #expect(keeper.texts == bodies)
        }
    }

    @Test(arguments: [1, 559, 30_000])
    func `the bytes of a body that a service keeps do not change if the client pipelined further requests`(
        size: Int
    )
        throws
    {
        let keeper = RetainingService()
        try withServer(keeper) { server in
            let client = Client(port: server.port)
            let bodies = "abcdefghijkl".map { String(repeating: $0, count: size) }
            client.send(bodies.map { postRequest($0) }.joined())
            #expect(client.answers(bodies.count).map(\.text) == bodies)
            client.send(postRequest(String(repeating: "z", count: size)))
            #expect(client.answers(bodies.count + 1).count == bodies.count + 1)
            #expect(keeper.texts.dropLast() == bodies[...])
        }
    }

    @Test func `the bytes of a decompressed body that a service keeps do not change`() throws {
        let keeper = RetainingService()
        try withServer(keeper) { server in
            let client = Client(port: server.port)
            let bodies = "abc".map { String(repeating: $0, count: 5_000) }
            for body in bodies {
                let small = Gzip.deflate(Array(body.utf8))
                client.send(
                    Array(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(small.count)\r\n\r\n"
                            .utf8) + small)
                #expect(client.nextAnswer()?.text == body)
            }
            #expect(keeper.texts == bodies)
        }
    }

    @Test func `a response that shares the bytes of its request is sent unchanged, even if it is read late`()
        throws
    {
        try withServer(RetainingService()) { server in
            let slow = Client(port: server.port, receiveBufferBytes: 4096)
            let body = String(repeating: "s", count: 1 << 20)
            slow.send(postRequest(body))
            // Other requests use the loop's buffers in the meantime.
            let other = Client(port: server.port)
            for letter in "abcd" {
                let body = String(repeating: letter, count: 1 << 20)
                other.send(postRequest(body))
                #expect(other.nextAnswer()?.text == body)
            }
            #expect(slow.nextAnswer()?.text == body)
        }
    }

    @Test func `a request without a body shares no bytes`() throws {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try withRequest(request) { $0.sharedBody().withBytes { $0.count } } == 0)
    }
}

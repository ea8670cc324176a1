import LeakSeededRandom
import LeakGzip
import LeakHTTPServer
import LeakHTTPVectors
import Testing

/// Tests of services that set the maximum size of a body, or decompress the body themselves.
@Suite struct BodyHookTests {
    private struct Hooks: Service {
        func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int {
            request.pathEquals("/large") ? 64 << 10 : limits.bodyBytes
        }

        func inflates(_ request: borrowing Request) -> Bool { request.pathEquals("/coded") }

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            guard let coded = request.codedBody else {
                responder.send(Response(.ok, body: .bytes(Array("inflated \(request.bodyCount)".utf8))))
                return
            }
            do throws(CodedBody.Failure) {
                let count = try coded.inflated().count
                responder.send(Response(.ok, body: .bytes(Array("coded \(coded.count) \(count)".utf8))))
            } catch {
                responder.send(error.response)
            }
        }
    }

    private static func reply(to bytes: [UInt8], limits: Limits = Limits()) throws -> Reply? {
        try withServer(Hooks(), limits: limits) { server in
            let client = Client(port: server.port)
            client.send(bytes)
            return client.answers(1, milliseconds: 60_000).first
        }
    }

    private static func postRequest(_ path: String, _ fields: String, _ body: [UInt8]) -> [UInt8] {
        Array("POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8) + body
    }

    @Test(arguments: [
        ("/", 1024, 200), ("/", 1025, 413), ("/large", 1025, 200), ("/large", 65_536, 200),
        ("/large", 65_537, 413),
    ])
    func `a service sets the maximum size of a request's body`(path: String, count: Int, status: Int) throws {
        var limits = Limits()
        limits.bodyBytes = 1024
        let body = [UInt8](repeating: 0x61, count: count)
        let known = Self.postRequest(path, "Content-Length: \(count)\r\n", body)
        #expect(try Self.reply(to: known, limits: limits)?.status == status)
        let chunk = Array("\(String(count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        let unknown = Self.postRequest(path, "Transfer-Encoding: chunked\r\n", chunk)
        #expect(try Self.reply(to: unknown, limits: limits)?.status == status)
    }

    private static func coded(_ path: String, _ body: [UInt8]) -> [UInt8] {
        postRequest(path, "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n", body)
    }

    /// Returns `count` bytes that compress to a little more than half.
    private static func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 1)
        return (0..<count).map { _ in UInt8(random.number(0...15)) }
    }

    @Test
    func `a service that decompresses bodies itself gets long bodies compressed and short ones inflated`()
        throws
    {
        let long = Gzip.deflate(Self.noise(64 << 10), level: 6)
        #expect(try Self.reply(to: Self.coded("/coded", long))?.text == "coded \(long.count) 65536")
        #expect(try Self.reply(to: Self.coded("/other", long))?.text == "inflated 65536")
        let short = Gzip.deflate(Self.noise(1024), level: 6)
        #expect(try Self.reply(to: Self.coded("/coded", short))?.text == "inflated 1024")
    }

    @Test func `a service that decompresses a body gets an error if the body is damaged or over the limit`()
        throws
    {
        let long = Gzip.deflate(Self.noise(64 << 10), level: 6)
        #expect(try Self.reply(to: Self.coded("/coded", long.dropLast(20) + [0]))?.status == 400)
        var limits = Limits()
        limits.inflatedBytes = 60 << 10
        #expect(try Self.reply(to: Self.coded("/coded", long), limits: limits)?.status == 413)
    }
}

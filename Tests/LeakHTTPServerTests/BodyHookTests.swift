import LeakSeededRandom
import LeakGzip
import LeakHTTPServer
import LeakHTTPVectors
import LeakPlatform
import Testing

/// Tests of services that set the maximum size of a body, decompress the body themselves, or use the context of a screening.
@Suite struct BodyHookTests {
    private struct Hooks: Service {
        func screen(_ request: borrowing Request) -> ScreeningResult {
            ScreeningResult(
                request.pathEquals("/gone") ? Response(.notFound) : nil,
                bodyLimit: request.pathEquals("/large") ? 64 << 10 : nil,
                inflates: request.pathEquals("/coded"))
        }

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

    @Test(arguments: [(1024, 404), (1025, 413)])
    func `a body that is announced as too long gets 413, even if the service rejects the request's path`(
        count: Int, status: Int
    ) throws {
        var limits = Limits()
        limits.bodyBytes = 1024
        let body = [UInt8](repeating: 0x61, count: count)
        let request = Self.postRequest("/gone", "Content-Length: \(count)\r\n", body)
        #expect(try Self.reply(to: request, limits: limits)?.status == status)
    }

    private static func coded(_ path: String, _ body: [UInt8]) -> [UInt8] {
        postRequest(path, "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n", body)
    }

    /// Returns `count` random bytes, which compress to a little more than half of their size.
    private static func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 1)
        return (0..<count).map { _ in UInt8(random.number(0...15)) }
    }

    @Test
    func `a service that decompresses bodies itself gets long bodies compressed and short bodies inflated`()
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

    /// Answers with the number of the request's screening, and counts the screenings.
    private final class NumberedScreenings: Service {
        final class Number: Sendable {
            let value: Int
            init(_ value: Int) { self.value = value }
        }

        let count = Guarded(0)

        func screen(_ request: borrowing Request) -> ScreeningResult {
            ScreeningResult(
                context: count.with { count in
                    count += 1
                    return Number(count)
                })
        }

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            let number = (request.context as? Number)?.value ?? 0
            responder.send(Response(.ok, body: .bytes(Array("\(number) \(request.bodyCount)".utf8))))
        }
    }

    @Test func `each request is screened once and served with the context of its screening`() throws {
        let service = NumberedScreenings()
        try withServer(service) { server in
            let client = Client(port: server.port)
            // The head of the second request arrives together with the first, and its body later. It is in chunks, so that it is
            // kept until it is complete.
            let first = Self.postRequest("/", "Content-Length: 3\r\n", Array("abc".utf8))
            let second = Self.postRequest("/", "Transfer-Encoding: chunked\r\n", Array("2\r\nde\r\n".utf8))
            client.send(first + second)
            #expect(client.answers(1).first?.text == "1 3")
            client.send(Array("0\r\n\r\n".utf8))
            client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(client.answers(3).map(\.text) == ["1 3", "2 2", "3 0"])
        }
        #expect(service.count.with { $0 } == 3)
    }
}

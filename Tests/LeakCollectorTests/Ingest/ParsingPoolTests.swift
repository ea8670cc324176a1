import LeakCollectorSupport
import LeakGzip
import LeakHTTPVectors
import Testing
import LeakPlatform

@testable import LeakCollector

/// Compressed bodies, bodies above 256 KiB, and those with many new leaks are parsed by threads of the ``ParsingPool``.
@Suite struct ParsingPoolTests {
    /// A barrier at which jobs wait until it is opened.
    private final class Barrier: Sendable {
        private let state = Guarded((waiting: 0, isOpen: false))

        func pass() {
            state.with { $0.waiting += 1 }
            state.wakeAll()
            _ = state.wait { $0.isOpen ? true : nil }
        }

        func waitFor(_ count: Int) -> Bool {
            state.wait(timeout: .seconds(60)) { $0.waiting >= count ? true : nil } ?? false
        }

        func open() {
            state.with { $0.isOpen = true }
            state.wakeAll()
        }
    }

    /// Keeps the threads of a pool busy until the barrier opens.
    private static func block(_ pool: ParsingPool, with barrier: Barrier) -> Bool {
        // There are more jobs than threads. Jobs without a thread begin when the barrier opens.
        for _ in 0..<8 {
            _ = pool.enqueue(bytes: 0) {
                barrier.pass()
            } cancel: {
            }
        }
        return barrier.waitFor(1)
    }

    /// Returns a request with a batch of one leak that inflates to about `bytes` bytes.
    private static func postRequest(inflatingTo bytes: Int) -> [UInt8] {
        // Random white space, which does not compress so well that the server rejects it as a decompression bomb.
        var state: UInt32 = 1
        let padding = (0..<bytes).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return state >> 31 == 0 ? 0x20 : 0x0A
        }
        let body = Gzip.deflate(Array(#"{"class":"Cart""#.utf8) + padding + [0x7D])
        let head =
            "POST /api/v1/reports HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(RunningCollector.key)\r\n"
            + "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test
    func `while a large body is parsed, other connections are served, and its own waits for the response`()
        throws
    {
        let running = try RunningCollector()
        let barrier = Barrier()
        defer { barrier.open() }
        try #require(Self.block(running.collector.parsingPool, with: barrier))
        let large = Client(port: running.port)
        // The second request waits for the answer to the first.
        large.send(Self.postRequest(inflatingTo: 2 << 20) + Array(Self.health.utf8))
        // There are more connections than event loops, so that each loop has some.
        for _ in 0..<32 {
            let other = Client(port: running.port)
            other.send(Self.health)
            #expect(other.answers(1, milliseconds: 60_000).first?.text == "ok\n")
        }
        #expect(large.received.isEmpty)
        // A small body, which is parsed on the loop, is answered at once too.
        let small = Client(port: running.port)
        small.send(Self.postRequest(inflatingTo: 1000))
        #expect(small.answers(1, milliseconds: 60_000).first?.status == 200)
        #expect(!large.read(milliseconds: 0))
        barrier.open()
        let answers = large.answers(2, milliseconds: 60_000)
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers.last?.text == "ok\n")
    }

    /// If event loops parsed such bodies, a few of them would block a loop for longer than a request may take.
    @Test func `an uncompressed body of 256 KiB is not parsed on its event loop`() throws {
        let running = try RunningCollector()
        let barrier = Barrier()
        defer { barrier.open() }
        try #require(Self.block(running.collector.parsingPool, with: barrier))
        let body = #"{"class":"Cart""# + String(repeating: " ", count: 256 << 10) + "}"
        let client = Client(port: running.port)
        client.send(Self.postRequest(body))
        Self.expectAnswersToOthers(running.port)
        #expect(client.received.isEmpty)
        barrier.open()
        #expect(client.answers(1, milliseconds: 60_000).map(\.status) == [200])
    }

    /// Expects a response on each of eight new connections. So many connections are spread over all event loops.
    private static func expectAnswersToOthers(_ port: Int) {
        for _ in 0..<8 {
            let other = Client(port: port)
            other.send(health)
            #expect(other.answers(1, milliseconds: 60_000).first?.text == "ok\n")
        }
    }

    private static func postRequest(_ body: String) -> [UInt8] {
        Array(
            ("POST /api/v1/reports HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(RunningCollector.key)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    /// Grouping a leak for the first time takes about a tenth of a millisecond.
    @Test
    func `a small body with over 32 new leaks is grouped by the pool, and a body with 32 on its event loop`()
        throws
    {
        let running = try RunningCollector()
        let barrier = Barrier()
        defer { barrier.open() }
        try #require(Self.block(running.collector.parsingPool, with: barrier))
        func client(leaks: Range<Int>) -> Client {
            let client = Client(port: running.port)
            let reports = leaks.map { #"{"class":"Cart\#($0)Model","stack":["A","B"]}"# }
            client.send(Self.postRequest("[" + reports.joined(separator: ",") + "]"))
            return client
        }
        #expect(client(leaks: 0..<32).answers(1, milliseconds: 60_000).map(\.status) == [200])
        let many = client(leaks: 100..<400)
        Self.expectAnswersToOthers(running.port)
        #expect(many.received.isEmpty)
        barrier.open()
        let answer = try #require(many.answers(1, milliseconds: 60_000).first)
        #expect(answer.status == 200 && answer.text.contains(#""accepted":300"#), "\(answer.text)")
    }

    @Test(arguments: ["/api/v1/reports", "/api/1/envelope/"])
    func `a compressed body is inflated by the thread that parses it`(path: String) throws {
        let running = try RunningCollector()
        let barrier = Barrier()
        defer { barrier.open() }
        try #require(Self.block(running.collector.parsingPool, with: barrier))
        // The body is damaged after its header, which is noticed only while it is inflated.
        var body = Array(Self.postRequest(inflatingTo: 512 << 10).suffix(64 << 10))
        body.replaceSubrange(0..<10, with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        let client = Client(port: running.port)
        client.send(
            Array(
                ("POST \(path) HTTP/1.1\r\nHost: a\r\nX-Leak-Key: \(RunningCollector.key)\r\n"
                    + "X-Sentry-Auth: Sentry sentry_key=\(RunningCollector.key)\r\nContent-Type: application/json\r\n"
                    + "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n").utf8) + body)
        Self.expectAnswersToOthers(running.port)
        #expect(client.received.isEmpty)
        client.send(Self.health)
        barrier.open()
        // The connection stays open, as after every well-framed body.
        #expect(client.answers(2, milliseconds: 60_000).map(\.status) == [400, 200])
    }

    @Test func `a body that arrives while the memory for parsing is used up gets 503, and is accepted later`()
        throws
    {
        let running = try RunningCollector()
        let barrier = Barrier()
        defer { barrier.open() }
        let pool = running.collector.parsingPool
        try #require(Self.block(pool, with: barrier))
        #expect(
            pool.enqueue(bytes: ParsingPool.maxBytes) {
            } cancel: {
            } == .accepted)
        let client = Client(port: running.port)
        let batch = Self.postRequest(inflatingTo: 2 << 20)
        client.send(batch)
        let rejection = client.answers(1, milliseconds: 60_000).first
        #expect(rejection?.status == 503)
        #expect(rejection?.field("retry-after") != nil)
        barrier.open()
        let again = Client(port: running.port)
        var status: Int?
        for _ in 0..<1000 where status != 200 {
            again.send(batch)
            status = again.nextAnswer()?.status
            Client.pause()
        }
        #expect(status == 200)
    }

    @Test func `when a parsing pool stops, it cancels waiting bodies and accepts no further bodies`() {
        let pool = ParsingPool()
        let cancelled = Guarded(0)
        #expect(
            pool.enqueue(bytes: 1) {
            } cancel: {
                cancelled.with { $0 += 1 }
            } == .accepted)
        pool.stop()
        #expect(cancelled.with { $0 } == 1)
        #expect(
            pool.enqueue(bytes: 1) {
            } cancel: {
            } == .stopping)
        for thread in pool.start(threads: 2) { thread.join() }
        #expect(cancelled.with { $0 } == 1)
    }
}

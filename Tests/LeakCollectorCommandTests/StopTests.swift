import Foundation
import Testing

/// Signals: after the first signal, requests in flight are finished, and then the process ends. A second signal ends the
/// process at once. A closed terminal does not end the process.
@Suite struct StopTests {
    private static let body = #"{"class":"Cart"}"#

    /// Sends the head of a report, without the body.
    private static func beginPost(
        to collector: CollectorProcess, length: Int = body.utf8.count
    ) throws -> RawPeer {
        let peer = try #require(RawPeer(port: collector.port))
        peer.send(
            "POST /api/v1/reports HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(CollectorProcess.key)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(length)\r\n"
                + "Expect: 100-continue\r\n\r\n")
        return peer
    }

    /// Waits for `100 Continue`. From then on the report is in flight.
    private static func waitUntilInFlight(_ peer: RawPeer) {
        #expect(peer.receive().hasPrefix("HTTP/1.1 100 "))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `after the first signal requests in flight are finished, and new connections are refused`(
        signal: Int32
    ) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let idle = try #require(RawPeer(port: running.port))
        let peer = try Self.beginPost(to: running)
        Self.waitUntilInFlight(peer)
        running.kill(signal)
        #expect(idle.receiveAll().isEmpty, "idle connections are closed at once")
        var others = 0
        // Each event loop closes its own listening socket.
        while RawPeer(port: running.port) != nil && others < 1000 {
            others += 1
            usleep(5000)
        }
        #expect(others < 1000, "new connections are refused")
        peer.send(Self.body)
        let answer = peer.receiveAll()
        #expect(
            answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("\r\nConnection: close\r\n"),
            "\(answer)")
        #expect(running.wait() == 0)

        // The answered request is on disk.
        let again = try CollectorProcess(data: folder.path)
        let reader = try #require(RawPeer(port: again.port))
        reader.send(
            "GET /api/v1/summary HTTP/1.0\r\nAuthorization: Bearer \(CollectorProcess.token)\r\n\r\n")
        #expect(reader.receiveAll().contains(#""reports":1,"#))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a second signal ends the process at once, with exit code 128 plus the number of the signal`(
        signal: Int32
    ) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let peer = try Self.beginPost(to: running)
        Self.waitUntilInFlight(peer)
        running.kill(SIGTERM)
        #expect(running.errorsUntil("a second signal").contains("stopping: "))
        running.kill(signal)
        #expect(running.wait() == 128 + signal)
        peer.send(Self.body)
        #expect(peer.receiveAll().isEmpty)
    }

    @Test func `a body that arrives slowly does not keep the collector from stopping`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let peer = try Self.beginPost(to: running, length: 1_000_000)
        Self.waitUntilInFlight(peer)
        running.kill(SIGTERM)
        // Five seconds are less than the ten seconds after which containers are killed.
        #expect(running.errorsUntil("a second signal").contains("for 5 s at most"))
        signal(SIGPIPE, SIG_IGN)
        while running.isRunning {
            peer.send(" ")
            usleep(20_000)
        }
        #expect(running.wait() == 0)
    }

    @Test func `a closed terminal does not end the process`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        running.kill(SIGHUP)
        running.kill(SIGPIPE)
        for _ in 0..<3 {
            let peer = try #require(RawPeer(port: running.port))
            peer.send("GET /healthz HTTP/1.0\r\n\r\n")
            #expect(peer.receiveAll().hasSuffix("\r\n\r\nok\n"))
        }
        running.kill(SIGTERM)
        #expect(running.wait() == 0)
    }
}

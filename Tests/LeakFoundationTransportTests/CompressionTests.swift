import Foundation
import LeakGzip
import LeakTransport
import Testing

/// Compressed responses that the client did not request.
@Suite struct CompressionTests {
    private static func compressed(_ bytes: [UInt8]) -> ScriptedPeer.Script {
        let body = Gzip.deflate(bytes)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return .init(Array(head.utf8) + body)
    }

    @Test(arguments: TransportKind.allCases)
    func `compressed responses are not requested`(kind: TransportKind) async throws {
        let peer = try ScriptedPeer { _ in .init("HTTP/1.1 204 No Content\r\n\r\n") }
        defer { peer.stop() }
        _ = await kind.reply(to: .report(to: peer.address))
        let fields = try #require(peer.requests.first).head.lowercased().components(separatedBy: "\r\n")
        let accepted = fields.filter { $0.hasPrefix("accept-encoding:") }
        #expect(accepted.allSatisfy { $0 == "accept-encoding: identity" }, "\(accepted)")
    }

    /// `URLSession` inflates the body, and curl returns it as it is. The status is the same.
    @Test(arguments: TransportKind.allCases)
    func `the status of a response is read even if the server compresses it without being asked`(
        kind: TransportKind
    ) async throws {
        let text = Array(#"{"accepted": 1}"#.utf8)
        let script = Self.compressed(text)
        let peer = try ScriptedPeer { _ in script }
        defer { peer.stop() }
        let answer = try #require(await kind.reply(to: .report(to: peer.address)).answer)
        #expect(answer.status == 200)
        #expect(answer.body == text || answer.body.starts(with: [0x1F, 0x8B]))
    }

    @Test(arguments: TransportKind.allCases)
    func `a small compressed response that inflates to 16 MiB is rejected or limited`(kind: TransportKind)
        async throws
    {
        let script = Self.compressed([UInt8](repeating: 0, count: 16 * 1024 * 1024))
        let peer = try ScriptedPeer { _ in script }
        defer { peer.stop() }
        switch await kind.reply(to: .report(to: peer.address)) {
        case .response(let answer): #expect(answer.body.count <= TransportLimits().maxResponseBytes)
        case .noResponse(let why): #expect(why.contains("longer than 65536 bytes"))
        }
    }
}

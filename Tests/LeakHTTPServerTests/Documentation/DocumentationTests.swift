import Foundation
import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct DocumentationTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let sources = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/LeakHTTPServer")

    /// Returns every Swift snippet in articles and comments, without its imports, with trimmed lines.
    private static func pieces() throws -> [(place: String, lines: [String])] {
        let names = try #require(
            FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String])
        var pieces: [(String, [String])] = []
        for name in names.sorted() where name.hasSuffix(".md") || name.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
            var piece: [String]?
            for line in text.components(separatedBy: "\n") {
                let trimmed = Self.trimmed(line)
                switch (trimmed, piece) {
                case ("```swift", nil): piece = []
                case ("```", let lines?):
                    pieces.append((name, lines))
                    piece = nil
                case (_, let lines?) where !trimmed.isEmpty && !trimmed.hasPrefix("import "):
                    piece = lines + [trimmed]
                default: break
                }
            }
        }
        return pieces
    }

    private static func trimmed(_ line: String) -> String {
        let text = line.trimmingCharacters(in: .whitespaces)
        return (text.hasPrefix("/// ") ? String(text.dropFirst(4)) : text).trimmingCharacters(
            in: .whitespaces)
    }

    @Test func `every code example of the documentation is among the examples that are compiled`() throws {
        let examples = try String(
            contentsOf: Self.tests.appendingPathComponent("Examples.swift"), encoding: .utf8)
        let compiled = examples.components(separatedBy: "\n").map(Self.trimmed).filter { !$0.isEmpty }
            .joined(separator: "\n")
        let pieces = try Self.pieces()
        #expect(pieces.count > 8)
        for piece in pieces {
            #expect(
                compiled.contains(piece.lines.joined(separator: "\n")),
                "\(piece.place): \(piece.lines.first ?? "")")
        }
    }

    @Test func `the example services of the documentation respond as the articles show`() throws {
        try withServer(Examples.Library()) { server in
            func ask(_ path: String, _ word: String) -> Reply? {
                let client = Client(port: server.port)
                client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(word)\r\n\r\n")
                return client.answers(1).first
            }
            #expect(ask("/books", "open")?.status == 401)
            #expect(ask("/books", "sesame")?.text == "1\n2\n")
            #expect(ask("/books/7", "sesame")?.text == "book 7\n")
            #expect(ask("/films", "sesame")?.status == 404)
        }
        try withServer(Examples.later()) { server in
            let client = Client(port: server.port)
            client.send("GET /report HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.answers(1).first?.text == "all is well\n")
        }
    }
}

import HTTPServer
import Testing
import Threads

@Suite struct WireTests {
    /// Says what became of one vector, as the file writes it.
    private static func outcome(of vector: Vector, port: Int) -> (text: String, replies: [Reply]) {
        let client = Client(port: port)
        for step in vector.steps {
            switch step {
            case .bytes(let bytes): client.send(bytes)
            case .wait(let milliseconds): client.read(milliseconds: Int32(milliseconds))
            case .endSending: client.endSending()
            }
        }
        while client.read(milliseconds: 400) {}
        let heads: Set<Int> = vector.bytes.starts(with: Array("HEAD".utf8)) ? [0] : []
        let replies = Reply.all(in: client.received, heads: heads)
        return (replies.map { "\($0.status)" }.joined(separator: ",") + (client.isEnded ? "!" : "~"), replies)
    }

    @Test func `every vector has its outcome over a real socket`() throws {
        let vectors = try Vector.all()
        #expect(vectors.count >= 160)
        let outcomes = Guarded([Int: (text: String, replies: [Reply])]())
        try withServer(loops: 2) { server in
            let port = server.port
            concurrently(vectors.count) { index in
                let outcome = Self.outcome(of: vectors[index], port: port)
                outcomes.with { $0[index] = outcome }
            }
        }
        let all = outcomes.with { $0 }
        for (index, vector) in vectors.enumerated() {
            let outcome = try #require(all[index])
            let pattern = try Regex(vector.outcome)
            #expect(
                outcome.text.wholeMatch(of: pattern) != nil,
                "\(vector): \(outcome.text), not \(vector.outcome)")
            if let body = vector.body { #expect(outcome.replies.last?.text == body, "\(vector)") }
        }
    }
}

import HTTPServer
import Testing
import Threads

@Suite struct WireTests {
    /// What became of one vector, as the file writes it, and the answers that came.
    private struct Outcome {
        let text: String
        let replies: [Reply]

        init(of client: Client, _ vector: Vector) {
            let heads: Set<Int> = vector.bytes.starts(with: Array("HEAD".utf8)) ? [0] : []
            replies = Reply.all(in: client.received, heads: heads)
            text = replies.map { "\($0.status)" }.joined(separator: ",") + (client.isEnded ? "!" : "~")
        }
    }

    /// Sends a vector and reads until its outcome is there and stays, so that a busy machine is only slow.
    private static func outcome(of vector: Vector, port: Int) -> Outcome {
        let client = Client(port: port)
        for step in vector.steps {
            switch step {
            case .bytes(let bytes): client.send(bytes)
            case .wait(let milliseconds):
                // An interim answer is owed only while the body has not come.
                let patience = vector.outcome.hasPrefix("(100,)2") ? 10_000 : milliseconds
                client.read(milliseconds: Int32(patience))
            case .endSending: client.endSending()
            }
        }
        for _ in 0..<25 {
            while client.read(milliseconds: 400) {}
            let outcome = Outcome(of: client, vector)
            if client.isEnded || vector.matches(outcome.text) { return outcome }
        }
        return Outcome(of: client, vector)
    }

    @Test func `every vector has its outcome over a real socket`() throws {
        let vectors = try Vector.all()
        #expect(vectors.count >= 160)
        let outcomes = Guarded([Int: Outcome]())
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
            #expect(
                vector.matches(outcome.text), "\(vector): \(outcome.text), not \(vector.outcome)")
            if let body = vector.body { #expect(outcome.replies.last?.text == body, "\(vector)") }
        }
    }
}

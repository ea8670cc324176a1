import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakHTTPVectors
import LeakCollector
import Testing
import LeakPlatform

/// The collector as seen by a peer that sends arbitrary bytes.
@Suite struct WireTests {
    @Test func `every HTTP test vector for the server library has the same outcome with the collector`()
        throws
    {
        let vectors = try Vector.all().filter { Self.leftOut[$0.id] == nil }.map(Self.withCollectorPath)
        // All vectors come from one address, and most of them fail to sign in. The clock advances 10 s with each
        // reading, so that the limit of failed attempts does not apply.
        let clock = Guarded<Int64>(1_700_000_000_000)
        let running = try RunningCollector(
            now: {
                clock.with { now in
                    now += 10_000
                    return now
                }
            })
        let outcomes = Outcome.all(of: vectors, port: running.collector.port, isExpected: Self.isExpected)
        try #require(outcomes.count == vectors.count)
        for (vector, outcome) in zip(vectors, outcomes) {
            #expect(
                Self.isExpected(outcome, vector),
                "\(vector): \(outcome.text), not \(vector.outcome)")
            #expect(outcome.breaches(in: vector) == [], "\(vector)")
        }
        #expect(try running.get("/readyz").status == 200)
    }

    @Test func `every HTTP test vector for the collector's own paths has its expected outcome`() throws {
        let file = try #require(Bundle.module.url(forResource: "Vectors/http", withExtension: "jsonl"))
        let vectors = try Vector.read(file)
        let running = try RunningCollector()
        let outcomes = Outcome.all(of: vectors, port: running.collector.port)
        try #require(outcomes.count == vectors.count)
        for (vector, outcome) in zip(vectors, outcomes) {
            #expect(vector.matches(outcome.text), "\(vector): \(outcome.text), not \(vector.outcome)")
            #expect(outcome.errorsBesidesStatus(for: vector) == [], "\(vector)")
        }
    }

    /// Vectors whose outcome depends on a server that echoes the body, with the reason for leaving them out.
    private static let leftOut: [String: String] = [
        "D33": "sends its target in single bytes, so the test cannot replace the target",
        "14c": "has a head of exactly the maximum length, but the collector's path is longer than /",
        "E070": "expects the body of OPTIONS to be read, but the collector rejects it after the head",
    ].merging(
        (["20a", "20b", "20c", "20d", "20e", "21", "G014", "G017", "G019"] + (22...37).map { "G0\($0)" })
            .map { ($0, "the path accepts no compressed body") }
    ) { $1 }

    /// Returns the vector with the path /sign-in, which accepts GET and POST and needs no secret.
    private static func withCollectorPath(_ vector: Vector) -> Vector {
        var vector = vector
        vector.steps = vector.steps.map { step in
            guard case .bytes(let bytes) = step else { return step }
            let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                .replacingOccurrences(of: " / HTTP/", with: " /sign-in HTTP/")
            // The path exists, so the response to an unknown method is 405 with the supported methods.
            if vector.outcome == "501!", vector.title.contains("method"), text.contains(" /sign-in ") {
                vector.outcome = "405!"
            }
            return .bytes(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        return vector
    }

    @Sendable private static func isExpected(_ outcome: Outcome, _ vector: Vector) -> Bool {
        possibleOutcomes(of: outcome).contains(where: vector.matches)
    }

    /// Returns the outcome itself and three variants. In each variant, 200 replaces the statuses that the collector chose, but
    /// not the statuses of the server's own rejections. One variant also keeps the status 100, and one keeps 100 and 204.
    private static func possibleOutcomes(of outcome: Outcome) -> [String] {
        let end = outcome.text.drop { $0.isNumber || $0 == "," }
        return [[], [100], [100, 204]].map { kept in
            outcome.replies.map { reply in
                "\(kept.contains(reply.status) || isServerRejection(reply) ? reply.status : 200)"
            }.joined(separator: ",") + end
        } + [outcome.text]
    }

    /// Returns `true` if the server rejected the request before the collector received it.
    private static func isServerRejection(_ reply: Reply) -> Bool {
        reply.field("content-type") == "application/problem+json" && !reply.text.hasPrefix(#"{"type":"#)
    }
}

import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakHTTPVectors
import LeakCollector
import Testing
import LeakPlatform

/// The collector as seen by a peer that sends arbitrary bytes.
@Suite struct WireTests {
    @Test func `every vector for the server has the same outcome in the collector`() throws {
        let vectors = try Vector.all().filter { Self.leftOut[$0.id] == nil }.map(Self.withCollectorAddress)
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

    @Test func `every vector for the collector's own addresses has its outcome`() throws {
        let file = try #require(Bundle.module.url(forResource: "Vectors/http", withExtension: "jsonl"))
        let vectors = try Vector.read(file)
        let running = try RunningCollector()
        let outcomes = Outcome.all(of: vectors, port: running.collector.port)
        try #require(outcomes.count == vectors.count)
        for (vector, outcome) in zip(vectors, outcomes) {
            #expect(vector.matches(outcome.text), "\(vector): \(outcome.text), not \(vector.outcome)")
            #expect(outcome.countingErrors(of: vector) == [], "\(vector)")
        }
    }

    /// Vectors whose outcome depends on a server that echoes the body, with the reason for leaving them out.
    private static let leftOut: [String: String] = [
        "D33": "names its target in single bytes, which the change of its target cannot read",
        "14c": "fills a head to its last byte, and the collector's address is longer than /",
        "E070": "expects the body of OPTIONS to be read, which the collector refuses from the head",
    ].merging(
        (["20a", "20b", "20c", "20d", "20e", "21", "G014", "G017", "G019"] + (22...37).map { "G0\($0)" })
            .map { ($0, "the address takes no compressed body") }
    ) { $1 }

    /// Returns the vector with an address of the collector that accepts both GET and POST and needs no secret.
    private static func withCollectorAddress(_ vector: Vector) -> Vector {
        var vector = vector
        vector.steps = vector.steps.map { step in
            guard case .bytes(let bytes) = step else { return step }
            let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                .replacingOccurrences(of: " / HTTP/", with: " /sign-in HTTP/")
            // The address is known, so the collector lists the methods that it supports.
            if vector.outcome == "501!", vector.title.contains("method"), text.contains(" /sign-in ") {
                vector.outcome = "405!"
            }
            return .bytes(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        return vector
    }

    @Sendable private static func isExpected(_ outcome: Outcome, _ vector: Vector) -> Bool {
        readings(of: outcome).contains(where: vector.matches)
    }

    /// Returns the outcome itself, and the outcome with 200 for every answer of the collector to a request that the
    /// server accepted.
    private static func readings(of outcome: Outcome) -> [String] {
        let end = outcome.text.drop { $0.isNumber || $0 == "," }
        return [[], [100], [100, 204]].map { kept in
            outcome.replies.map { reply in
                "\(kept.contains(reply.status) || isRefusal(reply) ? reply.status : 200)"
            }.joined(separator: ",") + end
        } + [outcome.text]
    }

    /// Returns `true` if the server rejected the request before the collector received it.
    private static func isRefusal(_ reply: Reply) -> Bool {
        reply.field("content-type") == "application/problem+json" && !reply.text.hasPrefix(#"{"type":"#)
    }
}

import LeakSeededRandom
import LeakMessage
import LeakTransport

@testable import LeakReporter

/// A peer that answers at random as servers, gateways and broken networks do.
struct RandomPeer {
    /// The weights with which the kinds of answers are drawn.
    struct Mix: Hashable, Sendable, CustomStringConvertible {
        let description: String
        var accepted = 0
        var tooLong = 0
        var rejected = 0
        /// The weight of final rejections by the collector itself; `rejected` may also come from a gateway.
        var rejectedByCollector = 0
        var lost = 0
        var notCounted = 0
    }

    let mix: Mix
    var random: SeededRandom

    /// - Parameter collector: receives the batch if the peer answers as the collector, and if only the answer is lost.
    mutating func reply(
        to batch: SegmentQueue.Batch, _ collector: inout ModelCollector, at wallTime: WireTime
    ) -> TransportResult {
        var lot = Int.random(
            in:
                0..<(mix.accepted + mix.tooLong + mix.rejected + mix.rejectedByCollector + mix.lost
                + mix.notCounted),
            using: &random)
        func isDrawn(_ weight: Int) -> Bool {
            lot -= weight
            return lot < 0
        }
        if isDrawn(mix.accepted) { return Self.answer(of: collector.receive(batch, at: wallTime)) }
        if isDrawn(mix.tooLong) {
            // Draws a new limit each time. A batch that was accepted before is not too long, because its size has not changed.
            guard batch.body.count > Int.random(in: 0...20_000, using: &random),
                !collector.hasKey(batch.idempotencyKey)
            else {
                return Self.answer(of: collector.receive(batch, at: wallTime))
            }
            return problem(413)
        }
        // The collector must not refuse a batch that it has counted before.
        if isDrawn(mix.rejected), !collector.hasKey(batch.idempotencyKey) {
            return problem(
                [400, 401, 403, 404, 405, 409, 415, 422, 431].randomElement(using: &random) ?? 400)
        }
        if isDrawn(mix.rejectedByCollector), !collector.hasKey(batch.idempotencyKey) {
            return FakeTransport.status(400)
        }
        if isDrawn(mix.lost) {
            if Bool.random(using: &random) { _ = collector.receive(batch, at: wallTime) }
            return .noResponse(reason: "the connection was closed")
        }
        return problem(
            [301, 401, 403, 404, 405, 408, 429, 500, 502, 503, 504].randomElement(using: &random) ?? 503)
    }

    private mutating func problem(_ status: Int) -> TransportResult {
        let kinds: [(type: String?, body: String)] = [
            ("application/problem+json", #"{"type": "about:blank", "status": \#(status)}"#),
            ("application/problem+json", #"{"type": "urn:leak-collector:problem:x", "status": \#(status)}"#),
            ("application/problem+json", #"{"title": "no", "detail": "not now"}"#),
            ("application/json", #"{"timestamp": 1, "status": \#(status), "error": "no", "path": "/"}"#),
            ("text/html", "<html>\(String(repeating: "no ", count: 2_000))</html>"), (nil, ""),
        ]
        let (type, body) = kinds.randomElement(using: &random) ?? (nil, "")
        let waits = [
            nil, nil, "0", "5", "120", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT", "soon",
        ]
        return .response(
            TransportResult.Response(
                status: status, retryAfter: waits.randomElement(using: &random) ?? nil,
                location: status == 301 ? "https://\(String(repeating: "a", count: 4_000))" : nil,
                contentType: type, body: Array(body.utf8)))
    }

    /// Returns the response of a collector.
    private static func answer(of delivery: DeliveryResult) -> TransportResult {
        switch delivery {
        case .accepted(let rejected, _, _, _):
            let list = rejected.map { #"{"index": \#($0), "reason": "no"}"# }.joined(separator: ",")
            return .response(
                TransportResult.Response(
                    status: 200, body: Array(#"{"accepted": 1, "rejected": [\#(list)]}"#.utf8)))
        case .tooLong: return FakeTransport.status(413)
        default: return FakeTransport.status(422)
        }
    }
}

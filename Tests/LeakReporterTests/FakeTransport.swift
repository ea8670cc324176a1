import Foundation
import LeakGzip
import LeakTransport

@testable import LeakReporter

/// A transport that responds as a test specifies, and records the requests.
final class FakeTransport: Transport, @unchecked Sendable {
    // `Sendable` is unchecked: all state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var received: [TransportRequest] = []
    private var results: [TransportResult] = []
    private let answer: @Sendable (_ attempt: Int, TransportRequest) -> TransportResult

    init(_ answer: @escaping @Sendable (_ attempt: Int, TransportRequest) -> TransportResult) {
        self.answer = answer
    }

    var posts: [TransportRequest] { lock.withLock { received } }

    /// Returns the bodies of the requests as JSON objects.
    func batches() throws -> [[String: Any]] {
        try posts.compactMap { post in
            let json = post["Content-Encoding"] == nil ? post.body : try inflated(post.body)
            return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        }
    }

    func post(_ post: TransportRequest) -> TransportResult {
        let attempt = lock.withLock {
            received.append(post)
            return received.count
        }
        let reply = answer(attempt, post)
        lock.withLock { results.append(reply) }
        return reply
    }

    /// Makes a transport that sends requests to their collector, and returns its responses.
    static func forwardingToRealCollector() -> FakeTransport {
        FakeTransport { _, post in PlatformTransport.make().post(post) }
    }

    /// Returns the parts of the requests that the collector rejected; empty if it accepted everything.
    func rejectedParts() throws -> [String] {
        let replies = lock.withLock { results }
        guard !replies.isEmpty else { return ["there was no response"] }
        return try replies.compactMap { reply in
            guard case .response(let answer) = reply else { return "\(reply)" }
            let text = String(decoding: answer.body, as: UTF8.self)
            guard answer.status == 200 else { return text }
            let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            let isWhole = json?["rejected_count"] as? Int == 0 && json?["rejected_explanations"] == nil
            return isWhole ? nil : text
        }
    }

    static func accepted(_ count: Int = 1) -> TransportResult {
        .response(
            TransportResult.Response(
                status: 200, body: Array(#"{"accepted": \#(count), "rejected": []}"#.utf8)))
    }

    static func status(_ status: Int) -> TransportResult {
        .response(
            TransportResult.Response(
                status: status, contentType: "application/problem+json",
                body: Array(#"{"type": "urn:leak-collector:problem:test", "status": \#(status)}"#.utf8)))
    }
}

func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    var inflater = Inflater()
    var output: [UInt8] = []
    try inflater.inflate(bytes, into: &output)
    try inflater.finish()
    return output
}

extension TransportRequest {
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Seconds that are enough for a few attempts on a busy machine.
let generousSeconds: Double = 600

/// Checks a condition a thousand times a second until it holds, for at most ``generousSeconds``.
///
/// - Returns: `true` if the condition holds in time.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(generousSeconds)
    while !condition() {
        guard Date() < deadline else { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}

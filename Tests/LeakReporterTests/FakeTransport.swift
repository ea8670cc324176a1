import Foundation
import Gzip
import ReportTransport

@testable import LeakReporter

/// Answers as a test says, and remembers what it was given.
final class FakeTransport: Transport, @unchecked Sendable {
    // Unchecked: everything is touched inside `lock` alone.
    private let lock = NSLock()
    private var received: [Post] = []
    private let answer: @Sendable (_ attempt: Int, Post) -> Reply

    init(_ answer: @escaping @Sendable (_ attempt: Int, Post) -> Reply) { self.answer = answer }

    var posts: [Post] { lock.withLock { received } }

    /// The bodies as JSON objects.
    func batches() throws -> [[String: Any]] {
        try posts.compactMap { post in
            let json = post["Content-Encoding"] == nil ? post.body : try inflated(post.body)
            return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        }
    }

    func post(_ post: Post) -> Reply {
        let attempt = lock.withLock {
            received.append(post)
            return received.count
        }
        return answer(attempt, post)
    }

    static func accepted(_ count: Int = 1) -> Reply {
        .answer(Reply.Answer(status: 200, body: Array(#"{"accepted": \#(count), "rejected": []}"#.utf8)))
    }

    static func status(_ status: Int) -> Reply {
        .answer(
            Reply.Answer(
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

extension Post {
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Seconds that are enough for a few attempts on a busy machine.
let generousSeconds: Double = 600

/// Looks a thousand times a second until it holds, for ``generousSeconds`` at most.
///
/// - Returns: whether it came to hold.
func comesToHold(_ condition: () -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(generousSeconds)
    while !condition() {
        guard Date() < deadline else { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}

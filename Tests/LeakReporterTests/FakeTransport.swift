import Foundation

@testable import LeakReporter

/// Answers as a test says, and remembers what it was given.
final class FakeTransport: Transport, @unchecked Sendable {
    // Unchecked: everything is touched inside `lock` alone.
    private let lock = NSLock()
    private var received: [Post] = []
    private let answer: @Sendable (_ attempt: Int, Post) -> Reply

    init(_ answer: @escaping @Sendable (_ attempt: Int, Post) -> Reply) { self.answer = answer }

    var posts: [Post] { lock.withLock { received } }

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

    static func status(_ status: Int) -> Reply { .answer(Reply.Answer(status: status)) }
}

extension Post {
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

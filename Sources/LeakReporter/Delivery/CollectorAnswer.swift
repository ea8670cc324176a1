internal import Foundation
import ReportTransport

/// The body that the collector answers a batch with.
struct CollectorAnswer: Hashable, Sendable {
    /// Indexes of the reports of the batch that were not taken.
    let rejected: [Int]
    let firstReason: String?

    /// - Returns: `nil` when it is not such a body.
    init?(json: [UInt8]) {
        struct Body: Decodable {
            struct Rejection: Decodable {
                let index: Int
                let reason: String?
            }
            let accepted: Int
            let rejected: [Rejection]?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        rejected = body.rejected?.map(\.index) ?? []
        firstReason = body.rejected?.first?.reason
    }
}

/// What went wrong, in the server's words. RFC 9457.
struct ProblemDetails: Hashable, Sendable {
    /// For a person, at most 300 characters.
    let text: String

    /// - Returns: `nil` when there are no such words.
    init?(json: [UInt8]) {
        struct Body: Decodable { let title, detail: String? }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        guard let words = body.detail ?? body.title, !words.isEmpty else { return nil }
        text = String(words.prefix(300))
    }

    /// Whether the answer is one of a collector's, by its type, or by its body where a proxy took the type away.
    static func isCarried(by answer: Reply.Answer) -> Bool {
        if answer.contentType?.lowercased().hasPrefix("application/problem+json") == true { return true }
        struct Body: Decodable { let status: Int }
        let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body))
        return body?.status == answer.status
    }
}

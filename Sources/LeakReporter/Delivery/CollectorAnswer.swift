internal import Foundation
import LeakTransport

/// The body that the collector answers a batch with.
struct CollectorAnswer: Hashable, Sendable {
    /// Indexes of the reports of the batch that were not taken.
    let rejected: [Int]
    let firstReason: String?
    /// False if the collector asks for no explanations.
    let takesExplanations: Bool

    /// - Returns: `nil` when it is not such a body.
    init?(json: [UInt8]) {
        struct Body: Decodable {
            struct Rejection: Decodable {
                let index: Int
                let reason: String?
            }
            let accepted: Int
            let rejected: [Rejection]?
            let explanations: Bool?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        rejected = body.rejected?.map(\.index) ?? []
        takesExplanations = body.explanations ?? true
        firstReason = body.rejected?.first?.reason.map { $0.prefix(utf8: 300) }
    }
}

/// What went wrong, in the server's words. RFC 9457.
struct ProblemDetails: Hashable, Sendable {
    /// For a person, at most 300 bytes.
    let text: String

    /// - Returns: `nil` when there are no such words.
    init?(json: [UInt8]) {
        struct Body: Decodable { let title, detail: String? }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        guard let words = body.detail ?? body.title, !words.isEmpty else { return nil }
        text = words.prefix(utf8: 300)
    }

    /// Every problem document of a collector has a type that starts with this.
    private static let typePrefix = "urn:leak-collector:problem:"

    /// Returns whether a collector wrote the answer. Gateways write problem documents too, but with types of their own.
    static func isCollectors(_ answer: Reply.Answer) -> Bool {
        guard answer.contentType?.lowercased().hasPrefix("application/problem+json") == true else {
            return false
        }
        struct Body: Decodable { let type: String }
        let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body))
        return body?.type.hasPrefix(typePrefix) == true
    }
}

internal import Foundation
import LeakTransport

/// The body of the collector's response to a batch.
struct CollectorResponse: Hashable, Sendable {
    /// Indexes of the rejected reports in the batch that the response names.
    let rejectedIndexes: [Int]
    /// The number of further rejected reports. The collector counts all of them, but names at most a hundred, and fewer in the
    /// response to a repeated request.
    let unnamedRejectionCount: Int
    /// The reason of the first rejection.
    let firstReason: String?
    /// `false` if the collector asks the app to send no explanations.
    let takesExplanations: Bool

    /// - Returns: `nil` if the body is not of this form.
    init?(json: [UInt8]) {
        struct Body: Decodable {
            struct Rejection: Decodable {
                let index: Int
                let reason: String?
            }
            let accepted: Int
            let rejected: [Rejection]?
            let rejectedCount: Int?
            let explanations: Bool?
            enum CodingKeys: String, CodingKey {
                case accepted, rejected, explanations
                case rejectedCount = "rejected_count"
            }
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        rejectedIndexes = body.rejected?.map(\.index) ?? []
        unnamedRejectionCount = max(0, max(0, body.rejectedCount ?? 0) - rejectedIndexes.count)
        takesExplanations = body.explanations ?? true
        firstReason = body.rejected?.first?.reason.map { $0.prefix(utf8: 300) }
    }
}

/// The server's description of an error. RFC 9457.
struct ProblemDetails: Hashable, Sendable {
    /// A text for people, at most 300 bytes.
    let text: String

    /// - Returns: `nil` if the body contains no such text.
    init?(json: [UInt8]) {
        struct Body: Decodable { let title, detail: String? }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
        guard let message = body.detail ?? body.title, !message.isEmpty else { return nil }
        text = message.prefix(utf8: 300)
    }

    /// The prefix of the type in every problem document of a collector.
    private static let typePrefix = "urn:leak-collector:problem:"

    /// Returns `true` if a collector wrote the response. Gateways write problem documents too, but with other types.
    static func isFromCollector(_ response: TransportResult.Response) -> Bool {
        guard response.contentType?.lowercased().hasPrefix("application/problem+json") == true else {
            return false
        }
        struct Body: Decodable { let type: String }
        let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
        return body?.type.hasPrefix(typePrefix) == true
    }
}

import Foundation
import LeakHTTPClient
import Testing

/// Requests that reporters and people send to a running collector.
extension HTTPClient {
    /// Sends a batch of reports.
    func report(_ body: [UInt8], to address: String, idempotencyKey: String) throws -> HTTPResponse {
        try post(
            body, to: "\(address)/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                HTTPField("Content-Type", "application/json"), HTTPField("Idempotency-Key", idempotencyKey),
            ])
    }

    /// Returns the total number of counted reports.
    func reportCount(at address: String) throws -> Int {
        try #require(json("/api/v1/summary", at: address)["reports"] as? Int)
    }

    /// Returns a JSON object that is read with the access token.
    func json(_ path: String, at address: String) throws -> [String: Any] {
        let answer = try get(
            address + path, fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }
}

import Foundation
import LeakHTTPClient
import LeakMessage
import LeakSampleData

/// Sends the batches of a ``SampleFleet`` to the collector, as the devices would have sent them, and makes the decisions about
/// leaks at the end of each day.
struct SampleDelivery {
    private let options: Options
    private let client: HTTPClient
    /// `false` without an access token, which decisions need.
    private let makesDecisions: Bool
    private(set) var batchCount = 0
    private(set) var decisionCount = 0

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ options: Options) throws {
        self.options = options
        makesDecisions = !options.token.isEmpty
        var clientOptions = HTTPClient.Options()
        clientOptions.maxResponseBytes = 1 << 20
        client = try HTTPClient(clientOptions)
    }

    mutating func send(_ fleet: SampleFleet) throws {
        for day in fleet.days {
            for delivery in day.deliveries { try send(delivery) }
            guard makesDecisions else { continue }
            for decision in day.decisions { try make(decision) }
        }
    }

    private mutating func send(_ delivery: SampleFleet.Delivery) throws {
        let response = try client.post(
            delivery.batch.json(), to: options.endpoint + "/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(options.key)"),
                HTTPField("Content-Type", "application/json"),
                HTTPField("Idempotency-Key", delivery.idempotencyKey),
            ])
        switch response.status {
        case 200: batchCount += 1
        // The demo sent this batch earlier today, and a batch counts once.
        case 422: break
        default: throw failure(response)
        }
    }

    private mutating func make(_ decision: SampleFleet.Decision) throws {
        let className = decision.className.split(separator: ".").last.map(String.init) ?? ""
        let list = try responseJSON {
            try client.get(
                "\(options.endpoint)/api/v1/leaks?app=\(decision.app)&class=\(className)&state=any",
                fields: [authorization])
        }
        // A leak that already has a decision (`standing`) gets no other.
        guard let leak = (list["leaks"] as? [[String: Any]])?.first,
            leak["standing"] as? [String: Any] == nil,
            let id = leak["id"] as? String
        else { return }
        var body: [String: Any] = ["note": decision.note]
        switch decision.action {
        case .resolve(let version): (body["action"], body["in"]) = ("resolve", version)
        case .ignore: body["action"] = "ignore"
        }
        let bytes = Array(try JSONSerialization.data(withJSONObject: body))
        _ = try responseJSON {
            try client.post(
                bytes, to: "\(options.endpoint)/api/v1/leaks/\(id)/decisions",
                fields: [authorization, HTTPField("Content-Type", "application/json")])
        }
        decisionCount += 1
    }

    private var authorization: HTTPField { HTTPField("Authorization", "Bearer \(options.token)") }

    /// Sends a request and returns the JSON of its response. If the status is 401, the request is repeated for three seconds,
    /// because a collector needs up to two seconds to accept a new token.
    private func responseJSON(_ request: () throws -> HTTPResponse) throws -> [String: Any] {
        var response = try request()
        for _ in 0..<6 where response.status == 401 {
            Thread.sleep(forTimeInterval: 0.5)
            response = try request()
        }
        guard (200..<300).contains(response.status) else { throw failure(response) }
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    private func failure(_ response: HTTPResponse) -> Failure {
        let text = String(decoding: response.body.prefix(300), as: UTF8.self)
        return Failure(description: "\(options.endpoint) responded \(response.status): \(text)")
    }
}

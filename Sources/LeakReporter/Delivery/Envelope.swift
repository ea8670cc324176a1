internal import Gzip
import LeakMessage
import ReportTransport

/// Makes a post of a load: who sends it, as JSON, compressed where that is shorter.
struct Envelope: Hashable, Sendable {
    let endpoint: Endpoint
    let key: String
    let app: AppInfo
    let device: DeviceInfo
    /// Set by the courier, which may have to read a file for it.
    var install: String?
    let user: String?
    /// Of the JSON, before compression.
    let bodyBytes: Int

    /// - Returns: the post, or `nil` when the load is longer than a body may be and can still be split.
    func post(of load: Outbox.Load) -> Post? {
        let json = batch(of: load).json()
        guard json.count <= bodyBytes || load.entries.count <= 1 else { return nil }
        var fields = [
            Post.Field(name: "Authorization", value: "Bearer \(key)"),
            Post.Field(name: "Content-Type", value: "application/json"),
            Post.Field(name: "Accept", value: "application/json"),
            Post.Field(name: "Idempotency-Key", value: load.key),
        ]
        let compressed = Gzip.deflate(json)
        guard compressed.count < json.count else {
            return Post(address: endpoint.address, fields: fields, body: json)
        }
        fields.append(Post.Field(name: "Content-Encoding", value: "gzip"))
        return Post(address: endpoint.address, fields: fields, body: compressed)
    }

    private func batch(of load: Outbox.Load) -> LeakBatch {
        var batch = LeakBatch()
        batch.app = app
        batch.device = device
        batch.install = install
        batch.user = user
        batch.sentAt = load.sentAt
        batch.checks = load.denominators.list
        batch.sessions = load.denominators.sessions
        batch.dropped = load.dropped.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { DroppedReports(reason: $0.key.rawValue, count: $0.value) }
        batch.reports = load.entries.map(\.report)
        return batch
    }
}

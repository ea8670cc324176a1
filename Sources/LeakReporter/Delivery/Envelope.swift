internal import LeakGzip
import LeakTransport

/// Creates the HTTP request for a batch: adds the address and the key, and compresses the body if that makes it shorter.
struct Envelope: Hashable, Sendable {
    let endpoint: Endpoint
    let key: String

    /// The name of the queue of this endpoint, key and app: 128 bits of a SHA-256, which do not reveal the key.
    func queueName(appID: String?) -> String {
        // Neither an endpoint nor a key has a line feed.
        let parts = endpoint.address + "\n" + key + "\n" + (appID ?? "")
        return SHA256.hash(Array(parts.utf8)).prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    /// - Parameter key: the idempotency key of the batch, by which the collector recognizes it.
    func post(_ body: [UInt8], key batch: String) -> Post {
        var fields = [
            Post.Field(name: "Authorization", value: "Bearer \(key)"),
            Post.Field(name: "Content-Type", value: "application/json"),
            Post.Field(name: "Accept", value: "application/json"),
            Post.Field(name: "Idempotency-Key", value: batch),
        ]
        let compressed = Gzip.deflate(body)
        guard compressed.count < body.count else {
            return Post(address: endpoint.address, fields: fields, body: body)
        }
        fields.append(Post.Field(name: "Content-Encoding", value: "gzip"))
        return Post(address: endpoint.address, fields: fields, body: compressed)
    }
}

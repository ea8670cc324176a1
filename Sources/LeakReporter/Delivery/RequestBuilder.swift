internal import LeakGzip
import LeakTransport

/// A builder of the HTTP request for a batch: it adds the address and the key, and compresses the body if that makes it shorter.
struct RequestBuilder: Hashable, Sendable {
    let endpoint: CollectorAddress
    let key: String

    /// Returns the name of the queue of this endpoint, key and app: 128 bits of a SHA-256, which do not reveal the key.
    func queueName(appID: String?) -> String {
        // Neither an endpoint nor a key has a line feed.
        let parts = endpoint.address + "\n" + key + "\n" + (appID ?? "")
        return SHA256.hash(Array(parts.utf8)).prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    /// Creates the request that posts a batch.
    ///
    /// - Parameter idempotencyKey: the key of the batch, by which the collector recognizes a repeated request.
    func request(posting body: [UInt8], idempotencyKey: String) -> TransportRequest {
        var fields = [
            TransportRequest.Field(name: "Authorization", value: "Bearer \(key)"),
            TransportRequest.Field(name: "Content-Type", value: "application/json"),
            TransportRequest.Field(name: "Accept", value: "application/json"),
            TransportRequest.Field(name: "Idempotency-Key", value: idempotencyKey),
        ]
        let compressed = Gzip.deflate(body)
        guard compressed.count < body.count else {
            return TransportRequest(address: endpoint.address, fields: fields, body: body)
        }
        fields.append(TransportRequest.Field(name: "Content-Encoding", value: "gzip"))
        return TransportRequest(address: endpoint.address, fields: fields, body: compressed)
    }
}

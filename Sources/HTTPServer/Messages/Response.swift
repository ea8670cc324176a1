/// An answer. The server adds what every answer has: length, date, security fields, connection.
public struct Response: Sendable {
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        case text(StaticString)

        var count: Int {
            switch self {
            case .empty: 0
            case .bytes(let bytes): bytes.count
            case .text(let text): text.utf8CodeUnitCount
            }
        }
    }

    public var status: Status
    /// Besides those of the server. A name or value with a control character is left out: it would end the line.
    public var fields: [(name: String, value: String)] = []
    /// The media type of `body`.
    public var type: String?
    public var body: Body
    /// What tells this content from another at the same address, without quotes. The server answers a request that
    /// has it already (`If-None-Match`) with 304.
    public var etag: String?
    /// The connection ends after this answer.
    public var closes = false

    public init(_ status: Status, type: String? = nil, body: Body = .empty) {
        self.status = status
        self.type = type
        self.body = body
    }
}

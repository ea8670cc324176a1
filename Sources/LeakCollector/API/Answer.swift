internal import HTTPServer
internal import LeakMessage
internal import LeakStore

/// Builds the JSON bodies of answers.
enum Answer {
    /// An object with the fields that `body` writes, kept by no cache without asking again.
    static func json(_ body: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        writer.object(body)
        return response(writer.bytes)
    }

    static func response(_ bytes: [UInt8]) -> Response {
        var response = Response(.ok, type: "application/json", body: .bytes(bytes))
        response.etag = ContentTag.of(bytes)
        response.fields.append(("Cache-Control", "private, no-cache"))
        return response
    }
}

/// What tells two bodies apart: an entity tag without its quotes. RFC 9110 §8.8.3
enum ContentTag {
    static func of(_ bytes: [UInt8]) -> String {
        LeakID(bytes: SHA256.hash(bytes)).description
    }
}

extension LeakID {
    /// The first 16 of at least 16 bytes.
    init(bytes: [UInt8]) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: number(bytes[0..<8]), low: number(bytes[8..<16]))
    }
}

internal import LeakHTTPServer
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

    /// Of a page: two that tell the same, and differ in nothing but when they were made, have the same. Hence it is weak.
    static func of(page: HTML) -> String {
        // Text from outside has no `<` left: the last one of these is the frame's, and nothing changes behind it.
        let time = page.bytes.lastStart(of: "<time")
        return "W/\"\(of(Array(page.bytes[..<(time ?? page.bytes.endIndex)])))\""
    }
}

extension [UInt8] {
    fileprivate func lastStart(of text: String) -> Int? {
        let text = Array(text.utf8)
        return indices.reversed().first { self[$0] == text.first && self[$0...].starts(with: text) }
    }
}

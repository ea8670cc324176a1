internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Builder of responses with a JSON body.
enum JSONResponse {
    /// Returns a response whose body is a JSON object with the fields that `body` writes. Caches must revalidate it before
    /// each use.
    static func json(_ body: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        writer.object(body)
        return response(writer.bytes)
    }

    static func response(_ bytes: [UInt8]) -> Response {
        var response = Response(.ok, type: "application/json", body: .bytes(bytes))
        response.etag = ResponseETag.of(bytes)
        response.fields.append(("Cache-Control", "private, no-cache"))
        return response
    }
}

/// Entity tags, which distinguish different bodies. RFC 9110 §8.8.3
enum ResponseETag {
    /// Returns the tag of a body, without its quotes.
    static func of(_ bytes: [UInt8]) -> String {
        LeakID(bytes: SHA256Hash.hash(bytes)).description
    }

    /// Returns the tag of a page, with its quotes. The tag is weak, because pages that differ only in the time at which
    /// they were made have the same tag.
    static func of(page: HTML) -> String {
        // The last `<time` is the time of the page in the footer of ``PageLayout``, because interpolated text contains
        // no `<`. The markup after it is the same on all pages.
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

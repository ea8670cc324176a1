internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Builder of responses with a JSON body.
enum JSONResponse {
    /// Returns a JSON object with the fields that `body` writes. Caches must revalidate it before each use.
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

/// Entity tags without their quotes, which distinguish different bodies. RFC 9110 §8.8.3
enum ContentTag {
    static func of(_ bytes: [UInt8]) -> String {
        LeakID(bytes: SHA256Hash.hash(bytes)).description
    }

    /// Returns the tag of a page. Pages that differ only in the time at which they were made have the same tag, so it
    /// is weak.
    static func of(page: HTML) -> String {
        // Interpolated text contains no `<`, so the last `<time` belongs to the footer of ``PageLayout``. Nothing
        // after it differs between pages.
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

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

extension Response {
    /// Creates the response with a page for this visitor. Shared caches do not keep it, and a browser revalidates it
    /// each time.
    ///
    /// - Parameter holdsSecret: true if no cache may keep the page at all.
    init(page: HTML, status: Status = .ok, holdsSecret: Bool = false) {
        self.init(status, type: "text/html; charset=utf-8", body: .bytes(page.bytes))
        // An error page has no entity tag to be revalidated by.
        fields.append(("Cache-Control", status == .ok && !holdsSecret ? "private, no-cache" : "no-store"))
        // Without any referrer a browser sends `Origin: null` with a page's forms:
        // https://fetch.spec.whatwg.org/#origin-header
        fields.append(("Referrer-Policy", "same-origin"))
        if status == .ok && !holdsSecret { etag = ResponseETag.of(page: page) }
    }

    /// Returns the page that shows an error to people.
    ///
    /// - Parameters:
    ///   - permissions: the rights of the reader; empty if the reader is not signed in.
    ///   - now: milliseconds since 1970.
    static func page(
        error status: Status, detail: String? = nil, typedText: String? = nil,
        back: ErrorPage.PageLink? = nil,
        permissions: Set<Permission> = [],
        now: Int64
    ) -> Response {
        let context = PageContext(links: .served, now: now, permissions: permissions)
        let page = ErrorPage(
            context: context, status: Int(status.code), detail: detail, typedText: typedText, back: back,
            hasNavigation: permissions.contains(.read), namesRequest: true)
        var response = Response(page: page.html, status: status)
        if case .bytes(let bytes) = response.body {
            response.requestIDPosition = ErrorPage.requestIDPosition(in: bytes).map { .byte($0) }
        }
        return response
    }

    /// Returns a plain text for programs that check only the status.
    static func plain(_ text: StaticString) -> Response {
        var response = Response(.ok, type: "text/plain; charset=utf-8", body: .text(text))
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    /// Returns a redirect with status 303. The browser then sends GET, even after a POST (RFC 9110 §15.4.4).
    static func redirect(to path: String, cookie: String? = nil) -> Response {
        var response = Response(.seeOther)
        response.fields.append(("Location", path))
        response.fields.append(("Cache-Control", "no-store"))
        if let cookie { response.fields.append(("Set-Cookie", cookie)) }
        return response
    }
}

extension Links {
    /// Links of the running collector, which serves from the root.
    static let served = Links(mode: .server(base: ""))
}

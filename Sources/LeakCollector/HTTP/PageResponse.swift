internal import LeakHTTPServer
internal import LeakStore

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
    /// - Parameter now: milliseconds since 1970.
    static func page(
        error status: Status, detail: String? = nil, typedText: String? = nil,
        back: ErrorPage.PageLink? = nil,
        isSignedIn: Bool = false,
        now: Int64
    ) -> Response {
        let context = PageContext(links: .served, now: now)
        let page = ErrorPage(
            context: context, status: Int(status.code), detail: detail, typedText: typedText, back: back,
            hasNavigation: isSignedIn)
        return Response(page: page.html, status: status)
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

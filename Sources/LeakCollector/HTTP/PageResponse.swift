internal import LeakHTTPServer
internal import LeakStore

extension Response {
    /// A page that was made for this visitor: kept by no shared cache, asked for again each time.
    ///
    /// - Parameter holdsSecret: whether it must not be kept at all.
    init(page: HTML, status: Status = .ok, holdsSecret: Bool = false) {
        self.init(status, type: "text/html; charset=utf-8", body: .bytes(page.bytes))
        // A page that went wrong has nothing to be asked for again by.
        fields.append(("Cache-Control", status == .ok && !holdsSecret ? "private, no-cache" : "no-store"))
        // Without any referrer a browser says `Origin: null` of a page's forms: https://fetch.spec.whatwg.org/#origin-header
        fields.append(("Referrer-Policy", "same-origin"))
        if status == .ok && !holdsSecret { etag = ContentTag.of(page: page) }
    }

    /// What went wrong, for eyes.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func page(
        error status: Status, detail: String? = nil, written: String? = nil, back: ErrorPage.Way? = nil,
        isSignedIn: Bool = false,
        now: Int64
    ) -> Response {
        let context = PageContext(links: .served, now: now)
        let page = ErrorPage(
            context: context, status: Int(status.code), detail: detail, written: written, back: back,
            hasNavigation: isSignedIn)
        return Response(page: page.html, status: status)
    }

    /// For programs that look at the status alone.
    static func plain(_ text: StaticString) -> Response {
        var response = Response(.ok, type: "text/plain; charset=utf-8", body: .text(text))
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    /// Sends the browser on. 303: whatever the method was, the next is GET (RFC 9110 §15.4.4).
    static func redirect(to path: String, cookie: String? = nil) -> Response {
        var response = Response(.seeOther)
        response.fields.append(("Location", path))
        response.fields.append(("Cache-Control", "no-store"))
        if let cookie { response.fields.append(("Set-Cookie", cookie)) }
        return response
    }
}

extension Links {
    /// Of the running collector, which serves from the root.
    static let served = Links(mode: .server(base: ""))
}

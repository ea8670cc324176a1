internal import LeakHTTPServer

/// Source of a request: one of our own pages, another site, or unknown.
enum RequestOrigin: Hashable {
    case ownPage
    case otherSite
    /// The request has no `Origin`, and no `Sec-Fetch-Site` other than `none`: a program or an old browser sent it.
    case unspecified

    /// Determines the source of a request. `Sec-Fetch-Site` is set by the browser itself, and no page can forge it. But
    /// browsers send it only over TLS, or to a server on their own machine (https://www.w3.org/TR/fetch-metadata/). `Origin`
    /// comes with every POST of a browser.
    ///
    /// A proxy may replace `Host`, as nginx does by default. Therefore an origin that the operator named is accepted
    /// without a comparison with `Host`.
    ///
    /// - Parameter trusted: the origins that the operator named.
    init(of request: borrowing Request, trusting trusted: Set<WebOrigin>) {
        let origin = request.field("origin")
        // `none` says that no page made the request, as for an address that was typed. So it says nothing about a page.
        let fetchSite = request.field("sec-fetch-site").flatMap { $0 == "none" ? nil : $0 }
        if let webOrigin = origin.flatMap({ WebOrigin($0) }) {
            if trusted.contains(webOrigin) {
                self = .ownPage
                return
            }
            if fetchSite == nil {
                self = request.host.map { webOrigin.isOrigin(ofHost: $0) } ?? false ? .ownPage : .otherSite
                return
            }
        }
        switch fetchSite {
        case "same-origin": self = .ownPage
        case .some: self = .otherSite
        case nil: self = origin == nil ? .unspecified : .otherSite
        }
    }
}

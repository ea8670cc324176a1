internal import LeakHTTPServer

/// Whether a request comes from one of our own pages.
enum Provenance: Hashable {
    case here
    case elsewhere
    /// Nothing says so: a program sent it, or a browser older than both fields.
    case untold

    /// `Sec-Fetch-Site` is set by the browser itself, and no page can forge it; but it is sent over TLS and to the
    /// own machine alone (https://www.w3.org/TR/fetch-metadata/). `Origin` comes with every POST of a browser.
    ///
    /// A proxy may replace `Host`, as nginx does by default: an origin that the operator named is ours whatever `Host`
    /// says.
    ///
    /// - Parameter trusted: the origins that the operator named.
    init(of request: borrowing Request, trusting trusted: Set<WebOrigin>) {
        let origin = request.field("origin")
        let site = request.field("sec-fetch-site")
        if let named = origin.flatMap({ WebOrigin($0) }) {
            if trusted.contains(named) {
                self = .here
                return
            }
            if site == nil {
                self = request.host.map { named.isOrigin(ofHost: $0) } ?? false ? .here : .elsewhere
                return
            }
        }
        switch site {
        // `none`: typed or bookmarked, by no page at all.
        case "same-origin", "none": self = .here
        case .some: self = .elsewhere
        case nil: self = origin == nil ? .untold : .elsewhere
        }
    }
}

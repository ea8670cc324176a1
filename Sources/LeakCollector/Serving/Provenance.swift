internal import HTTPServer

/// Whether a request comes from one of our own pages.
enum Provenance: Hashable {
    case here
    case elsewhere
    /// Nothing says so: a program sent it, or a browser older than both fields.
    case untold

    /// `Sec-Fetch-Site` is what the browser itself says, and no page can forge it; but it is sent over TLS and to the
    /// own machine alone (https://www.w3.org/TR/fetch-metadata/). `Origin` comes with every POST of a browser.
    init(of request: borrowing Request) {
        switch request.field("sec-fetch-site") {
        // `none`: typed or bookmarked, by no page at all.
        case "same-origin", "none": self = .here
        case .some: self = .elsewhere
        case nil:
            guard let origin = request.field("origin") else {
                self = .untold
                return
            }
            let isHere = request.host.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
            self = isHere ? .here : .elsewhere
        }
    }
}

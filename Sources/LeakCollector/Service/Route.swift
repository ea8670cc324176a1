internal import LeakHTTPServer
internal import LeakStore

/// What an address stands for: a resource of ``Resources``, or one of these. All but the files of `Public` are in ``router``; what
/// is not there is 404.
enum Route: Hashable, Sendable {
    case reports
    /// What a Sentry SDK sends.
    case sentry(SentryIngest.Form)
    /// What is read, in one form.
    case resource(ResourceAddress)
    /// What is decided about a leak: in JSON, and by the form of its page.
    case decisions(LeakID), decisionForm(LeakID)
    case health, readiness
    case signInPage, signIn, signOut
    /// A change of keys or tokens, by JSON or by a form.
    case handout(HandoutChange)
    /// Read at the address of a form, as by a reload or from the browser's history: leads to the page it stands on.
    case formAddress(Place)
    /// The install's id.
    case install(String)
    /// A table of symbols to store, and the id of an image whose table is removed.
    case symbolUpload, symbolRemoval(String)

    /// Makes a route of the parameters in its path.
    enum Pattern: Sendable {
        case fixed(Route)
        case resource(ResourceAddress)
        /// With `{leak}` in it.
        case leak(@Sendable (LeakID) -> Route)
        /// With `{install}` in it.
        case install
        /// With `{image}` in it.
        case image
        /// With `{project}` in it: SDKs want a number there, and any will do.
        case sentry(SentryIngest.Form)
        /// With `{id}` in it: of a key or a token.
        case handout(HandoutKind, @Sendable (Int64) -> HandoutChange.Action, isForm: Bool)

        /// - Returns: `nil` when no leak can have that id.
        func route(_ parameters: Parameters) -> Route? {
            switch self {
            case .fixed(let route): route
            case .resource(let address):
                address.namesLeak && parameters["leak"].flatMap { LeakID($0) } == nil
                    ? nil : .resource(address)
            case .leak(let route): parameters["leak"].flatMap { LeakID($0) }.map(route)
            case .install: parameters["install"].map(Route.install)
            case .image: parameters["image"].map(Route.symbolRemoval)
            case .sentry(let form):
                (parameters["project"].map { DecimalDigits.areAll(in: $0) } ?? false)
                    ? .sentry(form) : nil
            case .handout(let kind, let action, let isForm):
                parameters["id"].flatMap { Int64(decimalDigits: $0) }.map {
                    .handout(HandoutChange(kind: kind, action: action($0), isForm: isForm))
                }
            }
        }
    }

    static let router = Router<Pattern>(
        Resources.addresses.map { (.get, $0.path, .resource($0)) } + addresses
            + HandoutKind.allCases.flatMap { addresses(of: $0) })

    private static func addresses(of kind: HandoutKind) -> [(LeakHTTPServer.Method, String, Pattern)] {
        let (form, resource) = ("/access/\(kind.rawValue)", "/api/v1/\(kind.rawValue)")
        return [
            (.get, form, .fixed(.formAddress(.access))),
            (.get, form + "/{id}/name", .fixed(.formAddress(.access))),
            (.get, form + "/{id}/revoke", .fixed(.formAddress(.access))),
            (.post, form, .fixed(.handout(HandoutChange(kind: kind, action: .create, isForm: true)))),
            (.post, form + "/{id}/name", .handout(kind, HandoutChange.Action.rename, isForm: true)),
            (.post, form + "/{id}/revoke", .handout(kind, HandoutChange.Action.revoke, isForm: true)),
            (.post, resource, .fixed(.handout(HandoutChange(kind: kind, action: .create, isForm: false)))),
            (.patch, resource + "/{id}", .handout(kind, HandoutChange.Action.rename, isForm: false)),
            (.delete, resource + "/{id}", .handout(kind, HandoutChange.Action.revoke, isForm: false)),
        ]
    }

    private static let addresses: [(LeakHTTPServer.Method, String, Pattern)] = [
        (.get, "/leaks/{leak}/decisions", .leak { .formAddress(.leak($0)) }),
        (.post, "/leaks/{leak}/decisions", .leak(Route.decisionForm)),
        (.post, "/api/v1/reports", .fixed(.reports)),
        (.post, "/api/v1/leaks/{leak}/decisions", .leak(Route.decisions)),
        (.delete, "/api/v1/installs/{install}", .install),
        (.post, "/api/v1/symbols", .fixed(.symbolUpload)),
        (.delete, "/api/v1/symbols/{image}", .image),
        (.post, "/api/{project}/envelope/", .sentry(.envelope)),
        (.post, "/api/{project}/envelope", .sentry(.envelope)),
        (.post, "/api/{project}/store/", .sentry(.event)),
        (.post, "/api/{project}/store", .sentry(.event)),
        (.get, "/healthz", .fixed(.health)),
        (.get, "/readyz", .fixed(.readiness)),
        (.get, "/sign-in", .fixed(.signInPage)),
        (.post, "/sign-in", .fixed(.signIn)),
        (.post, "/sign-out", .fixed(.signOut)),
    ]

    /// Who may come in.
    enum Access: Hashable {
        case anyone
        /// With an ingest key.
        case writers
        /// With an access token or signed in; refused in JSON.
        case readers
        /// The same; sent to the sign-in page.
        case people
    }

    var access: Access {
        switch self {
        case .reports, .sentry: .writers
        case .install, .decisions, .symbolUpload, .symbolRemoval: .readers
        case .decisionForm, .formAddress: .people
        case .resource(let address): address.form == .page ? .people : .readers
        case .handout(let change): change.isForm ? .people : .readers
        case .health, .readiness, .signInPage, .signIn, .signOut: .anyone
        }
    }

    /// Where a browser goes once somebody has signed in who had to: from a form's address to its page.
    ///
    /// - Parameter target: what was asked for.
    func destination(from target: String) -> String {
        switch self {
        case .decisionForm(let leak): Links.served.to(.leak(leak))
        case .handout: Links.served.to(.access)
        case .formAddress(let page): Links.served.to(page)
        default: target
        }
    }

    /// Bytes of body that make sense; the server's own limit holds besides. A form is a token and a name.
    var bodyBytes: Int {
        switch self {
        case .reports, .sentry, .symbolUpload: .max
        case .signInPage, .signIn: 4096
        case .decisions, .decisionForm: Triage.bodyBytes
        case .handout: HandoutFields.bodyBytes
        default: 0
        }
    }
}

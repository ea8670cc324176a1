internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The discarded leaks of an app, or of all apps, in an environment: deleted leaks whose later reports are dropped.
struct DiscardedResource: JSONResource {
    static let permission = Permission.read
    static let jsonPath = "/discarded"
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) { scope = request.queriedScope }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let leaks = try view.reader.discardedLeaks(app: scope)
        writer.array("discarded") { writer in
            for leak in leaks {
                writer.object { writer in
                    writer.field("id", leak.id.description)
                    writer.field("app", leak.app.name)
                    writer.field("environment", leak.app.environment)
                    writer.field("title", leak.title)
                    writer.field("by", leak.by)
                    writer.time("at", leak.at)
                    writer.field("dropped", leak.dropped)
                }
            }
        }
    }
}

/// The mutation that accepts reports of a discarded leak again: `POST /releases/discarded` for the form of the page of releases,
/// and `DELETE /api/v1/discarded/{leak}`.
struct AcceptLeakMutation: Mutation {
    static let all = [true, false].map { AcceptLeakMutation(isForm: $0) }

    let permission = Permission.administer
    let isForm: Bool

    var method: LeakHTTPServer.Method { isForm ? .post : .delete }
    var path: String { isForm ? Links.served.to(.discardedForm) : "/api/v1/discarded/{leak}" }
    /// The limit has room for names in which each byte is written as `%00`.
    var body: Route.Body { .atMost(bytes: isForm ? 8 * 1024 : 0) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { _ in ErrorPage.PageLink(target: .releases(app: nil), text: "Back to releases") }
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let id: LeakID
        let page: LinkTarget
        if isForm {
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the page /releases.")
            }
            guard let named = form["leak"].flatMap({ LeakID($0) }) else { throw .noLeak }
            id = named
            let environment = AppKey.environment(named: form["environment"] ?? AppKey.production)
            page = .releases(app: AppScope(form["app"], environment: environment))
        } else {
            id = try change.match.parameters.leak
            page = .releases(app: nil)
        }
        let store = change.context.store
        let entry = AuditEntry(.acceptAgain, of: "leak \(id)", by: change.origin, at: change.now)
        change.context.storeThreads.add(
            change.work("accepting a discarded leak") { [isForm] _ in
                guard try store.accept(id, audit: entry) else {
                    throw Problem(
                        .notFound, "the leak \(id) is not discarded; /api/v1/discarded lists all that are")
                }
                guard !isForm else {
                    return .redirect(to: Links.served.to(page) + "#" + PageLayout.mainAnchor)
                }
                return JSONResponse.json { $0.field("id", id.description) }
            })
    }
}

/// The discarded leaks of an app on its page of releases, each with a button that accepts it again.
struct DiscardedCard: Component {
    var context: PageContext
    var app: AppKey
    var leaks: [DiscardedLeak]

    var html: HTML {
        Card(
            "Discarded leaks",
            #"""
            <p>Later reports of these leaks count as dropped, and in nothing else.</p>\#
            <table class="small access"><thead><tr><th scope="col">Leak</th><th scope="col" class="num">Dropped</th>\#
            <th scope="col">Discarded</th><td></td></tr></thead><tbody>\#(leaks.map(row))</tbody></table>
            """#, id: "discarded"
        ).html
    }

    private func row(_ leak: DiscardedLeak) -> HTML {
        #"""
        <tr><th scope="row">\#(IsolatedText(leak.title))</th><td class="num">\#(Count(leak.dropped))</td>\#
        <td>\#(context.relativeTime(leak.at).dayElement)<small>\#(IsolatedText(leak.by))</small></td>\#
        <td><form method="post" action="\#(context.links.to(.discardedForm))">\#
        <input type="hidden" name="leak" value="\#(leak.id.description)"><input type="hidden" name="app" value="\#(app.name)">\#
        <input type="hidden" name="environment" value="\#(app.environment)"><button>Accept again</button></form></td></tr>
        """#
    }
}

internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// All leaks of one class. The class is in the query, because its name may contain a slash, which a parameter of a
/// path cannot.
struct ClassResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/classes", "/classes")
    static let jsonParameters = ["class"] + Request.scopeParameters

    let name: String
    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        guard let name = request.query("class"), !name.isEmpty else {
            throw Problem.invalidParameter("missing parameter: class, as in ?class=CheckoutViewController")
        }
        self.name = name
        scope = request.queriedScope
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(of: try leakClass(in: view), app: scope)
    }

    func page(from view: StoreView) throws -> HTML {
        ClassPage(context: try view.contextWithEnvironments(app: scope), leakClass: try leakClass(in: view))
            .html
    }

    private func leakClass(in view: StoreView) throws -> LeakClass {
        guard let leakClass = try view.reader.leakClass(name, app: scope, now: view.now) else {
            throw Problem.noClass
        }
        return leakClass
    }
}

/// All leaks of one class together, with any path: `/classes?class=…`.
struct ClassPage: Component {
    var context: PageContext
    var leakClass: LeakClass

    var html: HTML {
        PageLayout(
            title: leakClass.name, section: .summary, context: context, isLive: true,
            main: #"""
                <p class="crumb">\#(app) › class\#(modules)</p>
                <div class="head"><h1>\#(IsolatedText(leakClass.name))</h1></div>\#(environments)
                <dl class="facts">\#(facts)</dl>
                \#(LeakTable(context: context, leaks: leakClass.leaks, caption: "Leaks of this class", isSorted: false))
                \#(more)\#(related)
                """#,
            footer: [
                "\(Count(leakClass.total).text(noun: "leak", plural: "leaks")) from \(Count(leakClass.reports).text(noun: "report", plural: "reports"))",
                #"<a href="\#(context.links.json(of: linkTarget(leakClass.name)))">JSON</a>"#,
            ]
        ).html
    }

    private func linkTarget(_ name: String) -> LinkTarget { .leakClass(name, app: context.query.scope) }

    private var app: HTML {
        #"<a href="\#(context.links.to(.summary(app: context.query.scope)))">\#(IsolatedText(context.query.app ?? "all apps"))</a>"#
    }

    private var environments: EnvironmentForm {
        EnvironmentForm(
            context: context, target: .leakClass(leakClass.name, app: AppScope(nil)),
            hiddenField: ("class", leakClass.name))
    }

    private var modules: HTML? {
        guard !leakClass.modules.isEmpty else { return nil }
        return
            " › \(leakClass.modules.count == 1 ? "module" : "modules") \(HTML(leakClass.modules.map { IsolatedText($0).html }, separator: ", "))"
    }

    private var facts: [HTML] {
        var facts = [
            Fact("\(Count(leakClass.total))", leakClass.total == 1 ? "path" : "paths").html,
            Fact("\(Count(leakClass.reports))", leakClass.reports == 1 ? "report" : "reports").html,
            Fact("\(Count(installs: leakClass.installs))", leakClass.installs == 1 ? "install" : "installs")
                .html,
        ]
        if leakClass.freed > 0 {
            facts.append(FreedFact(freedCount: leakClass.freed, lived: leakClass.lived).html)
        }
        facts.append(
            Fact(
                "\(context.relativeTime(leakClass.firstSeen).dayElement) – \(context.relativeTime(leakClass.lastSeen))",
                "first and last seen"
            ).html)
        return facts
    }

    /// Link to the paged list of the class's leaks, if there are more than the page shows.
    private var more: HTML? {
        guard leakClass.leaks.count < leakClass.total else { return nil }
        var query = LeakQuery()
        query.scope = context.query.scope
        query.className = leakClass.name
        query.state = .any
        query.sort = .reports
        return #"""
            <nav class="pages" aria-label="More leaks"><a href="\#(context.links.to(.summary(query)))">\#
            All \#(Count(leakClass.total).text(noun: "leak", plural: "leaks")) of this class</a></nav>
            """#
    }

    /// Classes with similar names. The app's author must judge which of them are the same class.
    private var related: HTML? {
        guard !leakClass.related.isEmpty else { return nil }
        let rows = leakClass.related.map { related -> HTML in
            #"""
            <tr><th scope="row"><a href="\#(context.links.to(linkTarget(related.name)))"><code>\#(IsolatedText(related.name))</code></a>\#
            </th><td class="num">\#(Count(related.leaks))</td><td class="num">\#(Count(related.reports))</td></tr>
            """#
        }
        return Card(
            "Similar classes",
            #"""
            <table class="small"><thead><tr><th scope="col">Class</th><th scope="col" class="num">Leaks</th>\#
            <th scope="col" class="num">Reports</th></tr></thead><tbody>\#(rows)</tbody></table>
            """#
        ).html
    }
}

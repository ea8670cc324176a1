internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The data that would be deleted with a leak, a version or an app. The page has the form that deletes it.
struct ForgetResource: JSONResource, PageResource {
    static let permission = Permission.administer
    static let (jsonPath, pagePath) = ("/forget", "/forget")
    static let jsonParameters = ForgetTarget.parameterNames

    let target: ForgetTarget

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        var parameters: [String: String] = [:]
        for name in ForgetTarget.parameterNames { parameters[name] = request.query(name) }
        target = try ForgetTarget(parameters)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(of: try counts(from: view))
    }

    func page(from view: StoreView) throws -> HTML {
        let counts = try counts(from: view)
        var title: String?
        if case .leak(let id) = target { title = try view.reader.outline(of: id)?.title }
        return ForgetPage(
            context: view.context(app: target.scope), target: target, counts: counts, leakTitle: title
        ).html
    }

    private func counts(from view: StoreView) throws -> ForgetCounts {
        guard let counts = try view.reader.forgetCounts(of: target) else { throw target.missingProblem }
        return counts
    }
}

/// The page that says what is deleted, and asks for a confirmation: `/forget`.
struct ForgetPage: Component {
    var context: PageContext
    var target: ForgetTarget
    var counts: ForgetCounts
    /// The title of the leak, for a leak.
    var leakTitle: String?

    var html: HTML {
        PageLayout(
            title: "Delete", section: section, context: context,
            main: #"""
                <div class="narrow"><h1>Delete \#(name)?</h1>
                <p>This deletes:</p>
                <ul>\#(counts.descriptions.map { "<li>\($0)</li>" as HTML })</ul>
                <p>\#(consequence) This cannot be undone.</p>
                <form method="post" action="\#(context.links.to(.forgetForm))">\#(hiddenFields)<button>Delete \#(name)</button></form>
                <p><a href="\#(context.links.to(back))">Cancel</a></p></div>
                """#
        ).html
    }

    private var section: PageLayout.Section {
        if case .leak = target { .summary } else { .releases }
    }

    private var name: HTML {
        switch target {
        case .leak: "the leak \(IsolatedText(leakTitle ?? ""))"
        case .version(let version, let app):
            "version \(IsolatedText(version)) of \(IsolatedText(app.name)) in \(IsolatedText(app.environment))"
        case .environment(let app): "\(IsolatedText(app.name)) in \(IsolatedText(app.environment))"
        case .app(let name): "\(IsolatedText(name)) in all environments"
        }
    }

    private var consequence: HTML {
        switch target {
        case .leak:
            "The leak stays in other environments. If it is reported again, it is a new leak."
        case .version:
            """
            Leaks that were also seen in other versions stay, with their decisions. If the version is reported again, it is a new \
            version.
            """
        case .environment, .app:
            """
            Keys stay: to stop further reports, revoke the ingest keys first. If the app is reported again, it is a new app.
            """
        }
    }

    private var hiddenFields: [HTML] {
        target.parameters.map { #"<input type="hidden" name="\#($0.name)" value="\#($0.value ?? "")">"# }
    }

    private var back: LinkTarget {
        switch target {
        case .leak(let id): .leak(id)
        case .version, .environment, .app: .releases(app: target.scope)
        }
    }
}

/// The form on the page of releases that leads to ``ForgetPage``.
struct ForgetForm: Component {
    var context: PageContext
    var app: AppKey
    /// Newest version first.
    var versions: [String]

    var html: HTML {
        #"""
        <details><summary>Delete…</summary><form class="filters" action="\#(context.links.to(.forgetChoice))" aria-label="Delete">\#
        <input type="hidden" name="app" value="\#(app.name)"><input type="hidden" name="environment" value="\#(app.environment)">\#
        \#(DropDownList(name: "version", label: "Version", emptyLabel: nil, options: versions.map { ($0, $0) }, selectedValue: nil))\#
        <button name="what" value="version">Delete this version…</button>\#
        <button name="what" value="environment">Delete the app in this environment…</button>\#
        <button name="what" value="app">Delete the app in all environments…</button></form></details>
        """#
    }
}

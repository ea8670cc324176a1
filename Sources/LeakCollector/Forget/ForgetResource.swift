internal import LeakHTTPServer
internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

/// The data that would be deleted with a leak, a version, an environment, an app or an ingest key. The page has the form that
/// deletes it.
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
        var credential: Credential?
        switch target {
        case .leak(let id): title = try view.reader.outline(of: id)?.title
        case .key(let key, _):
            credential = try view.reader.credentials(includingEnded: true, now: view.now).first {
                $0.id == key
            }
        case .version, .environment, .app: break
        }
        return ForgetPage(
            context: view.context(app: target.scope), target: target, counts: counts, leakTitle: title,
            key: credential
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
    /// The ingest key, for a key.
    var key: Credential?

    var html: HTML {
        PageLayout(
            title: "Delete", section: section, context: context,
            main: #"""
                <div class="narrow"><h1>Delete \#(name)?</h1>\#(keyNotes)
                \#(deletion)
                <p><a href="\#(context.links.to(back))">Cancel</a></p></div>
                """#
        ).html
    }

    private var deletion: HTML {
        guard !counts.isEmpty else { return "<p>There is nothing to delete.</p>" }
        return #"""
            <p>This deletes:</p>
            <ul>\#(Self.list(counts.descriptions))</ul>\#(kept)
            <p>\#(consequence) This cannot be undone.</p>
            <form method="post" action="\#(context.links.to(.forgetForm))">\#(hiddenFields)<button>Delete \#(name)</button>\#(discardButton)</form>
            """#
    }

    /// For a leak: the button that also drops its later reports.
    private var discardButton: HTML? {
        guard case .leak = target else { return nil }
        return #"""
             <button name="discard" value="true">Delete and discard later reports</button>\#
            <p class="dim">Later reports of a discarded leak count as dropped, and in nothing else. The page of releases lists the \#
            discarded leaks of an app.</p>
            """#
    }

    private static func list(_ descriptions: [String]) -> [HTML] {
        descriptions.map { "<li>\($0)</li>" as HTML }
    }

    /// The numbers of apps, versions and leaks that stay because other keys reported them too; `nil` if none stay.
    private var kept: HTML? {
        guard counts.kept != ForgetCounts.Kept() else { return nil }
        return """
            <p>This stays, because other keys have reported it too:</p><ul>\(Self.list(counts.kept.descriptions))</ul>
            """
    }

    /// For a key: a warning if the key is still valid, and the form for the time since which data is deleted.
    private var keyNotes: HTML? {
        guard case .key(let id, let since) = target else { return nil }
        let note: HTML? =
            key?.revokedAt == nil
            ? #"""
            <p class="alert">The key is still valid: <a href="\#(context.links.to(.access))#keys">revoke it</a> first. Otherwise its \#
            next reports bring everything back.</p>
            """#
            : nil
        return #"""
            \#(note)<form class="filters" action="\#(context.links.to(.forgetChoice))" aria-label="Time">\#
            <input type="hidden" name="what" value="key"><input type="hidden" name="key" value="\#(id)">\#
            <label>Only what was made since <input name="since" autocomplete="off" spellcheck="false" \#
            placeholder="2026-11-20T12:00:00Z" value="\#(since.map { CivilTime(milliseconds: $0).rfc3339 } ?? "")"></label>\#
            <button>Show</button></form>
            """#
    }

    private var section: PageLayout.Section {
        switch target {
        case .leak: .summary
        case .key: .access
        case .version, .environment, .app: .releases
        }
    }

    private var name: HTML {
        switch target {
        case .leak: "the leak \(IsolatedText(leakTitle ?? ""))"
        case .version(let version, let app):
            "version \(IsolatedText(version)) of \(IsolatedText(app.name)) in \(IsolatedText(app.environment))"
        case .environment(let app): "\(IsolatedText(app.name)) in \(IsolatedText(app.environment))"
        case .app(let name): "\(IsolatedText(name)) in all environments"
        case .key(let id, let since):
            """
            what key \(id)\(key.map { " (\(IsolatedText($0.name)))" as HTML }) made\(since.map {
                " since \(CivilTime(milliseconds: $0).rfc3339)" as HTML
            })
            """
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
        case .environment:
            """
            Ingest keys stay valid. To stop further reports, revoke them first. The app stays in its other environments. If it is \
            reported from this environment again, its counts start at 0.
            """
        case .app:
            """
            Ingest keys stay valid. To stop further reports, revoke them first. If the app is reported again, it is a new app.
            """
        case .key: "\(ForgetTarget.undoLimits.joined(separator: " "))"
        }
    }

    private var hiddenFields: [HTML] {
        target.parameters.map { #"<input type="hidden" name="\#($0.name)" value="\#($0.value ?? "")">"# }
    }

    private var back: LinkTarget {
        switch target {
        case .leak(let id): .leak(id)
        case .version, .environment, .app: .releases(app: target.scope)
        case .key: .access
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

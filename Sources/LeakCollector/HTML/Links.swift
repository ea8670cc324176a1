import LeakStore

/// Target of a link.
enum LinkTarget: Hashable, Sendable {
    case summary(LeakQuery)
    /// The JSON of the numbers at the top of the summary. There is no page with these numbers alone.
    case overview(app: AppScope, Period)
    case leak(LeakID)
    case reports(LeakID)
    /// The address to which the form on a leak's page is sent.
    case decisions(LeakID)
    /// - first: the key of the cause to show first.
    case causes(app: AppScope, first: String? = nil)
    case releases(app: AppScope)
    /// The address to which the form that chooses the current release is sent.
    case currentRelease
    /// The page that lists the data that is deleted with a leak, a version, an environment, an app or an ingest key, and asks for
    /// a confirmation.
    case forget(ForgetTarget)
    /// The address to which the form on the page ``forget(_:)`` is sent.
    case forgetForm
    /// The address of the page ``forget(_:)`` without parameters. The forms on the page of releases and on the page of a key add
    /// them.
    case forgetChoice
    /// The address to which the form with the discarded leaks is sent.
    case discardedForm
    /// The page that merges a leak into another leak by hand.
    case merge(LeakID)
    /// The address of the page ``merge(_:)`` without parameters. Its first form adds them.
    case mergeChoice
    /// The address to which the form that confirms a merge is sent.
    case mergeForm
    /// The address to which the form that undoes a merge is sent.
    case undoMergeForm
    /// The page with the grouping rules of an app.
    ///
    /// - leak: the leak for whose reports the page suggests a rule.
    case rules(AppScope, leak: LeakID? = nil, version: Int? = nil)
    /// The addresses to which the form with the rules is sent.
    case rulesForm, rulesPreviewForm
    /// Two versions side by side. An export does not have this page.
    case compare(app: AppScope, from: String?, to: String?)
    case leakClass(String, app: AppScope)
    /// A page of an exported list other than the summary: page 2 and later, or a list of leaks that are set aside. A
    /// server uses cursors instead.
    case list(app: AppScope, state: LeakQuery.StateFilter = .toFix, page: Int)
    /// A page of events; without an id, the first page.
    case events(EventFilter, before: Int64? = nil)
    /// The page with apps, keys and tokens.
    case access
    /// A page of the audit log; without a cursor, the first page.
    case audit(cursor: Int64?)
    /// The page that says what is deleted at which age.
    case retention
    /// The address to which a form of the page with apps, keys and tokens is sent.
    ///
    /// - kind: `keys` or `tokens`.
    /// - pathSuffix: the rest of the address, such as `/7/revoke`.
    case credentialForm(kind: String, pathSuffix: String = "")
    case signIn
    case signOut
    /// A file of `Public/`, such as `style.css`.
    case file(String)

    /// Returns the summary of one app, or of all apps.
    static func summary(app: AppScope) -> LinkTarget {
        var query = LeakQuery()
        query.scope = app
        return .summary(query)
    }
}

/// Builder of all addresses on a page, for a server or for a folder of files.
struct Links: Hashable, Sendable {
    enum Mode: Hashable, Sendable {
        /// - base: prefix of every path: empty, or `/leaks` behind a proxy that adds it.
        case server(base: String)
        /// Relative links between exported files; `page` is the page that contains the links.
        case files(page: LinkTarget)
    }

    var mode: Mode

    /// `true` if a server answers the links. Forms, filters and paging need a server.
    var isServed: Bool {
        if case .server = mode { true } else { false }
    }

    func to(_ target: LinkTarget) -> String {
        switch mode {
        case .server(let base): base + Self.path(of: target)
        case .files(let page): Self.pathToRoot(from: page) + Self.file(of: target)
        }
    }

    /// Returns the link to the same content as JSON.
    func json(of target: LinkTarget) -> String {
        switch mode {
        case .server(let base): base + "/api/v1" + Self.apiPath(of: target)
        case .files(let page): Self.pathToRoot(from: page) + Self.jsonFile(of: target)
        }
    }

    /// Returns the file that an export writes a page to, relative to its folder.
    ///
    /// Only the app of a summary's query counts, because an exported list has no filters.
    static func file(of target: LinkTarget) -> String {
        switch target {
        case .file(let name): name
        case .summary, .overview, .leak, .reports, .decisions, .causes, .releases, .currentRelease,
            .compare, .leakClass, .list, .forget, .forgetForm, .forgetChoice, .discardedForm,
            .merge, .mergeChoice, .mergeForm, .undoMergeForm, .rules, .rulesForm, .rulesPreviewForm, .events,
            .access, .audit, .retention, .credentialForm, .signIn, .signOut:
            stem(of: target) + ".html"
        }
    }

    /// Returns the file that an export writes a page's JSON to.
    static func jsonFile(of target: LinkTarget) -> String {
        stem(of: target) + ".json"
    }

    /// Returns the path of an exported file without its extension.
    private static func stem(of target: LinkTarget) -> String {
        switch target {
        case .summary(let query): query.app.map { "apps/" + PercentEncoder.fileName($0) } ?? "index"
        case .leak(let id): "leaks/\(id)"
        case .audit: "audit"
        case .reports(let id): "leaks/\(id).reports"
        case .causes(let app, _): app.app.map { "causes/" + PercentEncoder.fileName($0) } ?? "causes"
        case .releases(let app): app.app.map { "releases/" + PercentEncoder.fileName($0) } ?? "releases"
        // These addresses need a server.
        case .overview, .compare, .currentRelease, .decisions, .access, .credentialForm, .signIn, .signOut,
            .forget, .forgetForm, .forgetChoice, .discardedForm, .merge, .mergeChoice, .mergeForm,
            .undoMergeForm, .rules, .rulesForm, .rulesPreviewForm, .retention, .events:
            "index"
        case .leakClass(let name, let app): "classes/" + classFileName(name, app)
        // In a name from ``PercentEncoder/fileName(_:)``, only hexadecimal digits or a hyphen follow an equals sign, never
        // `p`. So `=p2` cannot be a part of another file's name.
        case .list(let app, let state, let page):
            listStem(app, state) + (page > 1 ? "=p\(page)" : "")
        case .file(let name): name
        }
    }

    private static func listStem(_ app: AppScope, _ state: LeakQuery.StateFilter) -> String {
        switch (app.app, state) {
        case (_, .toFix): stem(of: .summary(app: app))
        case (nil, _): state.rawValue
        case (_?, _): stem(of: .summary(app: app)) + "=" + state.rawValue
        }
    }

    private static func listQuery(of app: AppScope, _ state: LeakQuery.StateFilter) -> LeakQuery {
        var query = LeakQuery()
        query.scope = app
        query.state = state
        return query
    }

    /// Returns a hash as a file name, because names of classes may be too long for a file system or differ only in
    /// case.
    private static func classFileName(_ name: String, _ app: AppScope) -> String {
        LeakID(bytes: SHA256Hash.hash(Array("\(app.app ?? "")\u{0}\(name)".utf8))).description
    }

    /// Returns the relative path from a page's folder to the folder of the export: `../`, or an empty path.
    private static func pathToRoot(from page: LinkTarget) -> String {
        file(of: page).utf8.contains(UInt8(ascii: "/")) ? "../" : ""
    }

    private static func path(of target: LinkTarget) -> String {
        switch target {
        case .summary(let query): "/" + parameters(query.parameters)
        case .overview(let app, let period):
            "/summary"
                + parameters(app.parameters + [("period", period == .day ? nil : period.rawValue)])
        case .leak(let id): "/leaks/\(id)"
        case .reports(let id): "/leaks/\(id)/reports"
        case .decisions(let id): "/leaks/\(id)/decisions"
        case .causes(let app, let first): "/causes" + parameters(app.parameters + [("first", first)])
        case .releases(let app): "/releases" + parameters(app.parameters)
        case .currentRelease: "/releases/current"
        case .forget(let target): "/forget" + parameters(target.parameters)
        case .forgetForm: "/forget/confirmed"
        case .forgetChoice: "/forget"
        case .discardedForm: "/releases/discarded"
        case .merge(let id): "/merge" + parameters([("leak", id.description)])
        case .mergeChoice: "/merge"
        case .mergeForm: "/merge/confirmed"
        case .undoMergeForm: "/merge/undo"
        case .rules(let app, let leak, let version):
            "/rules"
                + parameters(
                    app.parameters + [
                        ("version", version.map { "\($0)" }), ("leak", leak.map { "\($0)" }),
                    ])
        case .rulesForm: "/rules/saved"
        case .rulesPreviewForm: "/rules/preview"
        case .compare(let app, let from, let to):
            "/compare" + parameters(app.parameters + [("from", from), ("to", to)])
        case .leakClass(let name, let app): "/classes" + parameters([("class", name)] + app.parameters)
        case .list(let app, let state, _): path(of: .summary(listQuery(of: app, state)))
        case .events(let filter, let before):
            "/events"
                + parameters([
                    ("app", filter.app), ("environment", filter.environment), ("kind", filter.kind?.rawValue),
                    ("before", before.map { "\($0)" }),
                ])
        case .access: "/access"
        case .audit(let cursor): "/audit" + parameters([("cursor", cursor.map { "\($0)" })])
        case .retention: "/retention"
        case .credentialForm(let kind, let pathSuffix): "/access/\(kind)\(pathSuffix)"
        case .signIn: "/sign-in"
        case .signOut: "/sign-out"
        case .file(let name): "/" + name
        }
    }

    private static func apiPath(of target: LinkTarget) -> String {
        switch target {
        case .summary(let query): "/leaks" + parameters(query.parameters)
        case .credentialForm(let kind, _): "/\(kind)"
        case .compare(let app, let from, let to):
            "/check" + parameters(app.parameters + [("version", to), ("baseline", from)])
        case .overview, .leak, .reports, .decisions, .causes, .releases, .currentRelease, .leakClass, .list,
            .access, .audit, .retention, .signIn, .signOut, .file, .forget, .forgetForm, .forgetChoice,
            .discardedForm, .merge, .mergeChoice, .mergeForm, .undoMergeForm, .rules, .rulesForm,
            .rulesPreviewForm, .events:
            path(of: target)
        }
    }

    /// Returns `?app=…&version=…` with the parameters that have a value; empty if none has one.
    private static func parameters(_ pairs: [(name: String, value: String?)]) -> String {
        var text = ""
        for (name, value) in pairs {
            guard let value else { continue }
            text += (text.isEmpty ? "?" : "&") + name + "=" + PercentEncoder.encode(value)
        }
        return text
    }
}

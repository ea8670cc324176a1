internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The grouping rules of an app, with their versions.
struct RulesResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/rules", "/rules")
    static let jsonParameters = ["app", "version"]
    /// The page is not cached, because few people open it.
    static let isCached = false

    let scope: AppScope
    /// The version to show; `nil` for the current one.
    let version: Int?
    /// The leak for whose reports the page suggests a rule.
    let leak: LeakID?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        scope = request.queriedScope
        leak = request.query("leak").flatMap { LeakID($0) }
        let text = request.query("version").flatMap { $0.isEmpty ? nil : $0 }
        version = text.flatMap { Int64(decimalDigits: $0) }.map { Int($0) }
        guard (text == nil) == (version == nil) else {
            throw .invalidParameter("the parameter “version” must be the number of a version, such as 3")
        }
    }

    /// Returns the rules of the version that is asked for.
    ///
    /// - Throws: ``Problem`` 404 if they are not stored any more.
    private func chosen(_ app: String, among versions: [AppRules]) throws(Problem) -> AppRules {
        guard let version, version > 0 else { return versions.first ?? AppRules(app: app) }
        guard let rules = versions.first(where: { $0.version == version }) else {
            throw Problem(
                .notFound,
                "\(app) has no version \(version) of its rules; the newest \(AppRules.maxVersions) are kept")
        }
        return rules
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        guard let app = scope.app ?? view.onlyApp else {
            throw Problem.invalidParameter(
                "the parameter “app” is missing: name the app whose rules are meant")
        }
        let versions = try view.reader.rules(of: app, limit: AppRules.maxVersions)
        writer.fields(of: try chosen(app, among: versions))
        writer.array("versions") { writer in
            for rules in versions {
                writer.object { writer in
                    writer.field("version", rules.version)
                    writer.field("by", rules.by)
                    writer.time("at", rules.at)
                }
            }
        }
    }

    func page(from view: StoreView) throws -> HTML {
        guard let app = scope.app ?? view.onlyApp else {
            let apps = Set(try view.reader.appSummaries().map(\.key.name)).subtracting([StoreLimits.other])
            return RulesAppsPage(context: view.context(app: scope), apps: apps.sorted()).html
        }
        let versions = try view.reader.rules(of: app, limit: AppRules.maxVersions)
        var context = view.context(app: AppScope(app, environment: scope.environment))
        context.environments = try view.reader.environments(app: app)
        var page = RulesPage(
            context: context, app: app, versions: versions, text: try chosen(app, among: versions).text)
        page.shownVersion = version
        if let leak, view.permissions.contains(.triage),
            let identity = try view.reader.leak(leak, now: view.now)?.row.identity
        {
            page.text = RuleSuggestion(for: identity).added(to: page.text)
        }
        return page.html
    }
}

extension JSONWriter {
    mutating func fields(of rules: AppRules) {
        field("app", rules.app)
        field("version", rules.version)
        field("text", rules.text)
        field("by", rules.version == 0 ? nil : rules.by)
        if rules.version == 0 { field("at", nil as String?) } else { time("at", rules.at) }
    }

    mutating func fields(of preview: RulesPreview) {
        field("app", preview.app.name)
        field("environment", preview.app.environment)
        field("leaks", preview.allLeaks)
        field("compared_leaks", preview.comparedLeaks)
        field("unchanged_leaks", preview.unchangedLeaks)
        array("groups") { writer in
            for group in preview.groups {
                writer.object { writer in
                    writer.field("id", group.id.description)
                    writer.field("title", group.title)
                    writer.field("line", group.line)
                    writer.field("reports", group.reports)
                    writer.array("leaks") { writer in
                        for leak in group.leaks { writer.object { $0.fields(of: leak) } }
                    }
                }
            }
        }
    }

    private mutating func fields(of leak: RulesPreview.Leak) {
        field("id", leak.row.identity.id.description)
        field("title", leak.row.identity.title)
        field("reports", leak.row.reports)
        field("reports_7d", leak.recentReports.week)
        field("reports_30d", leak.recentReports.month)
        field("installs", leak.row.installs)
        field("impact", leak.row.impact)
        field("samples", leak.samples)
        field("moved_samples", leak.movedSamples)
    }
}

/// A rule that matches the reports of a leak, for a person to change.
struct RuleSuggestion {
    let line: String

    init(for leak: LeakIdentity) {
        func quoted(_ text: String) -> String { FingerprintRules.quoted(text) }
        guard let className = leak.className else {
            let title = String(leak.title.prefix(100))
            let pattern = title == leak.title ? title : title + "*"
            line = "text:\(quoted(pattern)) -> \(quoted(Self.group(title)))"
            return
        }
        // The owner or the function of the app that is nearest to the object.
        let calls = CallStack.titles(of: leak.groupingKey.stack)
        let owner = calls?.first ?? leak.groupingKey.stack.last { $0 != className && leak.stack.contains($0) }
        guard let owner else {
            line = "class:\(quoted(className)) -> \(quoted(Self.group(className)))"
            return
        }
        line =
            "class:\(quoted(className)) stack:\(quoted(owner)) -> \(quoted(Self.group("\(className) in \(owner)")))"
    }

    /// Returns a text as a group: without what a group may not contain.
    private static func group(_ text: String) -> String {
        var group = text.filter { !"{}".contains($0) }
        while group.utf8.count > FingerprintRules.maxGroupBytes { group.removeLast() }
        return group
    }

    /// Returns the text of rules with the suggested rule as their last line.
    func added(to text: String) -> String { text.isEmpty ? line : text + "\n" + line }
}

import LeakStore

/// The page with the grouping rules of an app, the form that changes them, what new rules would change, and the versions: `/rules`.
struct RulesPage: Component {
    var context: PageContext
    var app: String
    /// Newest first.
    var versions: [AppRules]
    /// The text in the form.
    var text: String
    /// The version on which the text in the form is based; `nil` for the newest.
    var baseVersion: Int?
    /// The version whose text is shown, if the reader chose one.
    var shownVersion: Int?
    /// The reason why the text cannot be saved.
    var problem: String?
    var preview: RulesPreview?

    private var canEdit: Bool { context.permissions.contains(.triage) }
    private var scope: AppScope { AppScope(app, environment: context.query.environment) }

    var html: HTML {
        PageLayout(
            title: "Grouping rules", section: .summary, context: context,
            main: #"""
                <h1>Grouping rules of \#(IsolatedText(app))</h1>
                <p>A rule names the group of reports by their class and path. The first rule that matches a report counts. A report \#
                with a fingerprint of its sender, or without a matching rule, is grouped as usual.</p>
                <p>Rules apply to reports that arrive from now on, in all environments of the app. Leaks keep the reports that they \#
                have: <b>Merge into another leak…</b> on the page of a leak moves them.</p>
                \#(alert)\#(canEdit ? form : currentText)\#(preview.map { result(of: $0) })\#(syntax)\#(versionsCard)
                """#,
            footer: [#"<a href="\#(context.links.json(of: .rules(AppScope(app))))">JSON</a>"#]
        ).html
    }

    private var alert: HTML? {
        problem.map { #"<p class="alert" role="alert" dir="auto">Not saved: \#($0)</p>"# }
    }

    private var form: HTML {
        // The first line end of a text area is not part of its text.
        #"""
        <form method="post" action="\#(context.links.to(.rulesForm))" aria-label="Grouping rules">\#
        <input type="hidden" name="app" value="\#(app)">\#(environmentChoice)\#
        <input type="hidden" name="version" value="\#(baseVersion ?? versions.first?.version ?? 0)">\#
        <p><label for="rules">Rules, a line each</label></p>
        <p><textarea id="rules" name="text" rows="\#(Self.rowCount(of: text))" spellcheck="false" dir="ltr" class="rules">
        \#(text)</textarea></p>
        <p><button class="main" formaction="\#(context.links.to(.rulesPreviewForm))">Preview</button> \#
        <button>Save</button></p></form>

        """#
    }

    private static func rowCount(of text: String) -> Int {
        min(max(text.utf8.count { $0 == UInt8(ascii: "\n") } + 3, 6), 30)
    }

    /// The environment whose leaks a preview compares.
    private var environmentChoice: HTML? {
        DropDownList.environments(of: context).map { "<p>Preview in \($0)</p>" }
    }

    private var currentText: HTML {
        text.isEmpty ? #"<p class="dim">There are no rules.</p>"# : "<pre>\(text)</pre>"
    }

    private var syntax: HTML {
        #"""
        <details><summary>How to write rules</summary><pre>\#(Self.example)</pre>
        <ul><li><code>class:</code> is compared with the class, with or without its module; <code>stack:</code> with each element \#
        of the path or call stack, as the page of a leak shows them, and with children and the cycle; <code>text:</code> with the \#
        title of a report without a class. All patterns of a rule must match.</li>
        <li>In a pattern <code>*</code> is any text, and <code>?</code> any one character. Upper and lower case differ.</li>
        <li>The group comes after <code>-&gt;</code>, and is the title of the leak. In it <code>{class}</code> is the class of the \#
        report, so that one rule makes a group for each class.</li>
        <li>Put a text with spaces in double quotes. A line that begins with <code>#</code> is a comment.</li></ul></details>

        """#
    }

    static let example = """
        # All carts that the checkout holds are one leak.
        class:Cart* stack:*Checkout* -> "Carts of the checkout"
        class:*ViewModel stack:SettingsCoordinator -> "{class} in the settings"
        text:"Timer * was not invalidated" -> Timers
        """

    private var versionsCard: HTML? {
        guard !versions.isEmpty else { return nil }
        let rows = versions.map { rules -> HTML in
            let link = context.links.to(.rules(scope, version: rules.version))
            let shown: HTML? = rules.version == shownVersion ? " (shown)" : nil
            return #"""
                <tr><th scope="row"><a href="\#(link)">\#(rules.version)</a>\#(shown)</th>\#
                <td>\#(context.relativeTime(rules.at).dayElement)</td><td>\#(IsolatedText(rules.by))</td></tr>
                """#
        }
        return Card(
            "Versions",
            #"""
            <table class="small access"><thead><tr><th scope="col">Version</th><th scope="col">Saved</th>\#
            <th scope="col">By</th></tr></thead><tbody>\#(rows)</tbody></table>\#
            <p class="dim">The newest \#(AppRules.maxVersions) are kept. To go back, open a version and save it again.</p>
            """#, id: "versions"
        ).html
    }

    // MARK: Preview

    private func result(of preview: RulesPreview) -> HTML {
        let compared: HTML =
            preview.comparedLeaks < preview.allLeaks
            ? "the \(Count(preview.comparedLeaks)) leaks with most reports, of \(Count(preview.allLeaks)),"
            : "\(Count(preview.comparedLeaks).text(noun: "leak", plural: "leaks"))"
        let environment: HTML =
            preview.app.environment == AppKey.production ? "" : " in \(IsolatedText(preview.app.environment))"
        let summary: HTML =
            preview.groups.isEmpty
            ? "Later reports of \(compared)\(environment) would keep their groups."
            : "Of \(compared)\(environment) \(Count(preview.unchangedLeaks)) would keep their groups for later reports. The others:"
        return Card(
            "Preview", "<p>\(summary)</p>\(preview.groups.map(groupTable))", id: "preview"
        ).html
    }

    private func groupTable(_ group: RulesPreview.Group) -> HTML {
        let title: HTML =
            group.reports == nil
            ? "\(IsolatedText(group.title)) (new)"
            : #"<a href="\#(context.links.to(.leak(group.id)))">\#(IsolatedText(group.title))</a>"#
        let reason: HTML = group.line.map { "rule in line \($0)" } ?? "no rule"
        let rows = group.leaks.map { leak -> HTML in
            let identity = leak.row.identity
            let path: HTML? = identity.stack.isEmpty ? nil : "<div>\(LeakPath(brief: identity))</div>"
            let samples: HTML =
                leak.samples == 0 ? "" : "\(Count(leak.movedSamples)) of \(Count(leak.samples))"
            return #"""
                <tr><th scope="row"><a href="\#(context.links.to(.leak(identity.id)))">\#(IsolatedText(identity.title))</a>\#(path)\#
                </th><td class="num">\#(Count(leak.recentReports.week))</td>\#
                <td class="num">\#(Count(leak.recentReports.month))</td>\#
                <td class="num">\#(Count(installs: leak.row.installs))</td><td class="num">\#(samples)</td></tr>
                """#
        }
        return #"""
            <h3>\#(title) <small>\#(reason)</small></h3>
            <table class="small"><thead><tr><th scope="col">Later reports of</th><th scope="col" class="num">Reports, 7 days</th>\#
            <th scope="col" class="num">30 days</th><th scope="col" class="num">Installs</th>\#
            <th scope="col" class="num">Sample reports that match</th></tr></thead><tbody>\#(rows)</tbody></table>
            """#
    }
}

/// The page `/rules` without an app: the apps to choose from.
struct RulesAppsPage: Component {
    var context: PageContext
    var apps: [String]

    var html: HTML {
        let items = apps.map { app in
            #"<li><a href="\#(context.links.to(.rules(AppScope(app))))">\#(IsolatedText(app))</a></li>"#
                as HTML
        }
        let list: HTML =
            apps.isEmpty ? "<p>No app has sent reports yet.</p>" : "<p>Choose an app:</p><ul>\(items)</ul>"
        return PageLayout(
            title: "Grouping rules", section: .summary, context: context,
            main: #"""
                <div class="narrow"><h1>Grouping rules</h1>
                \#(list)</div>
                """#
        ).html
    }
}

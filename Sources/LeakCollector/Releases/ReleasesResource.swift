internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The versions of one app in one environment. If the request names no app, the most recently seen app is used.
struct ReleasesResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/releases", "/releases")
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) { scope = request.queriedScope }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        // One list cannot contain the versions of two apps.
        let shown = try scope.orFirst(of: view.reader.apps(in: scope.environment))
        let releases = try shown.key.map { try view.reader.releases(app: $0) } ?? []
        writer.fields(
            of: releases, try ReleaseComparisons(of: shown, releases, from: view.reader, now: view.now),
            app: shown)
    }

    func page(from view: StoreView) throws -> HTML {
        var query = LeakQuery()
        query.scope = scope
        let context = try view.context(query)
        let shown = scope.orFirst(of: context.apps)
        let releases = try shown.key.map { try view.reader.releases(app: $0) } ?? []
        var page = ReleasesPage(
            context: context, app: shown, releases: releases,
            comparisons: try ReleaseComparisons(of: shown, releases, from: view.reader, now: view.now))
        if page.offersDeletion, shown.app != nil {
            page.discarded = try view.reader.discardedLeaks(app: shown)
        }
        if page.other != nil {
            page.overLimit = try view.reader.overview(app: shown, now: view.now).overLimit
        }
        return page.html
    }
}

extension AppScope {
    /// Returns the scope with its app, or with the first of `apps` if it names none.
    func orFirst(of apps: [String]) -> AppScope {
        AppScope(app ?? apps.first, environment: environment)
    }
}

/// The page of an app's versions: `/releases`.
struct ReleasesPage: Component {
    var context: PageContext
    /// The app whose versions are shown; without an app if there is none yet.
    var app: AppScope
    /// Newest version first.
    var releases: [ReleaseSummary]
    var comparisons = ReleaseComparisons()
    /// The discarded leaks of the app, if the page offers to delete data.
    var discarded: [DiscardedLeak] = []
    /// How much the app exceeded each of its limits, and how many versions were merged into ``StoreLimits/other``. Read only if
    /// ``releases`` contain this version.
    var overLimit: [OverLimitCount] = []

    var html: HTML {
        PageLayout(
            title: "Releases", section: .releases, context: context, isLive: true,
            main: #"""
                <h1>Releases</h1>
                \#(apps)
                \#(releases.isEmpty ? emptyCard : numbers)\#(discardedCard)
                """#,
            footer: [
                isCut
                    ? "the \(Count(ReleaseSummary.maxListed)) highest versions"
                    : "\(Count(releases.count).text(noun: "version", plural: "versions"))",
                #"<a href="\#(context.links.json(of: .releases(app: app)))">JSON</a>"#,
            ]
        ).html
    }

    private var numbers: HTML {
        """
        \(CurrentReleaseForm(context: context, app: app, releases: releases))\
        \(ReleaseChart(releases: Array(releases.prefix(ReleaseSummary.maxListed))))\
        \(ReleaseTable(context: context, app: app, releases: releases, comparisons: comparisons))\
        \(note)\(otherNote)\(deletion)
        """
    }

    /// The form that deletes a version or the app; `nil` in an export, and for readers who may not delete.
    private var deletion: HTML? {
        guard offersDeletion else { return nil }
        return app.key.map { ForgetForm(context: context, app: $0, versions: releases.map(\.version)).html }
    }

    /// `false` in an export, and for readers who may not delete.
    var offersDeletion: Bool { context.links.isServed && context.permissions.contains(.administer) }

    private var discardedCard: HTML? {
        guard !discarded.isEmpty else { return nil }
        return app.key.map { DiscardedCard(context: context, app: $0, leaks: discarded).html }
    }

    /// `true` if the app may have older versions, which are not listed.
    private var isCut: Bool { releases.count >= ReleaseSummary.maxListed }

    private var note: HTML {
        let cut: HTML? =
            isCut ? " At most \(Count(ReleaseSummary.maxListed)) versions are listed, the highest." : nil
        let limit: HTML? =
            releases.count > ReleaseComparisons.limit
            ? " Only the newest \(Count(ReleaseComparisons.limit)) versions are compared here; Compare shows any two."
            : nil
        return """
            <p class="dim">Intervals have 95 % confidence. New, worse, better and fixed leaks are those that Compare shows: each \
            version is compared with the one before it.\(limit)\(cut)</p>
            """
    }

    /// The version ``StoreLimits/other``, which counts the versions beyond the app's limit; `nil` if the app has no such version.
    var other: ReleaseSummary? { releases.first { $0.version == StoreLimits.other } }

    /// The paragraph that explains the version ``StoreLimits/other``.
    private var otherNote: HTML? {
        guard let other else { return nil }
        let count = overLimit.filter { $0.limit == .evictedReleases }
            .reduce(into: 0) { $0.addBounded($1.count) }
        let days = Count(EvictionRule.unseenDays)
        let merged: HTML =
            count == 0
            ? """
            As soon as the app comes near its limit, versions that few installs have or that were not seen for \(days) days \
            are merged into it, too.
            """
            : """
            \(Count(count).text(noun: "version was", plural: "versions were")) merged into it to stay below the limit, because \
            few installs had \(count == 1 ? "it" : "them") or \(count == 1 ? "it was" : "they were") not seen for \(days) days.
            """
        return """
            <p class="dim">The version \(IsolatedText(StoreLimits.other)) counts many versions together since \
            \(context.relativeTime(other.firstSeen).dayElement). An app has at most \(Count(StoreLimits().releasesPerApp)) \
            versions with names of their own; the others were new when the app had reached this limit. \(merged) The counts \
            cannot be separated any more. If these are test builds, let them report in an environment of their own.</p>
            """
    }

    private var emptyCard: HTML {
        #"""
        <div class="card empty"><h2>No releases yet</h2>
        <p>A version appears here with its first report or session.</p></div>
        """#
    }

    private var apps: HTML? {
        guard context.apps.count > 1 else {
            return
                "\(app.app.map { #"<p class="crumb">\#(IsolatedText($0))</p>"# as HTML })\(EnvironmentForm(context: context, target: .releases(app: nil)))"
        }
        guard context.links.isServed else {
            let links = context.apps.map { name -> HTML in
                let mark: HTML = name == app.app ? #" aria-current="page""# : ""
                return
                    #"<a href="\#(context.links.to(.releases(app: AppScope(name, environment: app.environment))))"\#(mark)>\#(IsolatedText(name))</a>"#
            }
            return #"<nav class="filters" aria-label="Apps">\#(links)</nav>"#
        }
        return #"""
            <form class="filters" action="\#(context.links.to(.releases(app: nil)))">\#
            \#(DropDownList(name: "app", label: "App", emptyLabel: nil, options: context.apps.map { ($0, $0) }, selectedValue: app.app))\#
            \#(DropDownList.environments(of: context)?.html)<button>Apply</button></form>
            """#
    }
}

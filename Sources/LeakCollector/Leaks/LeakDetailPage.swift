import LeakMessage
import LeakStore

/// The page of one leak: `/leaks/{id}`.
struct LeakDetailPage: Component {
    var context: PageContext
    var detail: LeakDetail
    /// Reports per hour by version, for the last two days.
    var hourlyTrend: Trend?
    /// The newest sample report.
    var newestSample: ParsedSample?
    /// The first report, if it is not also the newest.
    var firstSample: ParsedSample?
    var relatedLeaks = RelatedLeaks()
    /// All sample reports that can be parsed.
    var sampleReports: [LeakReport] = []
    var otherEnvironments: OtherEnvironments?
    /// The version to which a fix made now belongs: ``LeakDetail/referenceVersion``.
    var currentRelease: String?
    /// The newest build of ``currentRelease``: ``LeakDetail/referenceBuild``.
    var currentBuild: String?

    /// The merges by hand whose reports the leak counts, newest first.
    var merges: [ManualMerge] = []
    var rulesNote: RulesNote?
    /// For the leak `other`: how much the app exceeded each of its limits, and how many leaks and versions were merged into
    /// `other`.
    var overLimit: [OverLimitCount] = []

    private var leak: LeakIdentity { detail.row.identity }

    var html: HTML {
        PageLayout(
            title: leak.title, section: .summary, context: context, isLive: true,
            main: """
                \(header)
                \(LeakFacts(context: context, row: detail.row))
                <div class="grid"><div>
                \(history)\(mergedLeaks)\(chartCard(detail.trend))\(hourlyTrend.map(chartCard))
                \(newestReport)\(firstReport)\(siblings)\(grouping)\(similarLeaks)
                </div><div>
                \(otherLeakCard)\(knownLeakCard)\(reasons)\(retainCycle)\(children)\(versions)\(lifetimes)\(systems)\(models)
                </div></div>
                """,
            footer: [
                #"<a href="\#(context.links.json(of: .leak(leak.id)))">JSON</a>"#,
                #"<a href="\#(context.links.to(.reports(leak.id)))">\#(sampleReportsTitle)</a>"#,
            ] + (context.links.isServed ? [markdown] : [])
                + (context.links.isServed && context.permissions.contains(.triage) && !leak.isOverLimit
                    ? [merging] : [])
                + (context.links.isServed && context.permissions.contains(.administer) ? [deletion] : [])
                + (detail.siblings.isEmpty ? [allOfClassLink].compactMap(\.self) : [])
        ).html
    }

    private var markdown: HTML {
        #"<a href="\#(context.links.json(of: .leak(leak.id)))/markdown">Markdown for a ticket</a>"#
    }

    private var merging: HTML {
        #"<a href="\#(context.links.to(.merge(leak.id)))">Merge into another leak…</a>"#
    }

    private var mergedLeaks: HTML? {
        merges.isEmpty ? nil : MergedLeaksCard(context: context, merges: merges).html
    }

    private var deletion: HTML {
        #"<a href="\#(context.links.to(.forget(.leak(leak.id))))">Delete…</a>"#
    }

    private var header: LeakHeader {
        let row = detail.row
        return LeakHeader(
            context: context, leak: leak, badge: StateBadge(row: row).html,
            decisionStatus: row.decisionStatus.map {
                DecisionStatusLine(
                    context: context, decisionStatus: $0, fix: FixStatusText(row: row)
                ).html
            },
            otherEnvironments: otherEnvironments?.html,
            form: context.links.isServed && context.permissions.contains(.triage)
                ? TriageForm(
                    context: context, row: row, currentRelease: currentRelease, currentBuild: currentBuild
                ).html : nil)
    }

    private var history: HTML? {
        guard !detail.history.isEmpty else { return nil }
        var card = HistoryCard(context: context, history: detail.history)
        for (index, fix) in detail.fixes {
            card.fixes[index] = FixStatusText(fix, of: detail.history[index], kind: detail.row.identity.kind)
        }
        return card.html
    }

    /// Returns the card with the chart of reports per day or hour.
    private func chartCard(_ trend: Trend) -> HTML {
        Card(
            "Reports per \(trend.step.rawValue), by version", VersionChart(trend).html,
            id: "by-\(trend.step.rawValue)"
        ).html
    }

    private var lifetimes: HTML? { detail.lived.isEmpty ? nil : LifetimeCard(ranges: detail.lived).html }

    private var sampleReportsTitle: HTML {
        "Sample reports (\(Count(detail.samples)) of \(Count(detail.row.reports + detail.row.freed)))"
    }

    private var newestReport: HTML {
        guard let newestSample else {
            return Card(
                "Newest report", #"<p class="dim">No sample report is stored.</p>"#, id: Self.newestID
            ).html
        }
        return ReportCard(
            context: context, title: "Newest report", parsedSample: newestSample, id: Self.newestID
        ).html
    }

    private static let newestID = "newest-report"

    private var firstReport: HTML? {
        firstSample.map {
            ReportCard(context: context, title: "First report", parsedSample: $0, id: "first-report").html
        }
    }

    private var grouping: HTML {
        GroupingCard(
            leak: leak, links: context.links, successor: relatedLeaks.successor,
            sampleReports: sampleReports, rulesNote: rulesNote,
            imagesWithoutSymbols: relatedLeaks.imagesWithoutSymbols
        ).html
    }

    private var similarLeaks: HTML? {
        relatedLeaks.closest.isEmpty
            ? nil : SimilarLeaksCard(leaks: relatedLeaks.closest, links: context.links).html
    }

    private var otherLeakCard: HTML? {
        leak.isOverLimit
            ? OtherLeakCard(context: context, row: detail.row, overLimit: overLimit).html : nil
    }

    private var knownLeakCard: HTML? {
        detail.row.known.map { KnownLeakCard(context: context, match: $0, reports: detail.row.reports).html }
    }

    private var reasons: HTML? {
        let reasons = LeakReasons(detail)
        return reasons.isEmpty
            ? nil : ReasonsCard(reasons: reasons, row: detail.row, links: context.links).html
    }

    private var retainCycle: HTML? {
        leak.cycle.isEmpty
            ? nil
            : Card(
                "Retain cycle", CycleDiagram(cycle: CycleShape(leak.cycle, of: leak.className)).html,
                id: "cycle"
            ).html
    }

    private var children: HTML? {
        guard !leak.children.isEmpty else { return nil }
        let items = leak.children.map { "<li><code>\(LongText($0))</code></li>" as HTML }
        return Card("Child view controllers", #"<ul class="plain">\#(items)</ul>"#, id: "children").html
    }

    private var versions: HTML? {
        guard !detail.versions.isEmpty else { return nil }
        let versions = detail.versions.reduce(into: [[LeakDetail.VersionCount]]()) { versions, count in
            if versions.last?.last?.version != count.version { versions.append([]) }
            versions[versions.count - 1].append(count)
        }
        let reports = versions.map { $0.reduce(into: 0) { $0.addBounded($1.reports) } }
        let maximum = reports.max() ?? 0
        let rows = zip(versions, reports).map { builds, reports in
            CountTable.Row(
                name: ParsedSample.versionText(builds[0].version, builds.count == 1 ? builds[0].build : nil),
                counts: [reports, builds[0].versionInstalls], fullBarCount: maximum,
                details: builds.count == 1 ? nil : buildList(builds))
        }
        return Card(
            "Versions", CountTable(headings: ["Version", "Reports", "Installs"], rows: rows).html,
            id: "counts-by-version"
        ).html
    }

    /// Returns a list with the counts of each build of one version.
    private func buildList(_ builds: [LeakDetail.VersionCount]) -> HTML {
        let items = builds.map { count -> HTML in
            let name: HTML = count.build.map { "build \(IsolatedText($0))" } ?? "no build"
            return """
                <li>\(name): \(Count(count.reports).text(noun: "report", plural: "reports")), \
                \(Count(installs: count.installs).text(noun: "install", plural: "installs"))</li>
                """
        }
        return
            "<details><summary>\(Count(builds.count)) builds</summary><ul class=\"plain\">\(items)</ul></details>"
    }

    private var systems: HTML? {
        countsCard("OS versions", heading: "OS version", detail.systems, id: "counts-by-system")
    }

    private var models: HTML? {
        countsCard("Device models", heading: "Device model", detail.models, id: "counts-by-model")
    }

    private func countsCard(
        _ title: HTML, heading: String, _ values: [LeakDetail.ValueCount], id: String
    ) -> HTML? {
        guard !values.isEmpty else { return nil }
        let maximum = values.map(\.reports).max() ?? 0
        let rows = values.map { CountTable.Row(name: $0.value, counts: [$0.reports], fullBarCount: maximum) }
        return Card(title, CountTable(headings: [heading, "Reports"], rows: rows).html, id: id).html
    }

    /// Maximum number of leaks in ``LeakDetail/siblings``, the leaks of the same class with other paths. If there are so
    /// many, the class may have more.
    private static let siblingLimit = 20

    private var siblings: HTML? {
        guard !detail.siblings.isEmpty else { return nil }
        let rows = detail.siblings.map { sibling -> HTML in
            let path: HTML = sibling.stack.isEmpty ? "no path" : LeakPath(sibling.stack).html
            return #"""
                <tr><th scope="row"><a href="\#(context.links.to(.leak(sibling.id)))">\#(path)</a></th>\#
                <td class="num">\#(Count(sibling.reports))</td></tr>
                """#
        }
        let orMore: HTML = rows.count < Self.siblingLimit ? "" : " or more"
        return Card(
            "Other paths of this class (\(Count(rows.count))\(orMore))",
            #"""
            <table class="small"><thead><tr><th scope="col">Path</th><th scope="col" class="num">Reports</th></tr></thead>\#
            <tbody>\#(rows)</tbody></table>\#(allOfClassLink.map { "<p>\($0)</p>" })
            """#, id: "other-paths"
        ).html
    }

    private var allOfClassLink: HTML? {
        guard let className = leak.className else { return nil }
        return
            #"<a href="\#(context.links.to(.leakClass(className, app: leak.appKey.scope)))">All leaks of this class</a>"#
    }
}

import LeakStore

/// The numbers on top: how well the newest version does, what is new in it, what came back, what the period brought, and
/// what is left.
struct OverviewTiles: Component {
    var context: PageContext
    var overview: Overview
    /// Of all apps together there is no newest version: the app that was seen last speaks for them.
    var example: Example?

    struct Example: Sendable {
        var app: String
        var overview: Overview
    }

    var html: HTML {
        #"<dl class="tiles">\#(sessions)\#(fresh)\#(regressed)\#(recent)\#(ever)</dl>"#
    }

    private var sessions: Tile {
        let shown = example?.overview ?? overview
        let app: HTML? = example.map { ", \(Isolated($0.app))" }
        guard let newest = shown.newest, let free = newest.leakFreePercentage else {
            let version: HTML? = shown.newest.map { ", \(Isolated($0.version))" }
            // A version of which no session has been told yet says nothing: the one before it speaks.
            if let previous = shown.previous, let free = previous.leakFreePercentage {
                return Tile(
                    title: "Leak-free sessions\(app), \(Isolated(previous.version))", value: "\(free)",
                    note: """
                        \(Count(previous.sessions).of("session", "sessions")); \
                        none of \(shown.newest.map { Isolated($0.version).html }) so far
                        """)
            }
            return Tile(
                title: "Leak-free sessions\(app)\(version)", value: "no data",
                note: "no session reported so far")
        }
        return Tile(
            title: "Leak-free sessions\(app), \(Isolated(newest.version))", value: "\(free)",
            note: "\(difference(shown, newest))\(Count(newest.sessions).of("session", "sessions"))")
    }

    /// `▼ 0.9 points worse than 5.1.0 · `; empty where the version before has no sessions.
    private func difference(_ overview: Overview, _ newest: Release) -> HTML {
        guard let previous = overview.previous, let now = newest.leakFreeSessions,
            let before = previous.leakFreeSessions
        else { return "" }
        let tenths = Int(saturating: (now - before) * 1000)
        let other = Isolated(previous.version)
        if tenths == 0 { return "the same as \(other) · " }
        let points = Decimal(tenths: abs(tenths))
        return tenths > 0
            ? #"<em class="better">▲ \#(points) points better</em> than \#(other) · "#
            : #"<em class="worse">▼ \#(points) points worse</em> than \#(other) · "#
    }

    private var fresh: Tile {
        guard let newest = overview.newest else {
            return Tile(
                title: "New leaks", value: "\(Count(overview.newLeaks))", note: "in the newest version")
        }
        let title = link("New in \(Isolated(newest.version))", if: overview.newLeaks > 0) {
            $0.version = newest.version
            $0.sort = .firstSeen
        }
        return Tile(
            title: title, value: "\(Count(overview.newLeaks))",
            note: overview.newLeaks == 0
                ? "no leak is new" : named(overview.newTitles, of: overview.newLeaks))
    }

    private var regressed: Tile {
        Tile(
            title: link("Regressed", if: overview.regressedLeaks > 0) { $0.state = .regressed },
            value: "\(Count(overview.regressedLeaks))",
            note: overview.regressedLeaks == 0
                ? "no mended leak came back" : named(overview.regressedTitles, of: overview.regressedLeaks))
    }

    /// `CartViewModel, ProductCell and 2 more`
    private func named(_ titles: [String], of count: Int) -> HTML {
        let more = count.saturated(adding: -titles.count)
        let rest: HTML = more > 0 && !titles.isEmpty ? " and \(Count(more)) more" : ""
        return "\(HTML(titles.map { Isolated($0).html }, separator: ", "))\(rest)"
    }

    /// A title that leads to the list behind its number, among all leaks of the app.
    private func link(_ title: HTML, if hasLeaks: Bool, _ change: (inout LeakQuery) -> Void) -> HTML {
        guard hasLeaks, context.links.isServed else { return title }
        var query = LeakQuery()
        query.app = context.query.app
        change(&query)
        return #"<a href="\#(context.links.to(.summary(query)))">\#(title)</a>"#
    }

    private var recent: Tile {
        Tile(
            title: link("Reports, last \(overview.period.words)", if: overview.recentLeaks > 0) {
                $0.period = overview.period
                $0.state = .any
            },
            value: "\(Count(overview.recentReports))",
            note: overview.recentReports == 0
                ? "all quiet"
                : """
                of \(Count(overview.recentLeaks).of("leak", "leaks")) \
                from \(Count(overview.recentInstalls).of("install", "installs"))
                """)
    }

    private var ever: Tile {
        let dropped = overview.droppedTotal
        let reasons = HTML(overview.dropped.map { "\($0.reason): \(Count($0.count))" }, separator: ", ")
        let lost: HTML = dropped == 0 ? "" : " · \(Count(dropped)) dropped on devices (\(reasons))"
        let left = overview.toFix
        let aside = overview.leaks.saturated(adding: -left.leaks)
        let apart: HTML = aside == 0 ? "" : " · \(Count(aside)) set aside"
        return Tile(
            title: "Leaks to fix", value: "\(Count(left.leaks))",
            note: "\(Count(left.reports).of("report", "reports"))\(apart)\(lost)\(beyond)")
    }

    /// A limit that was reached is told where the totals are: what lies beyond it is in them, under “other”.
    private var beyond: HTML {
        HTML(
            overview.beyond.map { beyond in
                let words = beyond.limit.rawValue.split(separator: "_").joined(separator: " ")
                return " · limit reached: \(words), \(Count(beyond.count)) counted as other"
            }, separator: "")
    }
}

extension Overview {
    /// What is left when everything is taken out that is set aside.
    var toFix: KnownTotals {
        [known, resolved, ignored].reduce(into: KnownTotals(leaks: leaks, reports: reports)) { left, apart in
            left.leaks = left.leaks.saturated(adding: -apart.leaks)
            left.reports = left.reports.saturated(adding: -apart.reports)
        }
    }
}

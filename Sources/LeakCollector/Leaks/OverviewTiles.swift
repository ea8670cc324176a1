import LeakStore

/// The numbers on top: how well the newest version does, what is new in it, what came back, what the period brought, and
/// what is left.
struct OverviewTiles: Component {
    var context: PageContext
    var overview: Overview
    /// Each by itself, where all apps are asked for and there are several; else empty.
    var apps: [AppOverview] = []

    var html: HTML {
        let first = apps.isEmpty ? sessions.html : AppsTile(context: context, apps: apps).html
        let look: HTML = apps.isEmpty ? "" : " of-all"
        return #"<dl class="tiles\#(look)">\#(first)\#(fresh)\#(regressed)\#(recent)\#(ever)</dl>"#
    }

    /// Whose numbers the tiles after the first tell.
    private var scope: HTML { apps.isEmpty ? "" : ", all apps" }

    private var sessions: Tile {
        guard let newest = overview.newest, let free = newest.leakFreePercentage else {
            let version: HTML? = overview.newest.map { ", \(Isolated($0.version))" }
            // A version of which no session has been told yet says nothing: the last one that has some speaks.
            if let last = overview.lastSessions, let free = last.leakFreePercentage {
                return Tile(
                    title: "Leak-free sessions, \(Isolated(last.version))", value: "\(free)",
                    note: """
                        \(Count(last.sessions).of("session", "sessions")); \
                        none of \(overview.newest.map { Isolated($0.version).html }) so far
                        """)
            }
            return Tile(
                title: "Leak-free sessions\(version)", value: "no data",
                note: "no session reported so far")
        }
        return Tile(
            title: "Leak-free sessions, \(Isolated(newest.version))", value: "\(free)",
            note: "\(SessionsChange(overview: overview))\(Count(newest.sessions).of("session", "sessions"))")
    }

    private var fresh: Tile {
        guard let newest = overview.newest else {
            return Tile(
                title: "New leaks\(scope)", value: "\(Count(overview.newLeaks))",
                note: overview.newLeaks == 0
                    ? "no leak is new" : "each in its app\u{2019}s newest version")
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
            title: link("Regressed\(scope)", if: overview.regressedLeaks > 0) { $0.state = .regressed },
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
            title: link("Reports, last \(overview.period.words)\(scope)", if: overview.recentLeaks > 0) {
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
            title: "Leaks to fix\(scope)", value: "\(Count(left.leaks))",
            note: "\(Count(left.reports).of("report", "reports"))\(apart)\(lost)\(beyond)")
    }

    /// The limits that were reached. The reports beyond them are in the totals.
    private var beyond: HTML {
        HTML(
            overview.beyond.map { beyond in
                let words = beyond.limit.rawValue.split(separator: "_").joined(separator: " ")
                return " · limit reached: \(words), \(Count(beyond.count)) \(beyond.limit.outcome)"
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

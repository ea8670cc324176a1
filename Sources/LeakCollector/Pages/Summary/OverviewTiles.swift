import LeakStore

/// The four numbers on top: how well the newest version does, what is new in it, the last day, and everything.
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
        #"<dl class="tiles">\#(sessions)\#(fresh)\#(recent)\#(ever)</dl>"#
    }

    private var sessions: Tile {
        let shown = example?.overview ?? overview
        let app: HTML? = example.map { ", \(Isolated($0.app))" }
        guard let newest = shown.newest, newest.sessions > 0 else {
            let version: HTML? = shown.newest.map { ", \(Isolated($0.version))" }
            return Tile(
                title: "Leak-free sessions\(app)\(version)", value: "no data",
                note: "no session reported so far")
        }
        let free = Percentage(newest.sessions.saturated(adding: -newest.leakySessions), of: newest.sessions)
        return Tile(
            title: "Leak-free sessions\(app), \(Isolated(newest.version))", value: "\(free)",
            note: "\(difference(shown, newest))\(Count(newest.sessions).of("session", "sessions"))")
    }

    /// `▼ 0.9 points since 5.1.0 · `; empty where the version before has no sessions.
    private func difference(_ overview: Overview, _ newest: Release) -> HTML {
        guard let previous = overview.previous, let now = newest.leakFreeSessions,
            let before = previous.leakFreeSessions
        else { return "" }
        let tenths = Int(saturating: (now - before) * 1000)
        let since: HTML = "since \(Isolated(previous.version))"
        if tenths == 0 { return "as \(since) · " }
        let points = Decimal(tenths: abs(tenths))
        return tenths > 0
            ? #"<em class="better">▲ \#(points) points better</em> \#(since) · "#
            : #"<em class="worse">▼ \#(points) points worse</em> \#(since) · "#
    }

    private var fresh: Tile {
        guard let newest = overview.newest else {
            return Tile(
                title: "New leaks", value: "\(Count(overview.newLeaks))", note: "in the newest version")
        }
        let more = overview.newLeaks - overview.newTitles.count
        let rest: HTML = more > 0 && !overview.newTitles.isEmpty ? " and \(Count(more)) more" : ""
        let titles = HTML(overview.newTitles.map { Isolated($0).html }, separator: ", ")
        let names: HTML = overview.newLeaks == 0 ? "no leak is new" : "\(titles)\(rest)"
        let title: HTML = "New in \(Isolated(newest.version))"
        let link = context.links.to(.summary(newestFirst(newest.version)))
        return Tile(
            title: overview.newLeaks > 0 && context.links.isServed
                ? #"<a href="\#(link)">\#(title)</a>"# : title,
            value: "\(Count(overview.newLeaks))", note: names)
    }

    private func newestFirst(_ version: String) -> LeakQuery {
        var query = LeakQuery()
        query.app = context.query.app
        query.version = version
        query.sort = .firstSeen
        return query
    }

    private var recent: Tile {
        Tile(
            title: "Reports, last 24\u{A0}h", value: "\(Count(overview.recentReports))",
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
        let known = overview.known
        let apart: HTML =
            known.leaks == 0
            ? "" : " · besides \(Count(known.leaks).of("known system leak", "known system leaks"))"
        return Tile(
            title: "Leaks to fix", value: "\(Count(overview.leaks.saturated(adding: -known.leaks)))",
            note: """
                \(Count(overview.reports.saturated(adding: -known.reports)).of("report", "reports"))\(apart)\(lost)\(beyond)
                """)
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

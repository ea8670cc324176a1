import LeakStore

/// The numbers at the top of the summary: quality of the current release, new leaks, regressed leaks, reports of the
/// period, and leaks left to fix.
struct OverviewTiles: Component {
    var context: PageContext
    var overview: Overview
    /// Overview of each app, if all apps are shown and there are several; otherwise empty.
    var apps: [AppOverview] = []

    var html: HTML {
        let first = apps.isEmpty ? sessions.html : AppsTile(context: context, apps: apps).html
        let styleClass: HTML = apps.isEmpty ? "" : " of-all"
        return
            #"<dl class="tiles\#(styleClass)">\#(first)\#(newLeaks)\#(regressed)\#(recentReports)\#(leaksToFix)</dl>"#
    }

    /// End of the titles of the tiles that count all apps together. The first tile never counts apps together.
    private var scopeSuffix: HTML { apps.isEmpty ? "" : ", all apps" }

    private var sessions: Tile {
        guard let current = overview.currentRelease, let leakFreeShare = current.leakFreePercentage else {
            let version: HTML? = overview.currentRelease.map { " in \(IsolatedText($0.version))" }
            // The current release has no sessions yet, so the last version with sessions is shown.
            if let last = overview.lastSessions, let leakFreeShare = last.leakFreePercentage {
                return Tile(
                    title: "Leak-free sessions in \(IsolatedText(last.version))", value: "\(leakFreeShare)",
                    note: """
                        \(Count(last.sessions).text(noun: "session", plural: "sessions")); \
                        no sessions of \(overview.currentRelease.map { IsolatedText($0.version).html }) yet\(pinned)
                        """)
            }
            return Tile(
                title: "Leak-free sessions\(version)", value: "no data",
                note: "No sessions reported yet\(pinned)")
        }
        return Tile(
            title: "Leak-free sessions in \(IsolatedText(current.version))", value: "\(leakFreeShare)",
            note: """
                \(SessionsChange(overview: overview))\(Count(current.sessions).text(noun: "session", plural: "sessions"))\
                \(current.adoption.map { " · adoption: \(AdoptionText(context: context, adoption: $0))" as HTML })\
                \(pinned)
                """)
    }

    /// Note that the current release is pinned, so that adoption does not change it.
    private var pinned: HTML? {
        overview.currentRelease.flatMap { $0.isPinned ? " · pinned as current release" : nil }
    }

    private var newLeaks: Tile {
        guard let current = overview.currentRelease else {
            return Tile(
                title: link("New leaks\(scopeSuffix)", if: overview.newLeaks > 0) { $0.state = .new },
                value: "\(Count(overview.newLeaks))",
                note: overview.newLeaks == 0
                    ? "No new leaks" : "in each app\u{2019}s current release")
        }
        let title = link("New in \(IsolatedText(current.version))", if: overview.newLeaks > 0) {
            $0.state = .new
        }
        return Tile(
            title: title, value: "\(Count(overview.newLeaks))",
            note: overview.newLeaks == 0
                ? "No new leaks" : titleList(overview.newLeakTitles, of: overview.newLeaks))
    }

    private var regressed: Tile {
        Tile(
            title: link("Regressed\(scopeSuffix)", if: overview.regressedLeaks > 0) { $0.state = .regressed },
            value: "\(Count(overview.regressedLeaks))",
            note: overview.regressedLeaks == 0
                ? "No regressions" : titleList(overview.regressedLeakTitles, of: overview.regressedLeaks))
    }

    /// Returns the titles and the number of further leaks: `CartViewModel, ProductCell and 2 more`.
    private func titleList(_ titles: [String], of count: Int) -> HTML {
        let moreCount = count.saturated(adding: -titles.count)
        let moreNote: HTML = moreCount > 0 && !titles.isEmpty ? " and \(Count(moreCount)) more" : ""
        return "\(HTML(titles.map { IsolatedText($0).html }, separator: ", "))\(moreNote)"
    }

    /// Returns a title that links to the list of the leaks that the tile counts.
    private func link(_ title: HTML, if hasLeaks: Bool, _ change: (inout LeakQuery) -> Void) -> HTML {
        guard hasLeaks, context.links.isServed else { return title }
        var query = LeakQuery()
        query.scope = context.query.scope
        change(&query)
        return #"<a href="\#(context.links.to(.summary(query)))">\#(title)</a>"#
    }

    private var recentReports: Tile {
        Tile(
            title: link(
                "Reports, last \(overview.period.displayName)\(scopeSuffix)", if: overview.recentLeaks > 0
            ) {
                $0.period = overview.period
                $0.state = .any
            },
            value: "\(Count(overview.recentReports))",
            note: overview.recentReports == 0
                ? "No reports"
                : """
                \(Count(overview.recentLeaks).text(noun: "leak", plural: "leaks")) · \
                \(Count(installs: overview.recentInstalls).text(noun: "install", plural: "installs"))
                """)
    }

    private var leaksToFix: Tile {
        let dropped = overview.droppedTotal
        let reasons = HTML(
            DropReasonText.counts(overview.dropped).map { "\($0.reason): \(Count($0.count))" },
            separator: ", "
        )
        let droppedNote: HTML =
            dropped == 0 ? "" : " · Dropped reports: \(Count(dropped)) (\(reasons))"
        let toFix = overview.toFix
        let hiddenCount = overview.leaks.saturated(adding: -toFix.leaks)
        let hiddenNote: HTML =
            hiddenCount == 0 ? "" : " · Hidden: \(Count(hiddenCount).text(noun: "leak", plural: "leaks"))"
        return Tile(
            title: "Leaks to fix\(scopeSuffix)", value: "\(Count(toFix.leaks))",
            note:
                "\(Count(toFix.reports).text(noun: "report", plural: "reports"))\(hiddenNote)\(droppedNote)\(limitNotes)"
        )
    }

    /// The limits that were reached. Reports beyond a limit are still counted in the totals.
    private var limitNotes: HTML {
        HTML(
            overview.overLimit.map { overLimit in
                guard !overLimit.limit.isOfRemovedNames else {
                    return
                        " · \(Count(overLimit.count)) \(overLimit.limit.noun(count: overLimit.count)) \(overLimit.limit.outcome)"
                }
                let limitName = overLimit.limit.rawValue.split(separator: "_").joined(separator: " ")
                let noun = overLimit.limit.noun(count: overLimit.count)
                return
                    " · Limit reached (\(limitName)): \(Count(overLimit.count)) \(noun) \(overLimit.limit.outcome)"
            }, separator: "")
    }
}

/// Names of the reasons why reports were dropped. Other reasons, such as those of Sentry SDKs or of later versions, are shown
/// unchanged.
enum DropReasonText {
    private static let names = [
        "before_send": "removed by beforeSend", "budget": "quota of the session or day",
        "damaged": "damaged file", "discarded": "discarded leaks",
        "over_limit": "batches with too many drops", "queue_full": "queue full",
        "reentrant": "recorded in a signal handler or inside a closure of the reporter",
        "refused": "rejected by the collector", "text_over_limit": "text limit", "too_long": "too long",
        "too_old": "too old", "unseen": "object not checked",
    ]

    /// Sums the counts of several apps by reason. The order is that of the first count of each reason.
    static func counts(_ dropped: [Submission.Dropped]) -> [(reason: String, count: Int)] {
        var counts: [(reason: String, count: Int)] = []
        for dropCount in dropped {
            let reason = names[dropCount.reason] ?? dropCount.reason
            if let index = counts.firstIndex(where: { $0.reason == reason }) {
                counts[index].count = counts[index].count.saturated(adding: dropCount.count)
            } else {
                counts.append((reason, dropCount.count))
            }
        }
        return counts
    }
}

extension Overview {
    /// Totals of the leaks to fix: all leaks and reports, without those that are set aside.
    var toFix: LeakTotals {
        [known, resolved, ignored, slow].reduce(into: LeakTotals(leaks: leaks, reports: reports)) {
            left, setAside in
            left.leaks = left.leaks.saturated(adding: -setAside.leaks)
            left.reports = left.reports.saturated(adding: -setAside.reports)
        }
    }
}

/// Leak-free sessions of several apps. Versions of different apps cannot be compared, so each app has its own number.
struct AppsTile: Component {
    var context: PageContext
    /// Apps, shown in the order of their names, so that a reload does not move them.
    var apps: [AppOverview]

    var html: HTML {
        let moreCount = context.apps.count - apps.count
        let moreNote: HTML? =
            moreCount > 0
            ? "<li><small>and \(Count(moreCount).text(noun: "more app", plural: "more apps")) last seen earlier</small></li>"
            : nil
        return #"""
            <div class="tile"><dt>Leak-free sessions of each app</dt>\#
            <dd><ul class="plain">\#(apps.sorted { $0.app < $1.app }.map(line))\#(moreNote)</ul></dd></div>
            """#
    }

    private func line(_ appOverview: AppOverview) -> HTML {
        let name: HTML =
            #"<a href="\#(context.links.to(.summary(app: AppScope(appOverview.app, environment: context.query.environment))))">\#(IsolatedText(appOverview.app))</a>"#
        let overview = appOverview.overview
        let new: HTML = "\(Count(overview.newLeaks).text(noun: "new leak", plural: "new leaks"))"
        guard let current = overview.currentRelease else {
            return "<li><span>\(name)</span> <b>no data</b></li>"
        }
        let version = IsolatedText(current.version)
        if let leakFreeShare = current.leakFreePercentage {
            return """
                <li><span>\(name)</span> <b>\(leakFreeShare)</b> \
                <small>\(version) · \(SessionsChange(overview: overview))\(new)</small></li>
                """
        }
        // The current release has no sessions yet, so the last version with sessions is shown.
        if let last = overview.lastSessions, let leakFreeShare = last.leakFreePercentage {
            return """
                <li><span>\(name)</span> <b>\(leakFreeShare)</b> \
                <small>\(IsolatedText(last.version)), no sessions of \(version) yet · \(new) in \(version)</small></li>
                """
        }
        return "<li><span>\(name)</span> <b>no data</b> <small>\(version) · \(new)</small></li>"
    }
}

/// Difference between the leak-free sessions of the current release and the previous version: `0.9 percentage points
/// less than 5.1.0`; empty if one of the versions has no sessions.
struct SessionsChange: Component {
    var overview: Overview

    var html: HTML {
        guard let previous = overview.previousRelease, let now = overview.currentRelease?.leakFreeSessions,
            let before = previous.leakFreeSessions
        else { return "" }
        let tenths = Self.tenths(from: before, to: now)
        let other = IsolatedText(previous.version)
        if tenths == 0 { return "unchanged from \(other) · " }
        let points = Decimal(tenths: abs(tenths))
        return tenths > 0
            ? #"<em class="better">\#(points) percentage points</em> more than \#(other) · "#
            : #"<em class="worse">\#(points) percentage points</em> less than \#(other) · "#
    }

    /// Returns the difference between two shares in tenths of a percentage point.
    static func tenths(from before: Double, to now: Double) -> Int { Int(saturating: (now - before) * 1000) }
}

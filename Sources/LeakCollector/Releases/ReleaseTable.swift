import LeakStore

/// The versions of an app with their numbers, newest first.
struct ReleaseTable: Component {
    var context: PageContext
    var app: AppScope
    /// Newest version first.
    var releases: [ReleaseSummary]
    var comparisons = ReleaseComparisons()

    /// Maximum number of builds that a row lists. A longer list is collapsed, and the row names only its first and last build.
    private static let maxListedBuilds = 3

    /// The table with ARIA roles. A narrow window shows rows as blocks, and some browsers then no longer treat the
    /// element as a table. https://adrianroselli.com/2018/02/tables-css-display-properties-and-aria.html
    var html: HTML {
        #"""
        <div class="scroll" tabindex="0" role="group" aria-label="Versions"><table class="releases" role="table">\#
        <caption class="hidden">Versions, newest first</caption><thead role="rowgroup"><tr role="row">\#(headings)</tr></thead>
        <tbody role="rowgroup">\#(releases.map { row($0) })</tbody></table></div>
        """#
    }

    private var headings: [HTML] {
        [Self.heading("Version")]
            + [
                "Leak-free sessions", "Leaks per 1,000 checks", "Leaks", "New", "Worse", "Better", "Fixed",
                "Regressed", "Reports", "Installs",
            ].map { Self.heading($0, isNumber: true) } + ["First seen", "Last seen"].map { Self.heading($0) }
    }

    private static func heading(_ title: String, isNumber: Bool = false) -> HTML {
        let styleClass: HTML = isNumber ? #" class="num""# : ""
        return #"<th role="columnheader" scope="col"\#(styleClass)>\#(title)</th>"#
    }

    private func row(_ release: ReleaseSummary) -> HTML {
        #"""
        <tr role="row"><th role="rowheader" scope="row">\#(link(IsolatedText(release.version).html, to: release) { _ in })\#(adoption(release))\#(builds(release))\#(comparisonLink(release))</th>\#
        <td role="cell" class="num">\#(sessions(release))</td>\#
        <td role="cell" class="num">\#(rate(release))</td>\#
        \#(number(Count(release.leaks), of: release) { $0.state = .any })\#
        <td role="cell" class="num">\#(changeCount(.new, of: release))\#(firstSeenLeaks(release))</td>\#
        <td role="cell" class="num">\#(changeCount(.worse, of: release))\#(worseClasses(release))</td>\#
        \#([ComparePage.Section.better, .fixed].map { #"<td role="cell" class="num">\#(changeCount($0, of: release))</td>"# as HTML })\#
        <td role="cell" class="num">\#(regressed(release))</td>\#
        \#(number(Count(release.reports), of: release) { ($0.state, $0.sort) = (.any, .reports) })\#
        \#(number(Count(installs: release.installs), of: release) { ($0.state, $0.sort) = (.any, .installs) })\#
        <td role="cell">\#(context.relativeTime(release.firstSeen).dayElement)</td><td role="cell">\#(context.relativeTime(release.lastSeen))</td></tr>

        """#
    }

    private func number(
        _ count: Count, of release: ReleaseSummary, _ change: (inout LeakQuery) -> Void
    ) -> HTML {
        #"<td role="cell" class="num">\#(count.number > 0 ? link("\(count)", to: release, change) : "\(count)")</td>"#
    }

    /// Returns a link to the leaks of the version that a number counts.
    private func link(_ content: HTML, to release: ReleaseSummary, _ change: (inout LeakQuery) -> Void)
        -> HTML
    {
        guard context.links.isServed else { return content }
        var query = LeakQuery()
        query.scope = app
        query.version = release.version
        change(&query)
        return #"<a href="\#(context.links.to(.summary(query)))">\#(content)</a>"#
    }

    /// Returns a link to the comparison with the previous version; `nil` in an export, for the oldest version, and for `other`,
    /// under which several versions are counted.
    private func comparisonLink(_ release: ReleaseSummary) -> HTML? {
        let isOldest =
            releases.count < ReleaseSummary.maxListed && release.version == releases.last?.version
            && comparisons[release]?.baseline == nil
        guard context.links.isServed, !isOldest, release.version != StoreLimits.other else { return nil }
        let address = context.links.to(.compare(app: app, from: nil, to: release.version))
        return
            #"<small><a href="\#(address)">Compare<span class="hidden"> \#(IsolatedText(release.version))</span></a></small>"#
    }

    private func builds(_ release: ReleaseSummary) -> HTML? {
        let builds = release.builds
        guard let first = builds.first, let last = builds.last else { return nil }
        guard builds.count > Self.maxListedBuilds else {
            let names = HTML(builds.map { IsolatedText($0).html }, separator: ", ")
            return "<small>\(builds.count == 1 ? "build" : "builds") \(names)</small>"
        }
        let names = HTML(builds.map { IsolatedText($0).html }, separator: ", ")
        return """
            <details><summary>\(Count(builds.count)) builds, \(IsolatedText(first)) – \(IsolatedText(last))</summary>\
            <small>\(names)</small></details>
            """
    }

    /// Returns the version's share of the sessions or reports of its environment; `nil` without adoption.
    private func adoption(_ release: ReleaseSummary) -> HTML? {
        guard let adoption = release.adoption, adoption.count > 0 else { return nil }
        return "<small>adoption \(Percentage(adoption.count, of: adoption.total))</small>"
    }

    private var noData: HTML { #"<span class="dim">no data</span>"# }

    private func sessions(_ release: ReleaseSummary) -> HTML {
        guard let leakFreeShare = release.leakFreePercentage else { return noData }
        let interval = comparisons[release].flatMap(release.leakFreeInterval).map {
            "<small>\(IntervalText.percent($0))</small>" as HTML
        }
        return
            "\(leakFreeShare)\(interval)<small>of \(Count(release.sessions).text(noun: "session", plural: "sessions"))</small>"
    }

    private func rate(_ release: ReleaseSummary) -> HTML {
        guard let rate = release.leaksPerThousandChecks else { return noData }
        let interval = comparisons[release].flatMap(release.leaksPerCheckInterval).map {
            "<small>\(IntervalText.perThousand($0))</small>" as HTML
        }
        return "\(rate)\(interval)"
    }

    // MARK: Changes since the previous version

    /// Returns the number of leaks in a section, with a link to the section. The number 0 is shown only if there is enough data
    /// to tell.
    private func changeCount(_ section: ComparePage.Section, of release: ReleaseSummary) -> HTML {
        guard let check = comparisons[release], check.baseline != nil else {
            let reason = comparisons[release] == nil ? "not compared" : "no earlier version"
            return #"<span class="dim" title="\#(reason)">–<span class="hidden"> \#(reason)</span></span>"#
        }
        let count = section.count(check)
        if count > 0 { return compareLink("\(Count(count))", to: section.rawValue, of: release) }
        return check.hasEnoughData
            ? "0"
            : #"<span class="dim">\#(compareLink("cannot tell", to: ComparePage.tooLittleDataAnchor, of: release))</span>"#
    }

    /// Returns the number of classes whose leaks together have become worse although no single leak has, and a note if the rare
    /// classes together have become worse. Such classes fail the release check, as a leak that is worse does.
    private func worseClasses(_ release: ReleaseSummary) -> [HTML] {
        guard let check = comparisons[release] else { return [] }
        var links: [HTML] = []
        if !check.worseClasses.isEmpty {
            let count = Count(check.worseClasses.count)
            let words: HTML = "\(count.text(noun: "class", plural: "classes"))"
            links.append(compareLink(words, to: ComparePage.worseClassesAnchor, of: release))
        }
        if check.isPoolWorse {
            links.append(compareLink("rare classes", to: ComparePage.poolAnchor, of: release))
        }
        return links.map { "<small>\($0)</small>" }
    }

    /// Returns the number of leaks that were first seen in the version. ``ComparePage`` calls a leak new only if its rate is
    /// statistically significant.
    private func firstSeenLeaks(_ release: ReleaseSummary) -> HTML? {
        guard release.newLeaks > 0 else { return nil }
        let count: HTML = "\(Count(release.newLeaks)) first seen"
        return "<small>\(link(count, to: release) { ($0.state, $0.sort) = (.any, .firstSeen) })</small>"
    }

    /// Returns the number of regressed leaks. A single report is enough for a leak to count as regressed.
    private func regressed(_ release: ReleaseSummary) -> HTML {
        guard release.regressedLeaks > 0, comparisons[release] != nil else {
            return "\(Count(release.regressedLeaks))"
        }
        return compareLink(
            "\(Count(release.regressedLeaks))", to: ComparePage.Section.back.rawValue, of: release)
    }

    private func compareLink(_ content: HTML, to section: String, of release: ReleaseSummary) -> HTML {
        guard context.links.isServed else { return content }
        let address = context.links.to(.compare(app: app, from: nil, to: release.version))
        return #"<a href="\#(address)#\#(section)">\#(content)</a>"#
    }
}

extension ReleaseSummary {
    /// Share of leak-free sessions; `nil` without sessions.
    var leakFreePercentage: Percentage? { .leakFree(sessions, leaky: leakySessions) }

    /// Leaks per 1,000 checks with one decimal; `nil` without checks.
    var leaksPerThousandChecks: Decimal? {
        exactLeaksPerThousandChecks.map { Decimal(tenths: Int(saturating: $0 * 10)) }
    }

    /// Leaks per 1,000 checks, as the chart draws them; `nil` without checks.
    var exactLeaksPerThousandChecks: Double? {
        checks > 0 ? Double(reports) * 1000 / Double(checks) : nil
    }
}

extension VersionSessions {
    /// Share of leak-free sessions; `nil` without sessions.
    var leakFreePercentage: Percentage? { .leakFree(sessions, leaky: leakySessions) }
}

extension Percentage {
    fileprivate static func leakFree(_ sessions: Int, leaky: Int) -> Percentage? {
        sessions > 0 ? Percentage(sessions.saturated(adding: -leaky), of: sessions) : nil
    }
}

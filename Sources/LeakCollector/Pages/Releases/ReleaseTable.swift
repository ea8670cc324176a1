import LeakStore

/// The versions of an app with their numbers, newest first.
struct ReleaseTable: Component {
    var context: PageContext
    var app: String?
    /// Newest version first.
    var releases: [Release]

    /// Builds that are all named; of more, the first and the last.
    private static let namedBuilds = 3

    var html: HTML {
        #"""
        <div class="scroll" tabindex="0" role="group" aria-label="Versions"><table class="releases">\#
        <caption class="hidden">Versions, newest first</caption><thead><tr><th scope="col">Version</th>\#
        <th scope="col" class="num">Leak-free sessions</th>\#
        <th scope="col" class="num">Leaks per 1,000 checked closes</th>\#
        <th scope="col" class="num">Leaks</th><th scope="col" class="num">New</th>\#
        <th scope="col" class="num">Gone</th><th scope="col" class="num">Regressed</th>\#
        <th scope="col" class="num">Reports</th><th scope="col" class="num">Installs</th>\#
        <th scope="col">First seen</th><th scope="col">Last seen</th></tr></thead>
        <tbody>\#(releases.map { row($0) })</tbody></table></div>
        """#
    }

    private func row(_ release: Release) -> HTML {
        #"""
        <tr><th scope="row">\#(link(Isolated(release.version).html, release) { _ in })\#(builds(release))</th>\#
        <td class="num">\#(sessions(release))</td>\#
        <td class="num">\#(release.leaksPerThousandChecks.map { "\($0)" } ?? none)</td>\#
        \#(number(release.leaks, release) { $0.state = .any })\#
        \#(number(release.newLeaks, release) { ($0.state, $0.sort) = (.any, .firstSeen) })\#
        <td class="num">\#(Count(release.goneLeaks))</td>\#
        <td class="num">\#(Count(release.regressedLeaks))</td>\#
        \#(number(release.reports, release) { ($0.state, $0.sort) = (.any, .reports) })\#
        \#(number(release.installs, release) { ($0.state, $0.sort) = (.any, .installs) })\#
        <td>\#(context.moment(release.firstSeen).dayElement)</td><td>\#(context.moment(release.lastSeen))</td></tr>

        """#
    }

    private func number(_ count: Int, _ release: Release, _ change: (inout LeakQuery) -> Void) -> HTML {
        #"<td class="num">\#(count > 0 ? link("\(Count(count))", release, change) : "\(Count(count))")</td>"#
    }

    /// Leads to the version's leaks behind a number.
    private func link(_ words: HTML, _ release: Release, _ change: (inout LeakQuery) -> Void) -> HTML {
        guard context.links.isServed else { return words }
        var query = LeakQuery()
        query.app = app
        query.version = release.version
        change(&query)
        return #"<a href="\#(context.links.to(.summary(query)))">\#(words)</a>"#
    }

    private func builds(_ release: Release) -> HTML? {
        let builds = release.builds
        guard let first = builds.first, let last = builds.last else { return nil }
        guard builds.count > Self.namedBuilds else {
            let names = HTML(builds.map { Isolated($0).html }, separator: ", ")
            return "<small>\(builds.count == 1 ? "build" : "builds") \(names)</small>"
        }
        return "<small>\(Count(builds.count)) builds, \(Isolated(first)) – \(Isolated(last))</small>"
    }

    private var none: HTML { #"<span class="dim">no data</span>"# }

    private func sessions(_ release: Release) -> HTML {
        guard let free = release.leakFreePercentage else { return none }
        return "\(free)<small>of \(Count(release.sessions).of("session", "sessions"))</small>"
    }
}

extension Release {
    /// `nil` without a session.
    var leakFreePercentage: Percentage? {
        sessions > 0 ? Percentage(sessions.saturated(adding: -leakySessions), of: sessions) : nil
    }

    /// `nil` without a check.
    var leaksPerThousandChecks: Decimal? {
        checks > 0
            ? Decimal(tenths: Int(saturating: Double(reports) * 1000 / Double(checks) * 10)) : nil
    }
}

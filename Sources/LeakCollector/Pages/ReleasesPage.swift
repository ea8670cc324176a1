import LeakStore

/// How each version of an app does: `/releases`.
struct ReleasesPage: Component {
    var context: PageContext
    /// `nil` while there is none.
    var app: String?
    /// Newest version first.
    var releases: [Release]

    var html: HTML {
        PageFrame(
            title: "Releases", section: .releases, context: context,
            main: #"""
                <h1>Releases</h1>
                \#(apps)
                \#(releases.isEmpty ? none : table)
                """#,
            footer: [
                "\(Count(releases.count).of("version", "versions"))",
                #"<a href="\#(context.links.json(of: .releases(app: app)))">JSON of this page</a>"#,
            ]
        ).html
    }

    private var none: HTML {
        #"""
        <div class="card empty"><h2>No version reported</h2>
        <p>A version appears here with its first report or session.</p></div>
        """#
    }

    private var apps: HTML? {
        guard context.apps.count > 1 else { return app.map { #"<p class="crumb">\#(Isolated($0))</p>"# } }
        guard context.links.isServed else {
            let links = context.apps.map { name -> HTML in
                let mark: HTML = name == app ? #" aria-current="page""# : ""
                return #"<a href="\#(context.links.to(.releases(app: name)))"\#(mark)>\#(Isolated(name))</a>"#
            }
            return #"<nav class="filters" aria-label="Apps">\#(links)</nav>"#
        }
        return #"""
            <form class="filters" action="\#(context.links.to(.releases(app: nil)))">\#
            \#(Choice(name: "app", label: "App", none: nil, options: context.apps.map { ($0, $0) }, chosen: app))\#
            <button>Show</button></form>
            """#
    }

    private var table: HTML {
        #"""
        <div class="scroll" tabindex="0" role="group" aria-label="Versions"><table class="releases">\#
        <caption class="hidden">Versions, newest first</caption><thead><tr><th scope="col">Version</th>\#
        <th scope="col" class="num">Leak-free sessions</th><th scope="col" class="num">Leaks</th>\#
        <th scope="col" class="num">New</th><th scope="col" class="num">Reports</th>\#
        <th scope="col" class="num">Installs</th><th scope="col" class="num">Leaks per 1,000 checks</th>\#
        <th scope="col">First seen</th><th scope="col">Last seen</th></tr></thead>
        <tbody>\#(releases.map { row($0) })</tbody></table></div>
        """#
    }

    private func row(_ release: Release) -> HTML {
        let builds: HTML =
            release.builds.isEmpty
            ? "" : "<small>\(release.builds.count == 1 ? "build" : "builds") \(buildSpan(release))</small>"
        var query = LeakQuery()
        query.app = app
        query.version = release.version
        let version: HTML =
            context.links.isServed
            ? #"<a href="\#(context.links.to(.summary(query)))">\#(Isolated(release.version))</a>"#
            : Isolated(release.version).html
        return #"""
            <tr><th scope="row">\#(version)\#(builds)</th><td class="num">\#(sessions(release))</td>\#
            <td class="num">\#(Count(release.leaks))</td><td class="num">\#(Count(release.newLeaks))</td>\#
            <td class="num">\#(Count(release.reports))</td><td class="num">\#(Count(release.installs))</td>\#
            <td class="num">\#(rate(release))</td><td>\#(context.moment(release.firstSeen).dayElement)</td>\#
            <td>\#(context.moment(release.lastSeen))</td></tr>

            """#
    }

    private func buildSpan(_ release: Release) -> HTML {
        guard let first = release.builds.first, let last = release.builds.last, first != last else {
            return HTML(release.builds.prefix(1).map { Isolated($0).html })
        }
        return "\(Isolated(first)) – \(Isolated(last))"
    }

    private func sessions(_ release: Release) -> HTML {
        guard release.sessions > 0 else { return #"<span class="dim">no data</span>"# }
        let free = release.sessions - release.leakySessions
        return """
            \(Percentage(free, of: release.sessions))\
            <small>of \(Count(release.sessions).of("session", "sessions"))</small>
            """
    }

    private func rate(_ release: Release) -> HTML {
        guard release.checks > 0 else { return #"<span class="dim">no data</span>"# }
        let perThousand = Double(release.reports) * 1000 / Double(release.checks)
        return "\(Decimal(tenths: Int(saturating: perThousand * 10)))"
    }
}

import LeakStore

/// Leak-free sessions of several apps: versions of different apps do not compare, so each speaks for itself.
struct AppsTile: Component {
    var context: PageContext
    /// Shown by name, so that a reload leaves each where it was.
    var apps: [AppOverview]

    var html: HTML {
        let more = context.apps.count - apps.count
        let rest: HTML? =
            more > 0 ? "<li><small>\(Count(more).of("app", "apps")) more, seen longer ago</small></li>" : nil
        return #"""
            <div class="tile"><dt>Leak-free sessions of each app</dt>\#
            <dd><ul class="plain">\#(apps.sorted { $0.app < $1.app }.map(line))\#(rest)</ul></dd></div>
            """#
    }

    private func line(_ told: AppOverview) -> HTML {
        let name: HTML =
            #"<a href="\#(context.links.to(.summary(app: told.app)))">\#(Isolated(told.app))</a>"#
        let overview = told.overview
        let new: HTML = "\(Count(overview.newLeaks)) new"
        guard let newest = overview.newest else { return "<li><span>\(name)</span> <b>no data</b></li>" }
        let version = Isolated(newest.version)
        if let free = newest.leakFreePercentage {
            return """
                <li><span>\(name)</span> <b>\(free)</b> \
                <small>\(version) · \(SessionsChange(overview: overview))\(new)</small></li>
                """
        }
        // A version of which no session has been told yet says nothing: the last one that has some speaks.
        if let last = overview.lastSessions, let free = last.leakFreePercentage {
            return """
                <li><span>\(name)</span> <b>\(free)</b> \
                <small>\(Isolated(last.version)), no session of \(version) so far · \(new)</small></li>
                """
        }
        return "<li><span>\(name)</span> <b>no data</b> <small>\(version) · \(new)</small></li>"
    }
}

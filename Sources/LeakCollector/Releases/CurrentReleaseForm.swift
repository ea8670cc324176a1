import LeakStore

/// The current release with its adoption, and the form that pins it: `Current release 5.3.0, pinned by ann on 28 Nov; 62 % of
/// the sessions in the last 24 hours that had sessions`.
struct CurrentReleaseForm: Component {
    var context: PageContext
    var app: AppScope
    /// Newest version first.
    var releases: [ReleaseSummary]

    var html: HTML {
        guard let current = releases.first(where: \.isCurrent) else { return "" }
        let pinned: HTML? = current.isPinned ? ", pinned\(current.pin.map { author(of: $0) })" : nil
        let adoption: HTML? = current.adoption.map { "; \(AdoptionText(context: context, adoption: $0))" }
        return #"""
            <p>Current release <b>\#(IsolatedText(current.version))</b>\#(pinned)\#(adoption).</p>\#
            \#(context.links.isServed && context.permissions.contains(.administer) ? form(current) : nil)
            """#
    }

    private func author(of pin: ReleaseSummary.Pin) -> HTML {
        " by \(AuthorText(name: pin.by)) on \(context.relativeTime(pin.at).dayElement)"
    }

    private func form(_ current: ReleaseSummary) -> HTML {
        let versions = releases.map { ($0.version, $0.version) }
        let unpin: HTML? =
            current.isPinned ? #"<button name="do" value="unpin">Unpin</button>"# : nil
        return #"""
            <form class="filters" method="post" action="\#(context.links.to(.currentRelease))" aria-label="Pin the current release">\#
            <input type="hidden" name="app" value="\#(app.app ?? "")"><input type="hidden" name="environment" value="\#(app.environment)">\#
            \#(DropDownList(name: "version", label: "Version", emptyLabel: nil, options: versions, selectedValue: current.version))\#
            <button name="do" value="pin">Pin as current release</button>\#(unpin)</form>
            """#
    }
}

/// The share of a version in its environment: `62 % of the sessions in the last 24 hours that had sessions`.
struct AdoptionText: Component {
    var context: PageContext
    var adoption: ReleaseSummary.Adoption

    /// Maximum age in milliseconds of ``ReleaseSummary/Adoption/until`` for which the text says `in the last 24 hours`. If
    /// nothing arrived in the current hour, the last of the 24 hours is an earlier hour.
    private static let recentMilliseconds: Int64 = 2 * 3_600_000

    var html: HTML {
        let unit: HTML = adoption.isOfReports ? "reports" : "sessions"
        let period: HTML =
            context.links.isServed && adoption.until > context.now - Self.recentMilliseconds
            ? "in the last 24 hours that had \(unit)"
            : "in the 24 hours that had \(unit), up to \(context.relativeTime(adoption.until))"
        return "\(Percentage(adoption.count, of: adoption.total)) of the \(unit) \(period)"
    }
}

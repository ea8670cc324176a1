import LeakStore

/// Why a leak, or a part of its reports, is the system's and not the app's.
struct KnownCard: Component {
    var context: PageContext
    var match: KnownMatch
    /// Of the leak in all.
    var reports: Int

    var html: HTML {
        Card(
            match.isAll ? "Known system leak" : "A part is a known system leak",
            #"""
            <p>\#(match.leak.reason)</p>
            <dl class="keys"><div><dt>systems</dt><dd>\#(systems)</dd></div>\#
            <div><dt>reports</dt><dd>\#(share)</dd></div></dl>\#
            <p><a href="\#(match.leak.source)" rel="noreferrer">Where this is documented</a></p>
            """#, id: "known"
        ).html
    }

    private var systems: HTML { KnownSystems(leak: match.leak).html }

    private var share: HTML {
        let part: HTML = "\(Count(match.reports)) of \(Count(reports)) come from there"
        guard !match.isAll else { return part }
        return #"""
            \#(part); \#(Count(match.elsewhere)) from systems where it is not known, \#
            so the leak counts as the app's
            """#
    }
}

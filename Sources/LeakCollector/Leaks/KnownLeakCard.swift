import LeakStore

/// Card that says why a leak, or a part of its reports, comes from the system and not from the app.
struct KnownLeakCard: Component {
    var context: PageContext
    var match: KnownMatch
    /// Number of all reports of the leak.
    var reports: Int

    var html: HTML {
        Card(
            match.coversAllReports ? "Known system leak" : "Partly a known system leak",
            #"""
            <p>\#(match.rule.reason)</p>
            <dl class="keys"><div><dt>OS versions</dt><dd>\#(systems)</dd></div>\#
            <div><dt>reports</dt><dd>\#(share)</dd></div></dl>\#
            <p><a href="\#(match.rule.source)" rel="noreferrer">Where this system leak is documented</a></p>
            """#, id: "known"
        ).html
    }

    private var systems: HTML { KnownSystems(leak: match.rule).html }

    private var share: HTML {
        guard !match.coversAllReports else {
            return match.reports == reports
                ? reports == 1
                    ? "the only report comes from one of these OS versions"
                    : "all \(Count(reports)) reports come from these OS versions"
                : """
                \(Count(match.reports)) of \(Count(reports)) reports \(match.reports == 1 ? "comes" : "come") from these OS versions; \
                the others name no OS version, or one that another known leak explains
                """
        }
        return #"""
            \#(Count(match.reports)) of \#(Count(reports)) reports \#(match.reports == 1 ? "comes" : "come") from these OS versions. \#
            \#(Count(match.reportsElsewhere)) \#(match.reportsElsewhere == 1 ? "comes" : "come") from other OS versions, so the leak \#
            is listed as a leak of the app.
            """#
    }
}

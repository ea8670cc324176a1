import LeakStore

/// Page of a collector without reports: how to send the first report.
struct FirstReportPage: Component {
    var context: PageContext
    /// Address of the collector, without a slash at the end: `http://localhost:8080`.
    var address: String

    var html: HTML {
        PageLayout(
            title: "First report", section: .summary, context: context, isLive: true,
            main: #"""
                <div class="narrow"><h1>Waiting for the first report</h1>
                <p>No reports yet. Send the first one from an app or from a shell: this page updates itself and then shows \#
                the list of leaks.</p>
                <p>Replace KEY with your ingest key, which was printed when the collector started for the first time. \#
                To create another key, use \#(settings)<code>collector key create</code>.</p>
                \#(Snippet.snippetsForSending(to: address, key: "KEY", app: nil, project: 1).map(\.card.html))
                <p><a class="button" href="\#(context.links.to(.summary(app: nil)))">Refresh</a></p></div>
                """#
        ).html
    }

    private var settings: HTML? {
        guard context.permissions.contains(.administer) else { return nil }
        return #"<a href="\#(context.links.to(.access))">Settings</a> or "#
    }
}

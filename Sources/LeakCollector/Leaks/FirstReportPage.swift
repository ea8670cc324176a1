/// Page of a collector without reports: how to send the first report.
struct FirstReportPage: Component {
    var context: PageContext
    /// Address of the collector, without a slash at the end: `http://localhost:8080`.
    var address: String

    var html: HTML {
        PageFrame(
            title: "First report", section: .summary, context: context, isLive: true,
            main: #"""
                <div class="narrow"><h1>Waiting for the first report</h1>
                <p>Nothing has been reported so far. The first report, from an app or from a shell, turns this page \#
                into the summary.</p>
                <p>Put your ingest key in place of KEY: it was printed when the collector started for the first time, \#
                and <a href="\#(context.links.to(.access))">the access page</a> or \#
                <code>collector key create</code> makes another.</p>
                \#(Snippet.sending(to: address, key: "KEY", app: nil, project: 1).map(\.card.html))
                <p><a class="button" href="\#(context.links.to(.summary(app: nil)))">Look again</a></p></div>
                """#
        ).html
    }
}

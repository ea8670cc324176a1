/// What an empty collector shows: how to send the first report.
struct FirstReportPage: Component {
    var context: PageContext
    /// Where the collector is reached, without a slash at the end: `http://localhost:8080`.
    var address: String

    var html: HTML {
        PageFrame(
            title: "First report", section: .summary, context: context, isLive: true,
            main: #"""
                <div class="narrow"><h1>Waiting for the first report</h1>
                <p>Nothing has been reported so far. The first report, from a shell or from an app, turns this page \#
                into the summary.</p>
                <p>Put your ingest key in place of KEY: it was printed when the collector started for the first time, \#
                and <a href="\#(context.links.to(.access))">the access page</a> or \#
                <code>collector key create</code> makes another.</p>
                \#(Card("From a shell", "<pre>\(curl)</pre>"))
                \#(Card("From an app", "<pre>\(app)</pre>"))
                <p><a class="button" href="\#(context.links.to(.summary(app: nil)))">Look again</a></p></div>
                """#
        ).html
    }

    /// What to type, as text: the page escapes it.
    private var curl: String {
        #"""
        KEY=paste-your-ingest-key-here
        curl "\#(address)/api/v1/reports?app=com.example.shop&version=1.0.0" \
          --header "Authorization: Bearer $KEY" --header "Content-Type: text/plain" \
          --data "VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>"
        """#
    }

    private var app: String {
        #"""
        import LeakReporter

        let reporter = LeakReporter(.init(endpoint: "\#(address)", key: "KEY"))
        reporter.record(message: "VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>")
        """#
    }
}

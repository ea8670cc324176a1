import LeakStore

/// The page of all sample reports of one leak: `/leaks/{id}/reports`.
struct ReportsPage: Component {
    var context: PageContext
    var leak: LeakIdentity
    /// The first report, the newest report, then the random sample reports, newest first.
    var reports: [ParsedSample]

    var html: HTML {
        let cards = reports.map { parsedSample in
            ReportCard(
                context: context, title: Self.title(parsedSample.sample.reason), parsedSample: parsedSample,
                depth: .everything
            )
            .html
        }
        let none: HTML = #"<p class="dim">No sample report is stored.</p>"#
        return PageLayout(
            title: "Reports of \(leak.title)", section: .summary, context: context,
            main: """
                \(LeakHeader(context: context, leak: leak, isLink: true))
                \(reports.isEmpty ? none : HTML(cards, separator: "\n"))
                """,
            footer: [
                "\(Count(reports.count).text(noun: "sample report", plural: "sample reports"))",
                #"<a href="\#(context.links.json(of: .reports(leak.id)))">JSON</a>"#,
            ]
        ).html
    }

    private static func title(_ reason: SampleReport.Reason) -> HTML {
        switch reason {
        case .first: "First report"
        case .newest: "Newest report"
        case .random: "Report"
        }
    }
}

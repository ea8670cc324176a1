internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The sample reports of one leak.
struct ReportsResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/leaks/{leak}/reports", "/leaks/{leak}/reports")

    let leak: LeakID

    init(_: borrowing Request, _ parameters: Parameters) throws(Problem) { leak = try parameters.leak }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        guard let samples = try view.reader.samples(of: leak) else {
            throw try view.redirectOrNotFound(leak) { view.links.json(of: .reports($0)) }
        }
        writer.fields(of: samples)
    }

    func page(from view: StoreView) throws -> HTML {
        guard let detail = try view.reader.leak(leak, now: view.now) else {
            throw try view.redirectOrNotFound(leak) { view.links.to(.reports($0)) }
        }
        return view.reportsPage(of: detail.row.identity, try view.reader.samples(of: leak) ?? [])
    }
}

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

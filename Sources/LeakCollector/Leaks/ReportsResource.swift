internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The sample reports of one leak.
struct ReportsResource: JSONResource, PageResource {
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

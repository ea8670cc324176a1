internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// One leak with all details: a page, JSON, or Markdown for a ticket.
struct LeakResource: JSONResource, PageResource, TextResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/leaks/{leak}", "/leaks/{leak}")
    static let textPath = "/leaks/{leak}/markdown"
    static let mediaType = "text/markdown; charset=utf-8"

    let leak: LeakID

    init(_: borrowing Request, _ parameters: Parameters) throws(Problem) { leak = try parameters.leak }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        guard let detail = try view.leak(leak) else {
            throw try view.redirectOrNotFound(leak) { view.links.json(of: .leak($0)) }
        }
        writer.fields(of: detail, try view.relatedLeaks(of: detail.row))
    }

    func page(from view: StoreView) throws -> HTML {
        guard let content = try LeakContent(leak, from: view) else {
            throw try view.redirectOrNotFound(leak) { view.links.to(.leak($0)) }
        }
        return try content.page(from: view)
    }

    func text(from view: StoreView) throws -> String {
        guard let detail = try view.leak(leak) else {
            throw try view.redirectOrNotFound(leak) { view.links.json(of: .leak($0)) + "/markdown" }
        }
        return LeakMarkdown(detail: detail, address: view.address + view.links.to(.leak(leak))).text
    }
}

/// A leak with its sample reports and related leaks, read once for all pages and files about it.
struct LeakContent {
    let detail: LeakDetail
    let samples: [SampleReport]
    let relatedLeaks: RelatedLeaks

    /// Number of hours in the chart on a leak's page: two days, so that single hours can be distinguished.
    private static let chartHours = 48

    /// Reads a leak from the store.
    ///
    /// - Returns: `nil` if there is no such leak.
    init?(_ id: LeakID, from view: StoreView) throws(StoreError) {
        guard let detail = try view.leak(id) else { return nil }
        self.detail = detail
        let samples = try view.reader.samples(of: id) ?? []
        self.samples = samples
        relatedLeaks = try RelatedLeaks(
            of: detail.row, newest: { SampleReport.newest(of: samples) }, reader: view.reader)
    }

    func page(from view: StoreView) throws(StoreError) -> HTML {
        let (leak, newest) = (detail.row.identity, SampleReport.newest(of: samples))
        let first = newest?.reason == .first ? nil : samples.first { $0.reason == .first }
        var context = view.context(app: leak.appKey.scope)
        context.versions = try view.reader.versions(app: leak.appKey.scope)
        let hours = try view.reader.trend(of: leak.id, by: .hour, now: view.now)
        var page = LeakDetailPage(
            context: context, detail: detail, hourlyTrend: hours?.lastHours(Self.chartHours, now: view.now),
            newestSample: newest.map(ParsedSample.init), firstSample: first.map(ParsedSample.init),
            relatedLeaks: relatedLeaks,
            sampleReports: samples.compactMap { ParsedSample($0).report },
            otherEnvironments: try OtherEnvironments(of: leak, context: context, reader: view.reader),
            currentRelease: detail.referenceVersion, currentBuild: detail.referenceBuild)
        page.rulesNote = try RulesNote(of: leak, from: view)
        page.merges = try view.reader.manualMerges(into: leak.id)
        if leak.isOverLimit {
            page.overLimit = try view.reader.overview(app: leak.appKey.scope, now: view.now).overLimit
        }
        return page.html
    }

    /// Returns the page of the sample reports.
    func reportsPage(from view: StoreView) -> HTML { view.reportsPage(of: detail.row.identity, samples) }
}

extension StoreView {
    /// Returns a leak with all details. Names its closures with the symbols that are stored now.
    func leak(_ id: LeakID) throws(StoreError) -> LeakDetail? {
        guard var detail = try reader.leak(id, now: now) else { return nil }
        var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
        for (index, value) in detail.closures.enumerated() {
            guard let stored = StoredClosures(text: value.value) else { continue }
            detail.closures[index].value = stored.symbolicated(by: &symbolicator).text
        }
        return detail
    }

    /// Returns the page of a leak's sample reports.
    func reportsPage(of leak: LeakIdentity, _ samples: [SampleReport]) -> HTML {
        ReportsPage(
            context: context(app: leak.appKey.scope), leak: leak, reports: samples.map(ParsedSample.init)
        ).html
    }

    /// Returns the other leaks that the JSON of a leak names.
    func relatedLeaks(of leak: LeakRow) throws(StoreError) -> RelatedLeaks {
        let newest = { () throws(StoreError) in
            SampleReport.newest(of: try reader.samples(of: leak.identity.id) ?? [])
        }
        return try RelatedLeaks(of: leak, newest: newest, reader: reader)
    }

    /// Returns the error for a leak id that the store does not have: a redirect to the leak into which it was merged,
    /// or 404.
    func redirectOrNotFound(_ id: LeakID, to location: (LeakID) -> String) throws(StoreError) -> any Error {
        guard let target = try reader.target(ofMerged: id) else { return Problem.noLeak }
        return MovedResource(location: location(target))
    }
}

extension SampleReport {
    fileprivate static func newest(of samples: [SampleReport]) -> SampleReport? {
        samples.first { $0.reason == .newest } ?? samples.first
    }
}

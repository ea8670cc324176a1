import Foundation
import LeakGzip
import LeakStore
import LoadTools

@testable import LeakCollector

/// Measures the rendering time and the size of pages. The baselines are a copy of the bytes, and joining the texts of the page.
enum RenderBench {
    /// The gzip level with which the server compresses responses.
    private static let level = 5

    static func measure(publicFolder: String) throws {
        print(
            """
            | page | rows | bytes | gzip | render ms | target | × a copy of the bytes | × the same texts put together | with the store ms | gzip ms |
            |---|--:|--:|--:|--:|---|--:|--:|--:|--:|
            """)
        for rows in [10, 200, 5_000] {
            let shop = try Shop(leaks: rows, publicFolder: publicFolder)
            defer { shop.stop() }
            let reader = try shop.store.makeReader()
            let now = WallClock.milliseconds()
            try measureSummary(rows: rows, reader: reader, now: now)
            if rows == 200 { try measureLeak(reader: reader, now: now) }
        }
    }

    private static func measureSummary(rows: Int, reader: any StoreReader, now: Int64) throws {
        var query = LeakQuery()
        query.limit = 200
        var page = try reader.leaks(query, now: now)
        while let next = page.next {
            query.cursor = next
            let more = try reader.leaks(query, now: now)
            page.leaks += more.leaks
            page.next = more.next
        }
        guard page.leaks.count == rows else { throw Failure("\(page.leaks.count) rows, not \(rows)") }
        query.cursor = nil
        let summary = SummaryPage(
            context: PageContext(
                links: .served, now: now, apps: try reader.apps(in: AppKey.production),
                versions: try reader.versions(app: nil),
                query: query),
            overview: try reader.overview(app: nil, period: .day, now: now), page: page)
        let view = StoreView(reader: reader, now: now)
        try printRow("summary", rows, target: rows == 200 ? (150_000, 2) : nil) {
            summary.html.bytes
        } fromStore: {
            try SummaryResource(query).page(from: view).bytes
        }
    }

    private static func measureLeak(reader: any StoreReader, now: Int64) throws {
        guard let id = try reader.leaks(LeakQuery(), now: now).leaks.first?.identity.id,
            let detail = try reader.leak(id, now: now), let samples = try reader.samples(of: id)
        else { throw Failure("no leak") }
        let kept = samples.map(ParsedSample.init)
        var context = PageContext(links: .served, now: now)
        context.versions = try reader.versions(app: detail.row.identity.appKey.scope)
        let hours = try reader.trend(of: id, by: .hour, now: now)?.lastHours(48, now: now)
        let page = LeakDetailPage(
            context: context, detail: detail, hourlyTrend: hours, newestSample: kept.first,
            firstSample: kept.last)
        let view = StoreView(reader: reader, now: now)
        try printRow("a leak", 1, target: nil) {
            page.html.bytes
        } fromStore: {
            try LeakContent(id, from: view)?.page(from: view).bytes ?? []
        }
    }

    private static func printRow(
        _ name: String, _ rows: Int, target: (bytes: Int, milliseconds: Double)?, render: () -> [UInt8],
        fromStore: () throws -> [UInt8]
    ) throws {
        let bytes = render()
        let pieces = pieces(of: bytes)
        let small = Gzip.deflate(bytes, level: level)
        let time = try median { render().count }
        let copy = try median { bytes.withUnsafeBufferPointer { Array($0).count } }
        let joined = try median { joinPieces(pieces).utf8.count }
        let whole = try median { try fromStore().count }
        let deflating = try median { Gzip.deflate(bytes, level: level).count }
        let verdict = target.map { target in
            bytes.count <= target.bytes && time <= target.milliseconds
                ? "≤ 150 kB, ≤ 2 ms: reached" : "≤ 150 kB, ≤ 2 ms: missed"
        }
        func ratio(_ other: Double) -> String { String(format: "%.1f", time / other) }
        print(
            "| \(name) | \(rows) | \(bytes.count) | \(small.count) | \(String(format: "%.3f", time)) "
                + "| \(verdict ?? "") | \(ratio(copy)) | \(ratio(joined)) "
                + "| \(String(format: "%.3f", whole)) | \(String(format: "%.3f", deflating)) |")
    }

    /// Returns the page, split before each tag. Joining the pieces is the least work that any rendering does, so its time is
    /// the lower bound.
    private static func pieces(of bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "<").map { "<" + $0 }
    }

    private static func joinPieces(_ pieces: [String]) -> String {
        var text = ""
        for piece in pieces { text += piece }
        return text
    }

    /// Returns the median time of a call in milliseconds. Calls at least 31 times, and for at least half a second.
    private static func median(_ body: () throws -> Int) throws -> Double {
        var times: [Duration] = []
        var sum = 0
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(500)
        repeat {
            times.append(try clock.measure { sum &+= try body() })
        } while times.count < 31
            || clock.now < end
        guard sum > 0 else { throw Failure("nothing was rendered") }
        return times.sorted()[times.count / 2] / .milliseconds(1)
    }
}

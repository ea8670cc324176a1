import Foundation
import LeakStore

/// Measures the list and one leak with growing numbers of leaks and reports. The baseline is the read of one row of the same
/// file.
enum ReadBench {
    static func measure() throws {
        print(
            "\n| leaks | reports | a row ms | " + orders.map { "by \($0.rawValue)" }.joined(separator: " | ")
                + " | tenth page | one leak | overview |")
        print("|---|---|---|" + String(repeating: "---|", count: orders.count + 3))
        for leaks in [10, 1_000, 100_000] {
            let folder = try Folder()
            var load = Submissions(leaks: leaks)
            let time = Int64(Date().timeIntervalSince1970 * 1000)
            var reports = 0
            for start in stride(from: 0, to: leaks, by: 1_000) {
                let ranks = start..<min(start + 1_000, leaks)
                let at = time - Int64(leaks - start)
                _ = try folder.store.count([load.batch(of: ranks.count, ranks: ranks, at: at)], now: at)
                reports += ranks.count
            }
            try printRow(folder, leaks: leaks, reports: reports, now: time)
            // Adds reports until there are ten per leak, and at least 100,000.
            while reports < 10 * max(leaks, 10_000) {
                let batches = (0..<64).map { _ in load.batch(of: 100, at: time) }
                var rest = batches[...]
                while !rest.isEmpty {
                    rest = rest.dropFirst(try folder.store.count(Array(rest), now: time).count)
                }
                reports += 6_400
            }
            try printRow(folder, leaks: leaks, reports: reports, now: time)
        }
    }

    private static let orders = LeakQuery.Sort.allCases

    private static func printRow(_ folder: Folder, leaks: Int, reports: Int, now: Int64) throws {
        let reader = try folder.store.makeReader()
        var times = [try median { try reader.ping() }]
        var first: LeakID?
        for order in orders {
            var query = LeakQuery()
            query.sort = order
            times.append(
                try median {
                    let page = try reader.leaks(query, now: now)
                    first = page.leaks.first?.identity.id
                })
        }
        // The tenth page, because people hardly go further.
        var query = LeakQuery()
        for _ in 0..<9 { query.cursor = try reader.leaks(query, now: now).next ?? query.cursor }
        times.append(try median { _ = try reader.leaks(query, now: now) })
        times.append(try median { _ = try first.map { try reader.leak($0, now: now) } })
        times.append(try median { _ = try reader.overview(app: nil, now: now) })
        print(
            "| \(leaks) | \(reports) | "
                + times.map { String(format: "%.3f", $0) }.joined(separator: " | ") + " |")
    }

    /// Returns the median time of a call in milliseconds.
    private static func median(_ body: () throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<31 {
            let start = ContinuousClock.now
            try body()
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return times.sorted()[15]
    }
}

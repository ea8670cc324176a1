import LeakStore
import Testing

/// Several collectors that share a store. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoreSharingTests {
    let place = StoreLocation()

    /// Returns a batch that reached a collector, with the answer that this collector would give.
    private func batch(_ key: Int, for collector: Int) -> Submission {
        var batch = submission([Report(leak: leak("Page"), install: UInt64(key))], key: "k\(key)")
        batch.response = Array("from \(collector)".utf8)
        return batch
    }

    @Test
    func
        `a batch that two collectors receive at the same time counts once, and both give the first response`()
        throws
    {
        let keys = 30
        let place = place
        _ = try place.store()
        let receipts = try runTogether(2) { collector in
            let store = try place.store()
            return try (0..<keys).map { try store.count([batch($0, for: collector)], now: noon)[0] }
        }
        for key in 0..<keys {
            let pair = [receipts[0][key], receipts[1][key]]
            let first = try #require(pair.firstIndex(of: .counted), "\(pair)")
            #expect(pair[1 - first] == .repeated(response: Array("from \(first)".utf8)))
        }
        let store = try place.store()
        let page = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        #expect((page.row.reports, page.row.installs) == (keys, keys))
        #expect(try store.verify() == [])
    }

    /// Repeats a call as senders do, while other collectors come in between in each of its attempts. Such a call changed nothing.
    private static func retry(_ body: () throws(StoreError) -> Void) throws {
        while true {
            do throws(StoreError) {
                return try body()
            } catch {
                guard error.reason == .locked else { throw error }
            }
        }
    }

    @Test func `no report is lost while one collector merges leaks and two other collectors count reports`()
        throws
    {
        let rounds = 40
        let place = place
        _ = try place.store()
        let leaks = (0..<4).map { leak("Page", stack: ["S\($0)"]) }
        _ = try runTogether(3) { number in
            let store = try place.store()
            for round in 0..<rounds {
                if number == 2 {
                    try Self.retry { () throws(StoreError) in
                        _ = try store.merge(
                            [leaks[round % 4].id, leaks[(round + 1) % 4].id], into: leaks[(round + 2) % 4],
                            by: "r", now: noon, note: { _ in "merged" })
                    }
                } else {
                    let reports = leaks.map {
                        Report(
                            leak: $0, version: "1.\(round % 3)", build: "\(round % 2)",
                            install: UInt64(number * 1_000 + round))
                    }
                    try Self.retry { () throws(StoreError) in
                        #expect(try store.count([submission(reports)], now: noon) == [.counted])
                    }
                }
            }
        }
        let store = try place.store()
        #expect(try store.verify() == [])
        let overview = try store.makeReader().overview(app: "shop", now: noon)
        #expect(overview.reports == 2 * rounds * leaks.count && overview.recentInstalls == 2 * rounds)
        _ = try store.merge(leaks.map(\.id), into: leaks[0], by: "r", now: noon, note: { _ in "merged" })
        let row = try #require(try store.makeReader().leak(leaks[0].id, now: noon)).row
        #expect(row.reports == 2 * rounds * leaks.count && row.installs == 2 * rounds)
        #expect(try store.verify() == [])
    }

    @Test
    func `an erased install that reports again is counted, even by a collector that has it in its caches`()
        throws
    {
        let (one, other) = (try place.store(), try place.store())
        let reports = submission([1, 2].map { Report(leak: leak("Page"), install: $0) })
        for _ in 0..<2 { _ = try other.count([reports], now: noon) }
        #expect(try one.erase(install: 1).sets > 0)
        let reader = try one.makeReader()
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.installs == 1)
        #expect(try reader.samples(of: leak("Page").id)?.contains { $0.origin.install == "i1" } == false)
        _ = try other.count([reports], now: noon)
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.installs == 2)
        #expect(try reader.overview(app: "shop", now: noon).recentInstalls == 2)
        #expect(try one.verify() == [])
    }
}

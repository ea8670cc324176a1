import LeakStore
import Testing

/// The rows that count a leak, in every store.
@Suite struct StoreBuildRowTests {
    let place = StoreLocation()

    @Test func `a leak has one row of counts for each build of a version in its environment`() throws {
        // Logged counts are written to their tables when the other writer commits, and by reads, merges and expiry.
        let writers = [try place.store(), try place.store()]
        let reader = try writers[0].makeReader()
        let (page, cart, debug) = (leak("Page"), leak("Cart"), leak("Page", environment: "debug"))
        var expected: [String: Int] = [:]
        for round in 0..<48 {
            let (version, build) = ("1.\(round % 3)", ["7", "8", nil][round % 7 % 3])
            for leak in [page, cart, debug] {
                let report = Report(leak: leak, version: version, build: build, install: UInt64(round % 5))
                #expect(try writers[round % 2].count([submission([report])], now: noon) == [.counted])
            }
            expected["\(version) \(build ?? "")", default: 0] += 1
            if round % 8 == 3 { _ = try reader.leak(page.id, now: noon) }
            if round % 16 == 15 {
                let merge = try writers[1].merge(
                    [cart.id], into: page, by: "regroup", now: noon, note: { _ in "merged" })
                #expect(merge?.sources.map(\.reports) == [16])
                try writers[0].expire(now: noon)
            }
        }
        for (leak, factor) in [(page, 2), (debug, 1)] {
            let rows = try #require(try reader.leak(leak.id, now: noon)).versions
            #expect(rows.count == expected.count)
            for row in rows {
                #expect(row.reports == factor * (expected["\(row.version) \(row.build ?? "")"] ?? 0))
            }
        }
        #expect(try writers[0].verify() == [])
    }
}

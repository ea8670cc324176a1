import LeakSeededRandom
import LeakStore
import Testing

/// Numbers of installs that are estimates, in every store.
@Suite struct StoreInstallCountTests {
    let place = StoreLocation()

    /// Returns random installs, at least 300, whose estimated number is greater than their number.
    private static func overestimatedInstalls() -> [UInt64] {
        var random = SeededRandom(seed: 7)
        var (installs, set) = ([UInt64](), InstallSet())
        while installs.count < 300 || set.count <= installs.count {
            installs.append(random.next())
            _ = set.insert(installs[installs.count - 1])
        }
        return installs
    }

    @Test func `an estimate of installs is never greater than the number of reports`() throws {
        let store = try place.store()
        let page = leak("Page")
        let installs = Self.overestimatedInstalls()
        let reports = installs.map { Report(leak: page, build: "7", install: $0) }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
        let reader = try store.makeReader()
        let count = installs.count
        for (version, period) in [(nil, nil), ("1.0", nil), (nil, .day), ("1.0", .week)]
            as [(String?, Period?)]
        {
            var query = LeakQuery()
            (query.version, query.period) = (version, period)
            let row = try reader.leaks(query, now: noon).leaks.first
            #expect(row?.reports == count && row?.installs == count, "\(row?.installs ?? 0)")
            #expect(row?.impact ?? .max <= count)
        }
        let detail = try reader.leak(page.id, now: noon)
        #expect(detail?.row.installs == count)
        #expect(
            detail?.versions.map(\.installs) == [count] && detail?.versions.map(\.versionInstalls) == [count])
        #expect(try reader.leakClass("Page", app: nil, now: noon)?.installs == count)
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.recentInstalls == count && overview.recentReports == count)
        #expect(try reader.releases(app: "shop").map(\.installs) == [count])
        #expect(try store.verify() == [])
    }
}

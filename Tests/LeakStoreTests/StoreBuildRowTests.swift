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

    // MARK: The build in which a leak is new

    private let page = leak("Page")

    private func count(_ reports: Report..., in store: any Store) throws {
        for report in reports { _ = try store.count([submission([report])], now: noon) }
        #expect(try store.verify() == [])
    }

    /// Counts a session of a build of version 5.4.0.
    private func countSession(build: String?, in store: any Store) throws {
        var usage = usage(of: "5.4.0", reports: 0, sessions: 1)
        for index in usage.usageCounts.indices { usage.usageCounts[index].build = build }
        _ = try store.count([usage], now: noon)
    }

    /// Returns the version and the build in which a leak is new, on its page and in the list.
    private func firstRelease(_ leak: LeakIdentity? = nil, in store: any Store) throws -> String {
        let id = (leak ?? page).id
        let reader = try store.makeReader()
        let row = try #require(try reader.leak(id, now: noon)).row
        let listed = try reader.leaks(LeakQuery(), now: noon).leaks.first { $0.identity.id == id }
        #expect(listed?.newInBuild == row.newInBuild && listed?.firstVersion == row.firstVersion)
        return "\(row.firstVersion) \(row.newInBuild ?? "-")"
    }

    @Test
    func `a leak is new in the build that has it if a lower build of the version was in use without it`()
        throws
    {
        let store = try place.store()
        try countSession(build: "892", in: store)
        try count(Report(leak: page, version: "5.4.0", build: "1000"), in: store)
        #expect(try firstRelease(in: store) == "5.4.0 1000")
        try count(Report(leak: page, version: "5.4.0", build: "895"), in: store)
        try count(Report(leak: page, version: "5.4.0", build: "896"), in: store)
        try count(Report(leak: page, version: "5.5.0", build: "7"), in: store)
        #expect(try firstRelease(in: store) == "5.4.0 895")
        #expect(try firstRelease(in: place.store()) == "5.4.0 895")
        // Another collector, with empty caches, counts the next reports.
        try count(Report(leak: page, version: "5.4.0", build: "892"), in: place.store())
        #expect(try firstRelease(in: store) == "5.4.0 -")
        try count(Report(leak: page, version: "5.3.0", build: "800"), in: store)
        #expect(try firstRelease(in: store) == "5.3.0 -")
    }

    @Test(arguments: ["local", nil])
    func `no build is named if a report of the version with the leak names no build or one without a number`(
        build: String?
    ) throws {
        let store = try place.store()
        try countSession(build: build, in: store)
        try count(Report(leak: page, version: "5.4.0", build: "895"), in: store)
        // The version was in use before, but not with a build that is known to be lower.
        #expect(try firstRelease(in: store) == "5.4.0 -")
        let other = leak("Other")
        try count(Report(leak: other, version: "5.4.0", build: "896"), in: store)
        #expect(try firstRelease(other, in: store) == "5.4.0 896")
        try count(Report(leak: other, version: "5.4.0", build: build), in: store)
        #expect(try firstRelease(other, in: store) == "5.4.0 -")
    }

    @Test
    func `a lower build that is first used after the leak was seen does not make the leak new in a build`()
        throws
    {
        let store = try place.store()
        try count(Report(leak: page, version: "5.4.0", build: "895"), in: store)
        try countSession(build: "892", in: store)
        #expect(try firstRelease(in: store) == "5.4.0 -")
    }

    @Test(arguments: [["892", "895", "896"], ["896", "895", "892"], ["895", "896", "892"]])
    func `the lowest of several new builds in one request counts as used first, in any order of the reports`(
        builds: [String]
    ) throws {
        let store = try place.store()
        let reports = builds.map { build in
            Report(leak: build == "892" ? leak("Other") : page, version: "5.4.0", build: build)
        }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
        #expect(try store.verify() == [])
        #expect(try firstRelease(in: store) == "5.4.0 895")
        #expect(try firstRelease(leak("Other"), in: store) == "5.4.0 -")
    }

    @Test func `a merged leak is new in the lowest build of its parts`() throws {
        let store = try place.store()
        let parts = ["A", "B", "C"].map { leak($0) }
        try countSession(build: "892", in: store)
        for (part, build) in zip(parts, ["896", "895", "892"]) {
            try count(Report(leak: part, version: "5.4.0", build: build), in: store)
        }
        for (sources, release) in [([parts[0], parts[1]], "5.4.0 895"), ([parts[2]], "5.4.0 -")] {
            _ = try store.merge(
                sources.map(\.id), into: page, by: "regroup", now: noon, note: { _ in "merged" })
            #expect(try store.verify() == [])
            #expect(try firstRelease(in: store) == release)
        }
    }
}

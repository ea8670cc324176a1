import LeakStore
import Testing

/// The newest version of an app in every store. A second store runs the same tests.
@Suite struct StoreNewestVersionTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func count(
        _ version: String, _ name: String = "Page", installs: [UInt64] = [], reports: Int = 1,
        sessions: Int = 0
    ) throws {
        var batch = submission(
            installs.map { Report(leak: leak(name), version: version, install: $0, count: reports) })
        if sessions > 0 {
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, sessions: sessions, leakySessions: 0,
                    checks: [:])
            ]
        }
        #expect(try store.count([batch], now: noon) == [.counted])
    }

    /// Returns the newest version, and checks that all readers agree.
    private func newest() throws -> String? {
        let reader = try store.makeReader()
        let newest = try reader.overview(app: "shop", now: noon).newest?.version
        #expect(try reader.overview(app: nil, now: noon).newest?.version == newest)
        #expect(try reader.appSummaries().map(\.newestVersion) == [newest])
        #expect(try reader.releases(app: "shop").filter(\.isNewest).map(\.version) == [newest])
        #expect(try store.verify() == [])
        return newest
    }

    @Test func `one device makes no version the newest, two do`() throws {
        try count("5.2", installs: [1, 2])
        try count("999.0", installs: [7], reports: 500)
        #expect(try newest() == "5.2")
        try count("999.0", installs: [7])
        #expect(try newest() == "5.2")
        try count("5.3", installs: [3])
        #expect(try newest() == "5.2")
        try count("5.3", "Other", installs: [4])
        #expect(try newest() == "5.3")
        try count("999.0", installs: [8])
        #expect(try newest() == "999.0")
    }

    @Test func `a version without leaks is the newest with its sessions`() throws {
        try count("5.2", installs: [1, 2])
        try count("5.3", sessions: 99)
        #expect(try newest() == "5.2")
        try count("5.3", sessions: 1)
        #expect(try newest() == "5.3")
    }

    @Test func `as long as all are of one device the highest is the newest`() throws {
        try count("1.0", installs: [1])
        #expect(try newest() == "1.0")
        try count("unknown", installs: [1])
        #expect(try newest() == "1.0")
        try count("1.1", sessions: 1)
        #expect(try newest() == "1.1")
        // A text without a number may be of any age, however many installs have it.
        try count("unknown", installs: [1, 2, 3])
        #expect(try newest() == "1.1")
        // A version in the field precedes a higher version that is not in the field.
        try count("1.0", installs: [2])
        #expect(try newest() == "1.0")
    }

    @Test(arguments: [1, 2]) func `versions of one commit are chosen among at its end`(stores: Int) throws {
        let batch = submission(
            [("2.0", 1), ("2.0", 2), ("3.0", 1), ("1.0", 1), ("1.0", 2)].map { version, install in
                Report(leak: leak("Page"), version: version, install: install)
            })
        for _ in 0..<stores { _ = try place.store().count([batch], now: noon) }
        #expect(try newest() == "2.0")
    }

    @Test func `where the newest has no sessions the last below it that has some is told`() throws {
        func told(_ app: AppScope) throws -> (previous: String?, last: VersionSessions?) {
            let overview = try store.makeReader().overview(app: app, now: noon)
            return (overview.previous?.version, overview.lastSessions)
        }
        for version in ["4.0", "5.0", "5.1", "5.2"] { try count(version, installs: [1, 2]) }
        #expect(try newest() == "5.2")
        #expect(try told("shop") == ("5.1", nil))
        // A version above the newest does not count: it is not in the field.
        try count("6.0", sessions: 1)
        #expect(try told("shop") == ("5.1", nil))
        try count("3.0", sessions: 2)
        try count("4.0", sessions: 4)
        for app in ["shop", nil] as [AppScope] {
            #expect(
                try told(app)
                    == ("5.1", VersionSessions(version: "4.0", sessions: 4, leakySessions: 0)))
        }
        try count("5.1", sessions: 3)
        #expect(
            try told("shop") == ("5.1", VersionSessions(version: "5.1", sessions: 3, leakySessions: 0)))
        try count("5.2", sessions: 1)
        #expect(try told("shop") == ("5.1", nil))
        #expect(try store.makeReader().overview(app: "none", now: noon).lastSessions == nil)
    }

    @Test func `leaks are new, ranked and mended by the newest version`() throws {
        try count("1.0", "Old", installs: [1, 2, 3])
        try count("2.0", "Old", installs: [1])
        try count("2.0", "New", installs: [1, 2])
        try count("9.0", "Odd", installs: [5], reports: 50)
        let reader = try store.makeReader()
        #expect(try newest() == "2.0")
        #expect(try reader.overview(app: "shop", now: noon).newLeakTitles == ["New"])
        #expect(try reader.overview(app: "shop", now: noon).previous?.version == "1.0")
        let page = try reader.leaks(LeakQuery(), now: noon)
        #expect(page.leaks.map(\.identity.title) == ["New", "Old", "Odd"])
        #expect(page.leaks.map(\.isNew) == [true, false, false])
        let next = try #require(
            try store.decide(
                Decision(.resolve(.nextVersion), by: "ada"), about: leak("Old").id, now: noon))
        #expect(next.action == .resolved(version: "2.0", isAfter: true))
        #expect(try reader.leak(leak("Old").id, now: noon)?.row.state == .resolved)
        try count("2.1", "Old", installs: [1])
        #expect(try reader.leak(leak("Old").id, now: noon)?.row.state == .regressed)
        #expect(try newest() == "2.0")
    }

    @Test(arguments: [(.newestVersion, false), (.nextVersion, true)] as [(Decision.Fix, Bool)])
    func `a leak of a version that is hardly out is mended in that one, or after it`(
        fix: Decision.Fix, isAfter: Bool
    ) throws {
        try count("1.10", "Page", installs: [1, 2, 3])
        try count("1.11", "Page", installs: [1])
        #expect(try newest() == "1.10")
        let mended = try #require(
            try store.decide(Decision(.resolve(fix), by: "ada"), about: leak("Page").id, now: noon))
        #expect(mended.action == .resolved(version: "1.11", isAfter: isAfter))
        try count("1.11", "Page", installs: [4])
        let state = try #require(try store.makeReader().leak(leak("Page").id, now: noon)).row.state
        #expect(state == (isAfter ? .resolved : .regressed))
    }

    @Test func `when an install is erased, what it made the newest is that no more`() throws {
        try count("1.0", "Old", installs: [1, 2])
        try count("2.0", "New", installs: [2, 3])
        #expect(try newest() == "2.0")
        _ = try store.erase(install: 3)
        #expect(try newest() == "1.0")
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.isNew) == [true, false])
        try count("2.0", "New", installs: [4])
        #expect(try newest() == "2.0")
    }

    @Test func `apps are told with their newest version and last report, the last seen first`() throws {
        let reader = try store.makeReader()
        #expect(try reader.appSummaries() == [])
        for (app, version, at) in [("a", "1.0", 3), ("b", "2.0", 1), ("a", "0.9", 2)]
            as [(String, String, Int64)]
        {
            _ = try store.count(
                [
                    submission(
                        [Report(leak: leak("P", app: app), version: version, at: noon + at)], at: noon + at)
                ],
                now: noon + at)
        }
        var dropped = submission(at: noon + 9)
        dropped.dropped = [Submission.Dropped(app: "c", reason: "budget", count: 1)]
        _ = try store.count([dropped], now: noon + 9)
        #expect(
            try reader.appSummaries() == [
                AppSummary(id: "c", newestVersion: nil, lastSeen: noon + 9),
                AppSummary(id: "a", newestVersion: "1.0", lastSeen: noon + 3),
                AppSummary(id: "b", newestVersion: "2.0", lastSeen: noon + 1),
            ])
        #expect(try reader.appSummaries().map(\.id) == reader.apps())
    }
}

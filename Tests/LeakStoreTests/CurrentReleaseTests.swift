import LeakStore
import Testing

/// The current release of an app in every store, the previous version, and results that depend on them. ``StoreLocation``
/// chooses SQLite or PostgreSQL. A version has adoption if it has at least 5 % of the sessions in the last 24 hours with
/// sessions, and at least 100 sessions.
@Suite struct CurrentReleaseTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    /// - Parameter senders: the installs that send the sessions, in equal parts.
    private func count(
        _ version: String, _ name: String = "Page", installs: [UInt64] = [], reports: Int = 1,
        sessions: Int = 0, from senders: [UInt64?] = [1, 2], at now: Int64 = noon
    ) throws {
        let installs: [UInt64?] = installs.isEmpty && sessions == 0 ? [nil] : installs
        var batch = submission(
            installs.flatMap {
                [Report](
                    repeating: Report(leak: leak(name), version: version, install: $0, at: now),
                    count: reports)
            },
            at: now)
        if sessions > 0 {
            batch.usageCounts = senders.enumerated().map { index, sender in
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, installHash: sender,
                    sessions: (sessions + index) / senders.count, leakySessions: 0, checks: [:])
            }
        }
        #expect(try store.count([batch], now: now) == [.counted])
    }

    /// Returns the current release, and checks that all queries return the same release.
    private func currentVersion() throws -> String? {
        let reader = try store.makeReader()
        let current = try reader.overview(app: "shop", now: noon).currentRelease?.version
        #expect(try reader.overview(app: nil, now: noon).currentRelease?.version == current)
        #expect(try reader.appSummaries().map(\.currentRelease) == [current])
        #expect(try reader.releases(app: "shop").filter(\.isCurrent).map(\.version) == [current])
        #expect(try store.verify() == [])
        return current
    }

    @Test(
        arguments: [
            ([("5.2", 1_000), ("5.3", 99)], "5.2"), ([("5.2", 1_000), ("5.3", 100)], "5.3"),
            ([("5.2", 9_500), ("5.3", 499)], "5.2"), ([("5.2", 9_500), ("5.3", 500)], "5.3"),
            // Two versions with adoption: the higher version is current.
            ([("5.2", 9_000), ("5.3", 500)], "5.3"),
            // The current release stays until it has less than 3 % of the sessions, or less than 100 sessions.
            ([("5.3", 300), ("5.2", 9_701)], "5.2"), ([("5.3", 300), ("5.2", 9_700)], "5.3"),
            ([("5.3", 99), ("5.2", 100)], "5.2"), ([("5.3", 60), ("5.2", 99)], "5.2"),
            // If no version has 100 sessions, the most used version is current, or the higher of two equally used versions.
            ([("5.2", 59), ("5.3", 5)], "5.2"), ([("5.2", 59), ("5.3", 59)], "5.3"),
            ([("5.2", 59), ("999.0-dev", 1)], "5.2"),
            // The version `unknown` is current only if there is no other version, and the version `other` never is.
            ([("unknown", 9_000), ("1.0", 9)], "1.0"), ([("other", 9_000), ("1.0", 9)], "1.0"),
            ([("unknown", 900)], "unknown"), ([("other", 9_000), ("beta", 9)], "beta"),
            // A version with a number is higher than a version without one, but also needs adoption to be current.
            ([("nightly-aa", 5_000), ("1.0", 9)], "nightly-aa"),
            ([("nightly-aa", 900), ("1.0", 100)], "1.0"),
        ] as [([(String, Int)], String)])
    func `the current release is the highest version with at least 5 % of the sessions and 100 sessions`(
        counts: [(version: String, sessions: Int)], current: String
    ) throws {
        for (version, sessions) in counts { try count(version, installs: [1, 2, 3], sessions: sessions) }
        #expect(try currentVersion() == current)
    }

    @Test func `reports decide the current release as long as most senders report no sessions`() throws {
        try count("5.2", reports: 100)
        try count("999.0-dev", installs: [7, 8])
        #expect(try currentVersion() == "5.2")
        try count("5.3", reports: 100)
        #expect(try currentVersion() == "5.3")
        var adoption = try adoptions()
        #expect(adoption.map(\.isOfReports) == [true, true, true] && adoption.map(\.count) == [2, 100, 100])
        #expect(adoption.map(\.total) == [202, 202, 202])
        try count("999.0-dev", sessions: 1)
        #expect(try currentVersion() == "5.3")
        adoption = try adoptions()
        #expect(adoption.map(\.isOfReports) == [true, true, true])
        try count("5.2", sessions: 20)
        #expect(try currentVersion() == "5.2")
        adoption = try adoptions()
        #expect(adoption.map(\.isOfReports) == [false, false, false] && adoption.map(\.count) == [1, 0, 20])
        #expect(adoption.map(\.until) == [Int64](repeating: noon + hour, count: 3))
    }

    private func adoptions() throws -> [ReleaseSummary.Adoption] {
        try store.makeReader().releases(app: "shop").compactMap(\.adoption)
    }

    @Test func `a version out of use is not current, and a version in use again is current`() throws {
        try count("5.2", sessions: 500)
        try count("6.0", sessions: 500)
        #expect(try currentVersion() == "6.0")
        // 6.0 was withdrawn.
        for hours in 1...23 { try count("5.2", sessions: 1_000, at: noon + Int64(hours) * hour) }
        #expect(try currentVersion() == "5.2")
        try count("6.0", sessions: 1_500, at: noon + 23 * hour)
        #expect(try currentVersion() == "6.0" && adoptions().map(\.count) == [2_000, 23_500])
        // Only the last 24 hours that had sessions count.
        try count("5.2", sessions: 1, at: noon + 24 * hour)
        #expect(try currentVersion() == "6.0" && adoptions().map(\.count) == [1_500, 23_001])
    }

    @Test
    func `after days without sessions the current release stays even if a developer's build is used first`()
        throws
    {
        for hours in 0..<24 { try count("5.2", sessions: 100, at: noon + Int64(hours) * hour) }
        // Two days after the last session, a developer's build sends sessions. Later a batch without sessions arrives.
        try count("6.0-dev", sessions: 2, at: noon + 3 * day)
        #expect(try currentVersion() == "5.2" && adoptions().map(\.count) == [2, 2_300])
        var checks = submission(at: noon + 20 * day)
        checks.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "5.2", build: nil, sessions: 0, leakySessions: 0, checks: ["Page": 9])
        ]
        #expect(try store.count([checks], now: noon + 20 * day) == [.counted])
        #expect(try currentVersion() == "5.2" && adoptions().map(\.count) == [2, 2_300])
        // The current release does not change while nothing arrives. Hours older than 30 days do not count any more.
        try store.expire(now: noon + 32 * day)
        #expect(try currentVersion() == "5.2")
        try count("5.3", sessions: 1, at: noon + 32 * day)
        #expect(try currentVersion() == "6.0-dev" && adoptions().map(\.count) == [2, 1, 0])
    }

    @Test
    func
        `if the clock is set back, hours up to one hour ahead of it still count, and later hours are deleted`()
        throws
    {
        try count("5.2", sessions: 100)
        // The clocks of two collectors may differ by up to an hour.
        try count("6.0", sessions: 100, at: noon + hour)
        try count("5.2", sessions: 1)
        #expect(try currentVersion() == "6.0" && adoptions().map(\.count) == [100, 101])
        try count("7.0", sessions: 100, at: noon + 5 * hour)
        #expect(try currentVersion() == "7.0")
        try count("5.2", sessions: 1)
        #expect(try currentVersion() == "6.0" && adoptions().map(\.count) == [0, 100, 102])
    }

    @Test func `after a clock that was far ahead is corrected, the hours from that clock do not count`()
        throws
    {
        for hours in 0..<24 { try count("7.0", sessions: 100, at: noon + (60 * 24 + Int64(hours)) * hour) }
        #expect(try currentVersion() == "7.0")
        try count("5.2", sessions: 100)
        #expect(try currentVersion() == "5.2")
    }

    @Test
    func `a version that only one install uses is not current while several installs use another version`()
        throws
    {
        try count("5.2", installs: [1], sessions: 20)
        for _ in 0..<2 { try count("6.0", installs: [7], sessions: 100, from: [7]) }
        #expect(try currentVersion() == "5.2")
        // Nor is a version that only senders without install ids use, as long as installs with ids use a version with adoption.
        try count("5.2", sessions: 100)
        try count("6.1", sessions: 1_000, from: [nil])
        #expect(try currentVersion() == "5.2")
        try count("6.0", installs: [8], at: noon - 9 * hour)
        #expect(try currentVersion() == "6.0")
    }

    @Test
    func `a version of two installs with ids is not current while senders without ids use another version`()
        throws
    {
        try count("5.2", sessions: 100, from: [nil])
        try count("6.0", sessions: 1, from: [7])
        #expect(try currentVersion() == "5.2")
        // A second developer uses the version.
        try count("6.0", sessions: 1, from: [8])
        #expect(try currentVersion() == "5.2")
        try count("5.3", sessions: 100, from: [nil])
        #expect(try currentVersion() == "5.3")
    }

    @Test func `if each version is used by only one install, the highest version with adoption is current`()
        throws
    {
        try count("5.2", sessions: 200, from: [7])
        try count("5.3", sessions: 99, from: [8])
        #expect(try currentVersion() == "5.2")
        try count("5.3", sessions: 1, from: [8])
        #expect(try currentVersion() == "5.3")
    }

    @Test func `a report with a count of 100,000 counts once, so that it does not outweigh sessions`()
        throws
    {
        try count("5.2", sessions: 2_000)
        try count("4.0", installs: [1, 2], sessions: 4)
        let report = Report(leak: leak("Page"), version: "4.0", install: 1, count: 100_000)
        #expect(try store.count([submission([report])], now: noon) == [.counted])
        #expect(try currentVersion() == "5.2")
    }

    @Test func `sessions and reports that arrive late count in the hour in which they began or were made`()
        throws
    {
        for hours in 0..<24 { try count("5.2", sessions: 10, at: noon + Int64(hours) * hour) }
        let now = noon + 23 * hour
        // The devices were offline for a week, and the reports are imported.
        var late = submission(
            (1...9).map {
                Report(leak: leak("Page"), version: "6.0", install: $0, at: now - 7 * day, count: 900)
            },
            at: now)
        late.usageCounts = [1, 2].map { (install: UInt64) in
            var usage = Submission.UsageCounts(
                app: "shop", version: "6.0", build: nil, installHash: install, sessions: 900,
                leakySessions: 0, checks: [:])
            usage.earlierSessions = [Calendar.hour(of: now - 7 * day): 800, Calendar.hour(of: noon): 98]
            return usage
        }
        #expect(try store.count([late], now: now) == [.counted])
        #expect(try currentVersion() == "6.0" && adoptions().map(\.count) == [200, 240])
        #expect(try adoptions().map(\.until) == [now + hour, now + hour])
    }

    @Test func `a pinned release is current until it is unpinned`() throws {
        try count("5.2", installs: [1], sessions: 500)
        // 5.3 has 3.8 % of the sessions: too few to become current, and enough for a current release to stay current.
        try count("5.3", installs: [1, 2], sessions: 20)
        #expect(try currentVersion() == "5.2")
        #expect(try store.pin("5.3", of: "shop"))
        #expect(try currentVersion() == "5.3")
        try count("5.2", sessions: 500)
        #expect(try currentVersion() == "5.3")
        let reader = try store.makeReader()
        #expect(try reader.releases(app: "shop").map(\.isPinned) == [true, false])
        let pin = ReleaseSummary.Pin(by: "ada", at: noon)
        #expect(try reader.releases(app: "shop").map(\.pin) == [pin, nil])
        #expect(try reader.leaks(LeakQuery(), now: noon).leaks.map(\.impact) == [2])
        #expect(try !store.pin("5.4", of: "shop") && !store.pin("5.3", of: AppKey("shop", environment: "ci")))
        #expect(try !store.pin(nil, of: "none") && currentVersion() == "5.3")
        #expect(try place.store().pin(nil, of: "shop"))
        #expect(try currentVersion() == "5.2")
        #expect(try reader.releases(app: "shop").map(\.isPinned) == [false, false])
        #expect(try reader.releases(app: "shop").map(\.pin) == [nil, nil])
        #expect(try reader.leaks(LeakQuery(), now: noon).leaks.map(\.impact) == [1])
    }

    @Test func `the previous version is the highest earlier version that was in use`() throws {
        try count("5.0", installs: Array(1...60), sessions: 900)
        // Two developers use 5.1. The current release, 5.3, has sessions.
        try count("5.1", installs: [1, 2], sessions: 9)
        try count("5.3", installs: [1], sessions: 1_000)
        #expect(try previousVersion() == "5.0")
        try count("5.2", sessions: 100)
        #expect(try previousVersion() == "5.2")
    }

    private func previousVersion() throws -> String? {
        #expect(try currentVersion() == "5.3")
        return try store.makeReader().overview(app: "shop", now: noon).previousRelease?.version
    }

    @Test(arguments: [1, 2])
    func `the current release is chosen at the end of a commit with several versions`(stores: Int) throws {
        let batch = submission(
            [("2.0", 1), ("2.0", 2), ("3.0", 1), ("1.0", 1), ("1.0", 2)].map { version, install in
                Report(leak: leak("Page"), version: version, install: install)
            })
        for _ in 0..<stores { _ = try place.store().count([batch], now: noon) }
        #expect(try currentVersion() == "2.0")
    }

    @Test
    func `if the current release has no sessions, the overview has the highest lower version with sessions`()
        throws
    {
        func readPreviousAndLast(_ app: AppScope) throws -> (previous: String?, last: VersionSessions?) {
            let overview = try store.makeReader().overview(app: app, now: noon)
            return (overview.previousRelease?.version, overview.lastSessions)
        }
        for version in ["4.0", "5.0", "5.1", "5.2"] { try count(version, installs: [1, 2]) }
        #expect(try store.pin("5.2", of: "shop"))
        #expect(try readPreviousAndLast("shop") == ("5.1", nil))
        // A version above the current release does not count.
        try count("6.0", sessions: 1)
        #expect(try readPreviousAndLast("shop") == ("5.1", nil))
        try count("3.0", sessions: 2)
        try count("4.0", sessions: 4)
        for app in ["shop", nil] as [AppScope] {
            #expect(
                try readPreviousAndLast(app)
                    == ("5.1", VersionSessions(version: "4.0", sessions: 4, leakySessions: 0)))
        }
        try count("5.1", sessions: 3)
        #expect(
            try readPreviousAndLast("shop") == (
                "5.1", VersionSessions(version: "5.1", sessions: 3, leakySessions: 0)
            ))
        try count("5.2", sessions: 1)
        #expect(try readPreviousAndLast("shop") == ("5.1", nil))
        #expect(try store.makeReader().overview(app: "none", now: noon).lastSessions == nil)
    }

    @Test func `the current release decides which leaks are new and fixed, and how leaks are ranked`()
        throws
    {
        try count("1.0", "Old", installs: [1, 2, 3])
        try count("2.0", "Old", installs: [1])
        try count("2.0", "New", installs: [1, 2], sessions: 200)
        try count("9.0", "Odd", installs: [5], reports: 50, sessions: 5)
        let reader = try store.makeReader()
        #expect(try currentVersion() == "2.0")
        #expect(try reader.overview(app: "shop", now: noon).newLeakTitles == ["New"])
        #expect(try reader.overview(app: "shop", now: noon).previousRelease?.version == "1.0")
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
        #expect(try currentVersion() == "2.0")
    }

    @Test
    func `if a release in rollout has the leak, a fix in the next version comes after that release`() throws {
        try count("1.0", "Other", installs: [1, 2, 3], sessions: 500)
        try count("2.0", installs: [4, 5], sessions: 10)
        #expect(try currentVersion() == "1.0")
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        #expect(detail.referenceVersion == "2.0")
        let mended = try #require(
            try store.decide(
                Decision(.resolve(.nextVersion), by: "ada"), about: leak("Page").id, now: noon))
        #expect(mended.action == .resolved(version: "2.0", isAfter: true))
        try count("2.0", installs: [6])
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.state == .resolved)
    }

    @Test(arguments: [(40, "2.0"), (41, "1.0")])
    func `the next version follows a higher version with 5 % of the installs, unless a release is pinned`(
        installs: Int, reference: String
    ) throws {
        try count("1.0", installs: (1...UInt64(installs)).map(\.self), sessions: 500)
        // Two developers use 2.0.
        try count("2.0", installs: [900, 901], sessions: 2)
        func references() throws -> [String?] {
            let decision = try store.decide(
                Decision(.resolve(.nextVersion), by: "ada"), about: leak("Page").id, now: noon)
            guard case .resolved(let version, _, true) = decision?.action else { return [] }
            return [version, try store.makeReader().leak(leak("Page").id, now: noon)?.referenceVersion]
        }
        #expect(try currentVersion() == "1.0" && references() == [reference, reference])
        #expect(try store.pin("1.0", of: "shop") && references() == ["1.0", "1.0"])
    }

    @Test func `the current release is found even if more than 200 versions are higher`() throws {
        try count("1.0", sessions: 500)
        let others = (1...202).map { Report(leak: leak("Page"), version: "2.\($0)", install: 9) }
        #expect(try store.count([submission(others)], now: noon) == [.counted])
        #expect(try currentVersion() == "1.0")
        let releases = try store.makeReader().releases(app: "shop")
        #expect(releases.count == 201 && releases.last?.adoption?.count == 500)
    }

    @Test(arguments: [(.newestVersion, "1.10"), (.nextVersion, "1.11")] as [(Decision.Fix, String)])
    func `a leak of a developer's build is resolved in or after the current release, not in that build`(
        fix: Decision.Fix, back: String
    ) throws {
        try count("1.10", installs: [1, 2, 3], sessions: 500)
        try count("999.0-dev", installs: [1], sessions: 1)
        let isAfter = fix == .nextVersion
        let mended = try #require(
            try store.decide(Decision(.resolve(fix), by: "ada"), about: leak("Page").id, now: noon))
        #expect(mended.action == .resolved(version: "1.10", isAfter: isAfter))
        let reader = try store.makeReader()
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.state == .resolved)
        try count(back, installs: [4])
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.state == .regressed)
    }

    @Test func `apps are listed with newest version and last report, the most recent first`() throws {
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
                AppSummary(id: "c", currentRelease: nil, lastSeen: noon + 9),
                AppSummary(id: "a", currentRelease: "1.0", lastSeen: noon + 3),
                AppSummary(id: "b", currentRelease: "2.0", lastSeen: noon + 1),
            ])
        #expect(try reader.appSummaries().map(\.id) == reader.apps())
    }
}

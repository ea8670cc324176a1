import LeakStatistics
import Testing

@testable import LeakStore

#if PostgreSQL
    @testable import LeakPostgreSQL
#endif

/// The evidence for fixes of resolved leaks, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreFixTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    /// Counts checks of a class, and reports of a leak of this class, spread over 20 installs.
    private func count(
        _ version: String, build: String? = nil, name: String = "Page", reports: Int, of checks: Int,
        at: Int64 = noon, in store: (any Store)? = nil
    ) throws {
        let installs = 20
        let batches = (0..<installs).map { install in
            func share(_ number: Int) -> Int {
                number / installs + (install < number % installs ? 1 : 0)
            }
            let count = share(reports)
            var batch = submission(
                count == 0
                    ? []
                    : [
                        Report(
                            leak: leak(name), version: version, build: build, install: UInt64(install),
                            at: at, count: count)
                    ])
            if checks > 0 {
                batch.usageCounts = [
                    Submission.UsageCounts(
                        app: "shop", version: version, build: build, installHash: UInt64(install),
                        sessions: 1, leakySessions: min(count, 1), checks: [name: share(checks)])
                ]
            }
            return batch
        }
        #expect(try (store ?? self.store).count(batches, now: noon).allSatisfy { $0 == .counted })
    }

    @Test
    func `the rate before a fix is that of all versions from the first to the last version with reports`()
        throws
    {
        try count("5.0", reports: 0, of: 500)
        for (version, reports) in [("5.1", 2), ("5.2", 0), ("5.3", 0), ("5.4", 2)] {
            try count(version, reports: reports, of: 500)
        }
        try count("5.5", reports: 0, of: 500)
        try resolve(.version("6.0"))
        #expect(try fix().progress.before == Proportion(events: 4, trials: 2_000))
    }

    private func resolve(_ fix: Decision.Fix, _ name: String = "Page", now: Int64 = noon) throws {
        _ = try #require(
            try store.decide(Decision(.resolve(fix), by: "ada"), about: leak(name).id, now: now))
    }

    /// Returns the evidence that the page of a leak shows. Expects the same evidence in lists and on the page of its class.
    private func fix(_ name: String = "Page", _ state: LeakQuery.StateFilter = .resolved) throws -> FixStatus
    {
        let reader = try store.makeReader()
        let row = try #require(try reader.leak(leak(name).id, now: noon)).row
        #expect(row.state.rawValue == state.rawValue)
        var query = LeakQuery()
        query.state = state
        #expect(
            try reader.leaks(query, now: noon).leaks.first { $0.identity.id == row.identity.id }?.fix
                == row.fix)
        #expect(try reader.leakClass(name, app: "shop", now: noon)?.leaks.first?.fix == row.fix)
        return try #require(row.fix)
    }

    @Test
    func `a resolved leak is first not proven to be fixed, then fixed, and after new reports regressed`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000)
        try count("5.2.0", reports: 288, of: 2_000)
        // 5.1.0 is older than the leak, so its checks do not lower the rate before the fix.
        try count("5.1.0", reports: 0, of: 10_000)
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.fix == nil)
        try resolve(.version("5.4.0"))
        var status = try fix()
        #expect(status.progress.stage == .proving && status.version == nil && status.steps.isEmpty)
        #expect(status.progress.before == Proportion(events: 432, trials: 3_000))
        #expect(status.progress.neededChecks == 207)

        try count("5.4.0", build: "1", reports: 0, of: 60)
        try count("5.4.0", build: "2", reports: 0, of: 60)
        status = try fix()
        #expect(status.progress.stage == .proving && status.version == "5.4.0")
        #expect(status.progress.since == Proportion(events: 0, trials: 120))

        // Reports of versions before the fix change only the rate before the fix.
        try count("5.3.0", reports: 144, of: 1_000)
        try count("5.4.1", reports: 0, of: 4_692)
        status = try fix()
        #expect(status.progress.stage == .fixed)
        #expect(status.progress.since == Proportion(events: 0, trials: 4_812))
        #expect(abs(status.progress.upperBound - 0.000_622_4) < 0.000_000_1)
        #expect(status.steps.map(\.version) == ["5.4.0", "5.4.1"])
        #expect(status.steps.map(\.progress.stage) == [.proving, .fixed])

        try count("5.5.0", reports: 40, of: 2_000)
        status = try fix("Page", .regressed)
        #expect(status.progress.stage == .regressed)
        #expect(status.progress.since == Proportion(events: 40, trials: 2_000))
        #expect(status.steps.map(\.progress.stage) == [.proving, .fixed, .regressed])
    }

    @Test
    func `the evidence for a fix in a build is from this build and later ones, not from earlier builds`()
        throws
    {
        try count("5.3.0", build: "800", reports: 300, of: 3_000)
        try count("5.4.0", build: "892", reports: 300, of: 3_000)
        try resolve(.version("5.4.0", build: "895"))
        var status = try fix()
        #expect(status.progress.stage == .proving && status.version == nil && status.steps.isEmpty)
        #expect(status.progress.before == Proportion(events: 600, trials: 6_000))

        try count("5.4.0", build: "895", reports: 0, of: 3_000)
        try count("5.4.0", build: "892", reports: 20, of: 200)
        status = try fix()
        #expect(status.progress.stage == .fixed && status.version == "5.4.0" && status.build == "895")
        #expect(status.progress.before == Proportion(events: 620, trials: 6_200))
        #expect(status.progress.since == Proportion(events: 0, trials: 3_000))
        #expect(status.steps.map(\.build) == ["895"])

        // Builds of the same version under another name are in the order of the builds.
        try count("5.4", build: "894", reports: 10, of: 100)
        try count("5.4", build: "1000", reports: 150, of: 1_000)
        status = try fix("Page", .regressed)
        #expect(status.progress.stage == .regressed)
        #expect(status.progress.before == Proportion(events: 630, trials: 6_300))
        #expect(status.progress.since == Proportion(events: 150, trials: 1_000))
        #expect(status.steps.map(\.version) == ["5.4.0", "5.4"])
        #expect(status.steps.map(\.build) == ["895", "1000"])
        #expect(status.steps.map(\.progress.stage) == [.fixed, .regressed])
        #expect(try store.verify() == [])
    }

    @Test
    func `a build with reports when the leak was resolved in it proves nothing, and a later build does`()
        throws
    {
        try count("5.4.0", build: "892", reports: 300, of: 3_000)
        try count("5.4.0", build: "895", reports: 100, of: 3_000)
        try resolve(.newestVersion)
        var status = try fix()
        #expect(status.progress.stage == .proving && status.version == nil)
        #expect(status.progress.before == Proportion(events: 300, trials: 3_000))
        try count("5.4.0", build: "896", reports: 0, of: 3_000)
        status = try fix()
        #expect(status.progress.stage == .fixed && status.version == "5.4.0" && status.build == "896")
        #expect(status.progress.since == Proportion(events: 0, trials: 3_000))
    }

    @Test func `the history distinguishes the fix in one build from the fix in the next build`() throws {
        try count("5.4.0", build: "892", reports: 300, of: 3_000)
        try resolve(.version("5.4.0", build: "895"), now: noon - 2 * day)
        try count("5.4.0", build: "895", reports: 0, of: 3_000)
        try resolve(.version("5.4.0", build: "896"))
        try count("5.4.0", build: "896", reports: 0, of: 3_000)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        #expect(detail.fixes[0]?.build == "896" && detail.fixes[0]?.progress.stage == .fixed)
        #expect(detail.fixes[1]?.build == "895" && detail.fixes[1]?.progress.stage == .fixed)
        #expect(detail.fixes[1]?.steps.map(\.build) == ["895"])
    }

    @Test(arguments: ["900", "896"])
    func `the history of a decision about a build shows that a later build regressed`(next: String) throws {
        try count("5.4.0", build: "892", reports: 300, of: 3_000, at: noon - 9 * day)
        try resolve(.version("5.4.0", build: "895"), now: noon - 8 * day)
        try count("5.4.0", build: "895", reports: 0, of: 3_000, at: noon - 7 * day)
        // The build before the fix is still in use, so the days with the leak say nothing about one build.
        try count("5.4.0", build: "892", reports: 30, of: 300, at: noon - 6 * day)
        try count("5.4.0", build: "896", reports: 290, of: 3_000, at: noon - 5 * day)
        let regressed = try fix("Page", .regressed)
        #expect(regressed.steps.map(\.build) == ["895", "896"])
        #expect(regressed.steps.map(\.progress.stage) == [.fixed, .regressed])
        try resolve(.version("5.4.0", build: next), now: noon - 4 * day)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        let past = try #require(detail.fixes[1])
        #expect(past.progress.stage == .regressed && past.build == "895")
        #expect(past.steps.map(\.build) == ["895", "896"])
        #expect(past.steps.map(\.progress.stage) == [.fixed, .regressed])
        #expect(past.steps.map(\.seenAgainDay) == [nil, nil])
    }

    @Test func `a build with the leak that was in use before a decision is left out of its history`() throws {
        try count("5.4.0", build: "892", reports: 300, of: 3_000, at: noon - 9 * day)
        try count("5.4.0", build: "895", reports: 20, of: 3_000, at: noon - 9 * day)
        try resolve(.version("5.4.0", build: "895"), now: noon - 8 * day)
        try count("5.4.0", build: "896", reports: 0, of: 3_000, at: noon - 7 * day)
        try resolve(.version("5.4.0", build: "900"), now: noon - 4 * day)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        #expect(detail.fixes[1]?.steps.map(\.build) == ["896"])
        #expect(detail.fixes[1]?.progress.stage == .fixed)
    }

    @Test func `the rate before a fix in a build is that of the builds since the earlier fix in a build`()
        throws
    {
        try count("5.4.0", build: "892", reports: 300, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.4.0", build: "895"), now: noon - 8 * day)
        try count("5.4.0", build: "895", reports: 20, of: 1_000, at: noon - 7 * day)
        try resolve(.version("5.4.0", build: "900"), now: noon - 6 * day)
        #expect(try fix().progress.before == Proportion(events: 20, trials: 1_000))
    }

    @Test func `a step names no build if the new reports may be of any of several builds`() throws {
        try count("5.4.0", build: "892", reports: 300, of: 3_000)
        try count("5.4.0", build: "895", reports: 100, of: 3_000)
        try count("5.4.0", build: "896", reports: 0, of: 100)
        try resolve(.version("5.4.0", build: "895"))
        try count("5.4.0", build: "896", reports: 20, of: 100)
        let status = try fix("Page", .regressed)
        #expect(status.steps.map(\.version) == ["5.4.0"] && status.steps.map(\.build) == [nil])
    }

    @Test func `a step names the build that was first used after the decision and has the leak`() throws {
        try count("5.4.0", build: "892", reports: 300, of: 3_000)
        try count("5.4.0", build: "895", reports: 100, of: 3_000)
        try resolve(.version("5.4.0", build: "895"))
        try count("5.4.0", build: "896", reports: 280, of: 3_000)
        let status = try fix("Page", .regressed)
        #expect(status.build == "896" && status.steps.map(\.build) == ["896"])
        #expect(status.progress.since == Proportion(events: 280, trials: 3_000))
    }

    @Test func `checks of builds beyond the limit do not change the rate before a fix in a build`() throws {
        var limits = StoreLimits()
        limits.buildsPerRelease = 1
        let store = try place.store(limits: limits)
        try count("5.3.0", build: "800", reports: 300, of: 3_000, in: store)
        try count("5.4.0", build: "892", reports: 300, of: 3_000, in: store)
        try resolve(.version("5.4.0", build: "895"))
        try count("5.4.0", build: "895", reports: 0, of: 3_000, in: store)
        #expect(try fix().progress.before == Proportion(events: 600, trials: 6_000))
    }

    @Test func `a leak that only became rarer is half fixed, stays on the list, and fails the release check`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000)
        try resolve(.newerThan("5.3.0"))
        try count("5.4.0", reports: 96, of: 4_800)
        let status = try fix("Page", .regressed)
        #expect(status.progress.stage == .halfFixed && status.version == "5.4.0")
        #expect(status.progress.since == Proportion(events: 96, trials: 4_800))
        let reader = try store.makeReader()
        #expect(try reader.leaks(LeakQuery(), now: noon).leaks.first?.fix == status)
        let check = try #require(
            try reader.releaseCheck(ReleaseCheckQuery(app: "shop", version: "5.4.0"), now: noon))
        #expect(check.verdict == .failed && check.leaks.map(\.result) == [.back])
        #expect(check.leaks.first?.row.fix == status)
    }

    @Test
    func `versions without the leak do not make it half fixed if other versions have it as often as before`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000)
        try resolve(.newerThan("5.3.0"))
        try count("5.4.0", reports: 144, of: 1_000)
        for version in ["5.4.1", "5.4.2", "5.4.3"] { try count(version, reports: 0, of: 1_000) }
        #expect(try fix("Page", .regressed).progress.stage == .regressed)
        try count("5.4.4", reports: 140, of: 1_000)
        let status = try fix("Page", .regressed)
        #expect(status.progress.stage == .regressed)
        #expect(status.progress.since == Proportion(events: 284, trials: 2_000))
    }

    @Test
    func
        `if a leak was first seen in the version that should have its fix, the next version can prove the fix`()
        throws
    {
        try count("5.4.0", reports: 144, of: 1_000)
        try resolve(.newestVersion)
        try count("5.4.1", reports: 0, of: 1_000)
        #expect(try fix().progress.stage == .fixed)
    }

    @Test func `versions without checks or without the leak do not change the rate before a fix`() throws {
        try count("5.1.0", reports: 900, of: 0)
        try count("5.2.0", reports: 100, of: 10_000)
        try count("5.3.0", reports: 0, of: 90_000)
        try resolve(.version("5.4.0"))
        #expect(try fix().progress.before == Proportion(events: 100, trials: 10_000))
    }

    @Test
    func `the rate before a fix counts only versions since an earlier fix, if these versions give a rate`()
        throws
    {
        try count("5.1.0", reports: 400, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        try resolve(.version("5.3.0"), now: noon - 6 * day)
        #expect(try fix().progress.before == Proportion(events: 400, trials: 1_000))
        try count("5.2.0", reports: 20, of: 1_000, at: noon - 7 * day)
        try count("5.2.1", reports: 10, of: 1_000, at: noon - 7 * day)
        #expect(try fix().progress.before == Proportion(events: 30, trials: 2_000))
    }

    @Test
    func `a decision that was corrected before its version was used does not change the rate before the fix`()
        throws
    {
        try count("5.1.0", reports: 400, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        try resolve(.version("5.3.0"), now: noon - 8 * day + 60_000)
        try count("5.2.0", reports: 200, of: 1_000, at: noon - 7 * day)
        #expect(try fix().progress.before == Proportion(events: 600, trials: 2_000))
    }

    @Test
    func `resolving a leak in a version that already had it does not change the rate before a later fix`()
        throws
    {
        try count("5.1.0", reports: 400, of: 1_000, at: noon - 9 * day)
        try count("5.2.0", reports: 200, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        // 5.2.1 is the first version in use that should have the fix. It has only counts of another class.
        try count("5.2.1", name: "Cart", reports: 20, of: 1_000, at: noon - 7 * day)
        try resolve(.version("5.3.0"), now: noon - 6 * day)
        #expect(try fix().progress.before == Proportion(events: 600, trials: 2_000))
    }

    @Test(arguments: [("1", "2"), ("2", "1")])
    func `the rate before a fix counts all builds of a version that had the leak at an earlier decision`(
        withoutLeak: String, withLeak: String
    ) throws {
        try count("5.1.0", reports: 400, of: 1_000, at: noon - 9 * day)
        try count("5.2.0", build: withoutLeak, reports: 0, of: 500, at: noon - 9 * day)
        try count("5.2.0", build: withLeak, reports: 200, of: 500, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        // 5.2.1 is the first version in use that should have the fix. It has only counts of another class.
        try count("5.2.1", name: "Cart", reports: 20, of: 1_000, at: noon - 7 * day)
        try resolve(.version("5.3.0"), now: noon - 6 * day)
        #expect(try fix().progress.before == Proportion(events: 600, trials: 2_000))
    }

    @Test(arguments: [("1", "2"), ("2", "1")])
    func `the history shows a regression in a version even if only one of its builds has the leak`(
        withoutLeak: String, withLeak: String
    ) throws {
        try count("5.1.0", reports: 144, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        try count("5.3.0", build: withoutLeak, reports: 0, of: 1_000, at: noon - 6 * day)
        try count("5.3.0", build: withLeak, reports: 288, of: 1_000, at: noon - 6 * day)
        try resolve(.version("5.4.0"), now: noon - 5 * day)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        let steps = try #require(detail.fixes[1]?.steps)
        #expect(steps.map(\.version) == ["5.3.0"] && steps.map(\.progress.stage) == [.regressed])
        #expect(steps.map(\.seenAgainDay) == [Int(noon / day) - 6])
    }

    @Test
    func `checks of versions older than the first version with the leak are no evidence for a past fix`()
        throws
    {
        try count("0.7.0", reports: 0, of: 500, at: noon - 9 * day)
        try count("2.0.0", reports: 100, of: 1_000, at: noon - 9 * day)
        for (version, days) in [("3.0.0", 5), ("1.0.0", 4), ("0.5.0", 3)] as [(String, Int64)] {
            try resolve(.version(version), now: noon - days * day)
        }
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        // The history lists the newest decision first. The versions of the decision about 3.0.0 belong to the next decision.
        #expect(detail.history.count == 3 && detail.fixes[2] == nil)
    }

    @Test func `late reports from before a decision do not contradict it`() throws {
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 4 * day)
        try count("5.4.0", reports: 0, of: 1_000)
        try resolve(.version("5.4.0"), now: noon - 2 * day)
        try count("5.4.1", reports: 0, of: 1_000)
        // The devices were offline.
        try count("5.4.0", reports: 20, of: 0, at: noon - 3 * day)
        let status = try fix()
        #expect(status.progress.stage == .fixed && status.steps.map(\.version) == ["5.4.1"])
        #expect(status.progress.since == Proportion(events: 0, trials: 1_000))
        let reader = try store.makeReader()
        #expect(try reader.releases(app: "shop").map(\.regressedLeaks) == [0, 0, 0])
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.decisionStatus?.reportsSince == 0)
        // A report that was made after the decision contradicts it. The leak regressed in 5.4.0, not in 5.4.1.
        try count("5.4.0", reports: 20, of: 0, at: noon - day)
        let regressed = try fix("Page", .regressed)
        #expect(regressed.steps.map(\.version) == ["5.4.0"])
        #expect(try store.makeReader().releases(app: "shop").map(\.regressedLeaks) == [0, 1, 0])
        #expect(
            try store.makeReader().leak(leak("Page").id, now: noon)?.row.decisionStatus?.reportsSince == 20)
    }

    @Test func `late reports do not contradict a decision if the version had reports before it`() throws {
        let decision = noon - 2 * day + hour / 2
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 4 * day)
        try count("5.4.0", reports: 5, of: 1_000, at: noon - 2 * day)
        try resolve(.version("5.4.0"), now: decision)
        // The devices were offline, some for days and some since the morning.
        try count("5.4.0", reports: 2, of: 0, at: decision - 3 * day)
        try count("5.4.0", reports: 3, of: 0, at: decision - 4 * hour)
        #expect(try fix().progress.stage == .proving)
        // Hourly counts are deleted after 90 days.
        try store.expire(now: noon + 100 * day)
        #expect(try fix().progress.stage == .proving)
        try count("5.4.0", reports: 1, of: 0, at: noon - day)
        #expect(try fix("Page", .regressed).steps.map(\.version) == ["5.4.0"])
        #expect(try reportsSince() == 1)
    }

    @Test func `reports made soon after a decision contradict it until their hourly counts are deleted`()
        throws
    {
        let decision = noon - 2 * day + hour / 2
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 4 * day)
        try count("5.4.0", reports: 5, of: 1_000, at: noon - 2 * day)
        try resolve(.version("5.4.0"), now: decision)
        try count("5.4.0", reports: 2, of: 0, at: decision - 3 * day)
        try count("5.4.0", reports: 4, of: 0, at: decision + hour / 4)
        _ = try fix("Page", .regressed)
        #expect(try reportsSince() == 4)
        try count("5.4.0", reports: 3, of: 0, at: decision + hour)
        #expect(try reportsSince() == 7)
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.state = .any
        #expect(try reader.leaks(query, now: noon).leaks.map(\.state) == [.regressed])
        try store.expire(now: noon + 100 * day)
        #expect(try reader.leaks(query, now: noon).leaks.map(\.state) == [.resolved])
        _ = try fix()
        #expect(try reportsSince() == 0)
    }

    @Test func `a regression is cached, unless it is in a version that was known when the decision was made`()
        throws
    {
        try count("5.3.0", name: "Page", reports: 20, of: 100, at: noon - 4 * day)
        try resolve(.newerThan("5.3.0"), now: noon - 2 * day)
        try count("5.4.0", name: "Page", reports: 20, of: 100)
        try count("5.4.0", name: "Cart", reports: 20, of: 100, at: noon - 4 * day)
        try resolve(.version("5.4.0"), "Cart", now: noon - day)
        try count("5.4.0", name: "Cart", reports: 20, of: 100)
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.state = .regressed
        #expect(try reader.leaks(query, now: noon).total == 2)
        #expect(cachedVersions(reader) == ["5.3.0"])
    }

    /// Returns the versions of the cached decisions about leaks that have 40 reports.
    private func cachedVersions(_ reader: any StoreReader) -> [String] {
        var cache = (reader as? SQLiteReader)?.decisionCache
        #if PostgreSQL
            cache = cache ?? (reader as? PostgreSQLReader)?.decisionCache
        #endif
        let rows: ClosedRange<Int64> = 1...20
        return rows.flatMap { row in
            rows.compactMap { decision in
                let status = cache?.decisionStatus(of: row, decision: decision, reports: 40)
                guard case .resolved(let version, _, _) = status?.decision.action else { return nil }
                return version
            }
        }
    }

    private func reportsSince() throws -> Int? {
        try store.makeReader().leak(leak("Page").id, now: noon)?.row.decisionStatus?.reportsSince
    }

    @Test
    func
        `after late reports from the day of a decision, checks of their version do not prove the fix any more`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 4 * day)
        try count("5.4.0", reports: 0, of: 1_000)
        try resolve(.version("5.4.0"), now: noon - 2 * day)
        #expect(try fix().progress.stage == .fixed)
        try count("5.4.0", reports: 20, of: 0, at: noon - 2 * day - 4 * hour)
        let status = try fix()
        #expect(status.progress.stage == .proving && status.version == nil && status.steps == [])
        #expect(status.progress.since == Proportion(events: 0, trials: 0))
        #expect(try reportsSince() == 0)
    }

    @Test
    func `reports of a version unknown at the decision contradict it, even if they were made before it`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 4 * day)
        try resolve(.version("5.4.0"))
        try count("5.4.0", reports: 20, of: 100, at: noon - day)
        #expect(try fix("Page", .regressed).steps.map(\.version) == ["5.4.0"])
    }

    @Test
    func `the history still shows a regression after its leak is resolved in the version of the regression`()
        throws
    {
        try count("5.3.0", reports: 144, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.4.0"), now: noon - 8 * day)
        try count("5.4.0", reports: 0, of: 1_000)
        try count("5.5.0", reports: 100, of: 1_000, at: noon - 6 * day)
        try resolve(.version("5.5.0"), now: noon - 5 * day)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        let steps = try #require(detail.fixes[1]?.steps)
        #expect(steps.map(\.version) == ["5.4.0", "5.5.0"])
        #expect(steps.map(\.progress.stage) == [.fixed, .regressed])
        #expect(steps.last?.seenAgainDay == Int(noon / day) - 6)
    }

    @Test func `the history has the steps of each fix, and the day on which the leak was seen again`()
        throws
    {
        try count("5.1.0", reports: 144, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.2.0"), now: noon - 8 * day)
        try count("5.2.0", reports: 0, of: 1_000)
        try count("5.3.0", reports: 100, of: 1_000, at: noon - 6 * day)
        // These reports of 5.2.1 were made before the decision, so 5.2.1 is not a step of its fix.
        try count("5.2.1", reports: 100, of: 1_000, at: noon - 9 * day)
        try resolve(.version("5.4.0"), now: noon - 5 * day)
        _ = try store.decide(
            Decision(.note, note: "seen", by: "ada"), about: leak("Page").id, now: noon - 4 * day)
        try count("5.4.0", reports: 0, of: 1_000)
        try count("5.5.0", reports: 100, of: 1_000, at: noon - 2 * day)
        let detail = try #require(try store.makeReader().leak(leak("Page").id, now: noon))
        #expect(detail.fixes.keys.sorted() == [1, 2] && detail.fixes[1] == detail.row.fix)
        let today = Int(noon / day)
        for (index, versions, seenAgain) in [(1, ["5.4.0", "5.5.0"], 2), (2, ["5.2.0", "5.3.0"], 6)] {
            let steps = try #require(detail.fixes[index]?.steps)
            #expect(steps.map(\.version) == versions)
            #expect(steps.map(\.progress.stage) == [.fixed, .regressed])
            #expect(steps.map(\.seenAgainDay) == [nil, today - seenAgain])
            #expect(steps.last?.firstUse == noon - Int64(seenAgain) * day)
        }
    }

    @Test func `reports of a version without checks still show that the leak was seen again`() throws {
        try count("5.3.0", reports: 144, of: 1_000)
        try resolve(.version("5.4.0"))
        try count("5.4.0", reports: 20, of: 0)
        let progress = try fix("Page", .regressed).progress
        #expect(progress.reportsSince == 20 && progress.checksSince == 0)
        #expect(progress.since == Proportion(events: 0, trials: 0) && progress.upperBound == 1)
    }

    @Test
    func `without checks before the fix, a leak without new reports has the stage notSeen, never fixed`()
        throws
    {
        try count("5.3.0", reports: 20, of: 0)
        try resolve(.version("5.4.0"))
        #expect(try fix().progress.stage == .notSeen)
        try count("5.4.0", reports: 0, of: 1_000)
        #expect(try fix().progress.stage == .notSeen)
        try count("5.4.0", reports: 20, of: 0)
        #expect(try fix("Page", .regressed).progress.stage == .regressed)
    }

    @Test func `checks of a version that had the leak before it was resolved prove nothing`() throws {
        try count("5.3.0", reports: 144, of: 1_000)
        try count("5.4.0", reports: 10, of: 4_000)
        try resolve(.newestVersion)
        let status = try fix()
        #expect(status.progress.stage == .proving && status.version == nil && status.steps == [])
        #expect(status.progress.since == Proportion(events: 0, trials: 0))
        try count("5.4.1", reports: 0, of: 1_000)
        #expect(try fix().progress.stage == .fixed && fix().version == "5.4.1")
        try count("5.4.0", reports: 20, of: 100)
        #expect(try fix("Page", .regressed).progress.stage == .regressed)
    }

    @Test(
        arguments: [
            (nil, LeakTotals(leaks: 2, reports: 160)), (.day, LeakTotals(leaks: 1, reports: 20)),
            (.month, LeakTotals(leaks: 3, reports: 240)),
        ] as [(Period?, LeakTotals)])
    func `resolved leaks that are still seen are counted separately, with their reports since the decision`(
        period: Period?, totals: LeakTotals
    ) throws {
        for (name, days) in [
            ("Before", []), ("Today", [0, 8]), ("Lately", [3]), ("Once", [20]), ("Open", [0]),
        ] {
            // Reports from before the decision do not count.
            let age = name == "Before" ? 0 : 22
            try count("5.3.0", name: name, reports: 20, of: 100, at: noon - Int64(age) * day)
            if name != "Open" { try resolve(.nextVersion, name, now: noon - Int64(max(age - 1, 0)) * day) }
            for age in days.sorted(by: >) {
                let reports = age == 0 ? 20 : age == 8 ? 60 : 80
                try count("5.3.0", name: name, reports: reports, of: 100, at: noon - Int64(age) * day)
            }
        }
        var query = LeakQuery()
        query.period = period
        let reader = try store.makeReader()
        let page = try reader.leaks(query, now: noon)
        #expect(page.leaks.map(\.identity.title) == ["Open"] && page.resolvedSeen == totals)
        let seen = try reader.leaks(query.ofResolvedSeen, now: noon)
        #expect(LeakTotals(leaks: seen.total, reports: seen.reports) == totals)
        query.version = "5.3.0"
        #expect(try reader.leaks(query, now: noon).resolvedSeen == totals)
        query.version = nil
        query.state = .any
        #expect(try reader.leaks(query, now: noon).resolvedSeen == LeakTotals())
    }
}

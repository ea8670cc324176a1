import LeakStatistics
import Testing

@testable import LeakStore

/// Environments, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreEnvironmentTests {
    let place = StoreLocation()
    let store: any Store
    private let debug = "debug"

    init() throws { store = try place.store() }

    private func usage(_ environment: String, _ version: String, sessions: Int) -> Submission.UsageCounts {
        Submission.UsageCounts(
            app: "shop", environment: environment, version: version, build: "1", sessions: sessions,
            leakySessions: 1, checks: ["Page": sessions])
    }

    /// Counts a leak in production and in debug, where the version is newer.
    private func count() throws {
        var users = submission([Report(leak: leak("Page"), version: "1.0", install: 1, count: 5)])
        users.usageCounts = [usage(AppKey.production, "1.0", sessions: 100)]
        users.dropped = [Submission.Dropped(app: "shop", reason: "full", count: 2)]
        var desk = submission([
            Report(leak: leak("Page", environment: debug), version: "2.0", install: 2, count: 7),
            Report(leak: leak("Draft", environment: debug), version: "2.0", install: 2),
        ])
        desk.usageCounts = [usage(debug, "2.0", sessions: 200)]
        desk.dropped = [Submission.Dropped(app: "shop", environment: debug, reason: "full", count: 30)]
        #expect(try store.count([users, desk], now: noon) == [.counted, .counted])
    }

    @Test func `reports of a developer's machine change no count in production`() throws {
        try count()
        let reader = try store.makeReader()
        #expect(try reader.environments(app: nil) == [debug, AppKey.production])
        #expect(try reader.environments(app: "shop") == [debug, AppKey.production])
        #expect(try reader.environments(app: "mail") == [])
        #expect(try reader.apps(in: debug) == ["shop"])
        #expect(try reader.apps(in: "ci") == [])
        #expect(Set(try reader.appSummaries().map(\.key)) == ["shop", AppKey("shop", environment: debug)])
        for app in ["shop", nil] {
            let (users, desk) = (AppScope(app), AppScope(app, environment: debug))
            #expect(try reader.versions(app: users) == ["1.0"])
            #expect(try reader.versions(app: desk) == ["2.0"])
            let (production, other) = (
                try reader.overview(app: users, now: noon), try reader.overview(app: desk, now: noon)
            )
            #expect(production.currentRelease?.version == "1.0" && other.currentRelease?.version == "2.0")
            #expect(production.currentRelease?.sessions == 100 && other.currentRelease?.sessions == 200)
            #expect((production.leaks, production.reports) == (1, 5))
            #expect((other.leaks, other.reports) == (2, 8))
            #expect((production.recentReports, production.recentInstalls) == (5, 1))
            #expect((other.recentReports, other.recentLeaks, other.newLeaks) == (8, 2, 2))
            #expect(production.dropped.map(\.count) == [2] && other.dropped.map(\.count) == [30])
            let found = try #require(try reader.leakClass("Page", app: desk, now: noon))
            #expect((found.reports, found.installs) == (7, 1))
            #expect(try reader.leakClass("Draft", app: users, now: noon) == nil)
        }
        #expect(try reader.releases(app: "shop").map(\.reports) == [5])
        #expect(try reader.releases(app: AppKey("shop", environment: debug)).map(\.reports) == [8])
        #expect(try store.verify() == [])
    }

    @Test(arguments: LeakQuery.Sort.allCases, [nil, Period.day, .month])
    func `each list has the leaks of its environment`(sort: LeakQuery.Sort, period: Period?) throws {
        try count()
        let reader = try store.makeReader()
        for state in [LeakQuery.StateFilter.toFix, .any, .new, .open] {
            for app in ["shop", nil] {
                for (version, production, other) in [(nil, 1, 2), ("1.0", 1, 0), ("2.0", 0, 2)]
                    as [(String?, Int, Int)]
                {
                    var query = LeakQuery()
                    (query.app, query.state, query.sort, query.period) = (app, state, sort, period)
                    query.version = version
                    for (environment, expected) in [
                        (AppKey.production, production), (debug, other), ("ci", 0),
                    ] {
                        query.environment = environment
                        let page = try reader.leaks(query, now: noon)
                        #expect(page.total == expected && page.leaks.count == expected, "\(query)")
                        #expect(page.leaks.allSatisfy { $0.identity.environment == environment })
                    }
                }
            }
        }
    }

    @Test func `a release check compares versions of one environment`() throws {
        try count()
        let reader = try store.makeReader()
        #expect(try reader.releaseCheck(ReleaseCheckQuery(app: "shop", version: "2.0"), now: noon) == nil)
        let query = ReleaseCheckQuery(app: "shop", environment: debug, version: "2.0")
        let check = try #require(try reader.releaseCheck(query, now: noon))
        #expect(check.environment == debug && check.baseline == nil && check.version.sessions.trials == 200)
    }

    @Test
    func `a decision about a leak in several environments refers to the newest version of each environment`()
        throws
    {
        try count()
        let ids = [leak("Page").id, leak("Page", environment: debug).id, leak("Page", environment: "ci").id]
        let decision = Decision(.resolve(.nextVersion), by: "ada")
        let stored = try #require(try store.decide(decision, about: ids, now: noon))
        #expect(stored.action == .resolved(version: "1.0", isAfter: true))
        let reader = try store.makeReader()
        #expect(try reader.leak(ids[0], now: noon)?.history.map(\.action) == [stored.action])
        // In debug, version 2.0 has the leak already, so the fix is in a later version.
        let inDebug = PastDecision.Action.resolved(version: "2.0", isAfter: true)
        #expect(try reader.leak(ids[1], now: noon)?.history.map(\.action) == [inDebug])
        #expect(try reader.leak(ids[0], now: noon)?.row.state == .resolved)
        #expect(try store.decide(decision, about: [ids[2], ids[0]], now: noon) == nil)
        #expect(try store.verify() == [])
    }

    @Test func `environments beyond the limit of an app are counted as other, except production`() throws {
        var limits = StoreLimits()
        (limits.appsPerKey, limits.environmentsPerApp) = (1, 2)
        let store = try place.store(limits: limits)
        for name in ["e0", "e1", "e2", "e3", "e0", AppKey.production] {
            let report = Report(leak: leak("Page", environment: name))
            #expect(try store.count([submission([report])], now: noon) == [.counted])
        }
        let reader = try store.makeReader()
        #expect(try reader.environments(app: "shop") == ["e0", "e1", StoreLimits.other, AppKey.production])
        let other = try reader.overview(app: AppScope("shop", environment: StoreLimits.other), now: noon)
        #expect((other.leaks, other.reports) == (2, 2))
        let key = AppKey("shop", environment: StoreLimits.other)
        #expect(other.overLimit == [OverLimitCount(app: key, limit: .environments, count: 2)])
        #expect(try reader.overview(app: "shop", now: noon).reports == 1)
        #expect(try store.verify() == [])
    }

    @Test func `an app beyond an ingest key's limit is counted as other in its own environment`() throws {
        var limits = StoreLimits()
        limits.appsPerKey = 1
        let store = try place.store(limits: limits)
        for (app, environment) in [
            ("shop", debug), ("mail", debug), ("chat", AppKey.production), ("shop", "ci"),
        ] {
            let report = Report(leak: leak("Page", app: app, environment: environment))
            #expect(try store.count([submission([report])], now: noon) == [.counted])
        }
        let reader = try store.makeReader()
        #expect(
            Set(try reader.appSummaries().map(\.key)) == [
                AppKey("shop", environment: debug), AppKey(StoreLimits.other, environment: debug),
                AppKey(StoreLimits.other), AppKey("shop", environment: "ci"),
            ])
        let other = try reader.overview(app: AppScope(StoreLimits.other, environment: debug), now: noon)
        #expect(other.reports == 1 && other.overLimit.map(\.limit) == [.apps])
        #expect(try store.verify() == [])
    }

    @Test func `leaks that are merged in one environment stay apart in another environment`() throws {
        let stacks = [["A"], ["B"]]
        for environment in [AppKey.production, debug] {
            let reports = stacks.map { Report(leak: leak("Page", stack: $0, environment: environment)) }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        let (first, second) = (leak("Page", stack: stacks[0]), leak("Page", stack: stacks[1]))
        _ = try store.merge([first.id], into: second, by: "ada", now: noon, note: { _ in "merged" })
        let reader = try store.makeReader()
        #expect(try reader.target(ofMerged: first.id) == second.id)
        #expect(try reader.overview(app: "shop", now: noon).leaks == 1)
        let inDebug = stacks.map { leak("Page", stack: $0, environment: debug).id }
        #expect(try reader.overview(app: AppScope("shop", environment: debug), now: noon).leaks == 2)
        for id in inDebug {
            #expect(try reader.target(ofMerged: id) == nil)
            #expect(try reader.leak(id, now: noon)?.row.reports == 1)
        }
        #expect(try store.verify() == [])
    }

    @Test func `a fix in the next version is expected after the newest version of each environment`() throws {
        try count()
        // The leak is resolved in production, where 1.0 is the newest version. Debug has version 2.0 already.
        let ids = [leak("Page").id, leak("Page", environment: debug).id]
        _ = try store.decide(Decision(.resolve(.nextVersion), by: "ada"), about: ids, now: noon)
        let again = Report(leak: leak("Page", environment: debug), version: "2.0", install: 2)
        #expect(try store.count([submission([again])], now: noon) == [.counted])
        let reader = try store.makeReader()
        for id in ids { #expect(try reader.leak(id, now: noon)?.row.state == .resolved) }
    }

    @Test func `an install is erased in every environment`() throws {
        try count()
        #expect(try store.erase(install: 2).samples > 0)
        let reader = try store.makeReader()
        #expect(try reader.leak(leak("Page", environment: debug).id, now: noon)?.row.installs == 0)
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.installs == 1)
    }

    @Test func `environments whose names differ only in their bytes are different environments`() throws {
        let twins = ["caf\u{E9}", "cafe\u{301}"]
        for (number, environment) in twins.enumerated() {
            let identity = LeakIdentity(
                id: LeakID(high: 7, low: UInt64(number)), app: "shop", environment: environment,
                kind: "object",
                className: "Page", module: nil, title: "Page", stack: [], children: [], cycle: [],
                quality: .full,
                groupingKey: GroupingKey(version: 1, className: "Page", stack: []))
            #expect(try store.count([submission([Report(leak: identity)])], now: noon) == [.counted])
        }
        #expect(
            try store.makeReader().environments(app: "shop").map { Array($0.utf8) }
                == twins.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }
}

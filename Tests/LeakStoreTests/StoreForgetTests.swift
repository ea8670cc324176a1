import LeakSeededRandom
import LeakStore
import Testing

/// Deleting leaks, versions and apps, in every store.
@Suite struct StoreForgetTests {
    let place = StoreLocation()
    let store: any Store
    let page = leak("Page")
    let cart = leak("Cart")
    let shop: AppKey = "shop"

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., at now: Int64 = noon) throws {
        #expect(try store.count([submission(reports, at: now)], now: now) == [.counted])
    }

    @discardableResult
    private func forget(_ target: ForgetTarget) throws -> ForgetCounts {
        let expected = try store.makeReader().forgetCounts(of: target) ?? ForgetCounts()
        let counts = try store.forget(target)
        #expect(counts == expected, "the numbers before deleting differ from what was deleted")
        #expect(try store.verify() == [])
        #expect(try store.makeReader().forgetCounts(of: target) == nil)
        #expect(try store.forget(target).isEmpty)
        return counts
    }

    private func detail(_ leak: LeakIdentity, now: Int64 = noon) throws -> LeakDetail {
        try #require(try store.makeReader().leak(leak.id, now: now))
    }

    // MARK: Leaks

    @Test func `a deleted leak is gone from every total, and is new when it is reported again`() throws {
        try count(
            Report(leak: page, version: "1.0", build: "1", install: 1, count: 3),
            Report(leak: page, version: "1.1", install: 2), Report(leak: page, isFreed: true, lived: 9),
            Report(leak: cart, version: "1.0", build: "1", install: 2))
        #expect(
            try store.decide(Decision(.resolve(.newestVersion), by: "ada"), about: page.id, now: noon) != nil)
        let reader = try store.makeReader()
        // This reader has cached both leaks before one is deleted.
        _ = try reader.overview(app: "shop", now: noon)

        let counts = try forget(.leak(page.id))
        #expect(counts.leaks == 1 && counts.reports == 4 && counts.decisions == 1 && counts.samples > 0)
        #expect(try reader.leak(page.id, now: noon) == nil && reader.samples(of: page.id) == nil)
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.leaks == 1 && overview.reports == 1 && overview.recentReports == 1)
        #expect(overview.resolved.leaks == 0)
        let releases = try reader.releases(app: "shop")
        #expect(releases.map(\.version) == ["1.1", "1.0"] && releases.map(\.reports) == [0, 1])
        #expect(releases.map(\.installs) == [0, 1] && releases.map(\.newLeaks) == [0, 1])

        try count(Report(leak: page, version: "1.1", install: 1))
        #expect(try detail(page).row.reports == 1 && detail(page).history.isEmpty)
        #expect(try detail(page).row.firstVersion == "1.1" && detail(page).row.installs == 1)
        #expect(try store.verify() == [])
    }

    @Test func `old ids of leaks that were merged into a deleted leak lead nowhere`() throws {
        try count(Report(leak: page), Report(leak: cart))
        _ = try store.merge([page.id], into: cart, by: "ada", now: noon, note: { _ in "merged" })
        #expect(try store.makeReader().target(ofMerged: page.id) == cart.id)
        try forget(.leak(cart.id))
        #expect(try store.makeReader().target(ofMerged: page.id) == nil)
        try count(Report(leak: page))
        #expect(try detail(page).row.reports == 1)
    }

    @Test func `a reader does not confuse a new leak with a deleted known leak`() throws {
        let rule = knownLeakRule("Page", systems: [("iOS", nil, "19")])
        let reader = try store.makeReader(known: KnownLeaks([rule]))
        try count(Report(leak: page, system: "iOS 18"))
        #expect(try reader.overview(app: "shop", now: noon).known.leaks == 1)
        try forget(.leak(page.id))
        // In SQLite, the new leak gets the row ID of the deleted leak.
        let other = leak("Page", stack: ["at load in Shop"])
        try count(Report(leak: other, system: "iOS 19"))
        #expect(try reader.overview(app: "shop", now: noon).known.leaks == 0)
        #expect(try reader.leak(other.id, now: noon)?.row.known == nil)
    }

    // MARK: Versions

    @Test func `a leak of a deleted version stays with its reports in other versions`() throws {
        try count(
            Report(
                leak: page, version: "1.0", build: "1", system: "A", install: 1, at: noon - 2 * day, count: 6),
            Report(leak: page, version: "1.0", build: "1", system: "A", install: 9, at: noon - 2 * day),
            Report(leak: page, version: "2.0", build: "2", system: "B", install: 1, count: 2),
            Report(leak: page, version: "2.0", build: "3", system: "B", install: 2),
            Report(leak: page, version: "2.0", isFreed: true, lived: 7),
            Report(leak: cart, version: "1.0", install: 3))
        #expect(
            try store.decide(Decision(.ignore(.nextReports(5)), by: "ada"), about: page.id, now: noon) != nil)

        let counts = try forget(.version("1.0", of: shop))
        #expect(counts.versions == 1 && counts.leaks == 1 && counts.reports == 8)
        let row = try detail(page).row
        #expect(row.reports == 3 && row.freed == 1 && row.installs == 2)
        #expect(row.firstVersion == "2.0" && row.lastVersion == "2.0" && row.firstSeen == noon)
        #expect(try detail(page).systems.map(\.reports).reduce(0, +) == 3)
        #expect(try detail(page).history.count == 1)
        #expect(try store.makeReader().samples(of: page.id)?.contains { $0.origin.version == "1.0" } == false)
        #expect(try store.makeReader().leak(cart.id, now: noon) == nil)
        #expect(try store.makeReader().versions(app: shop.scope) == ["2.0"])
        // The five reports after which the leak is shown again are counted from the reports that are left.
        try count(Report(leak: page, version: "2.0", count: 4))
        #expect(try detail(page).row.state == .ignored)
        try count(Report(leak: page, version: "2.0"))
        #expect(try detail(page).row.state != .ignored)
        #expect(try store.verify() == [])
    }

    @Test func `a leak with one remaining build has the installs of that build`() throws {
        try count(
            Report(leak: page, version: "1.0", build: "1", install: 1),
            Report(leak: page, version: "2.0", build: "2", install: 2))
        #expect(try detail(page).row.installs == 2)
        try forget(.version("1.0", of: shop))
        #expect(try detail(page).row.installs == 1)
        try count(Report(leak: page, version: "2.0", build: "2", install: 3))
        try count(Report(leak: page, version: "2.0", build: "3", install: 4))
        #expect(try detail(page).row.installs == 3)
        #expect(try store.verify() == [])
    }

    @Test func `when the current or the pinned version is deleted, another version becomes the current one`()
        throws
    {
        let sessions = ["1.0", "2.0", "3.0"].map { usage(of: $0, reports: 1, sessions: 500) }
        _ = try store.count(sessions, now: noon)
        #expect(try current() == "3.0")
        try forget(.version("3.0", of: shop))
        #expect(try current() == "2.0")
        #expect(try store.pin("1.0", of: shop))
        try forget(.version("1.0", of: shop))
        #expect(try current() == "2.0")
        let release = try #require(try store.makeReader().releases(app: shop).first)
        #expect(!release.isPinned && release.pin == nil)
        try forget(.version("2.0", of: shop))
        #expect(try current() == nil)
        #expect(try store.makeReader().leak(leak("Page").id, now: noon) == nil)
        _ = try store.count(sessions, now: noon)
        #expect(try current() == "3.0")
        #expect(try store.verify() == [])
    }

    private func current() throws -> String? {
        try store.makeReader().appSummaries().first { $0.key == shop }?.currentRelease
    }

    @Test func `a version that is reported first after a deletion contradicts an earlier decision`() throws {
        try count(Report(leak: page, version: "1.0"), Report(leak: cart, version: "3.0"))
        #expect(
            try store.decide(Decision(.resolve(.nextVersion), by: "ada"), about: page.id, now: noon) != nil)
        try forget(.version("3.0", of: shop))
        // The report was made before the decision, but its version was not known then, so that it counts. In SQLite, the version
        // gets the row ID of the deleted version.
        try count(Report(leak: page, version: "4.0", at: noon - 2 * hour), at: noon + hour)
        #expect(try detail(page, now: noon + hour).row.state == .regressed)
    }

    // MARK: Apps

    @Test func `a deleted environment leaves the other environments of the app`() throws {
        let debug = AppKey("shop", environment: "debug")
        let debugPage = leak("Page", environment: "debug")
        try count(Report(leak: page, install: 1), Report(leak: debugPage, install: 2))
        let counts = try forget(.environment(debug))
        #expect(counts.environments == 1 && counts.leaks == 1)
        #expect(try store.makeReader().environments(app: "shop") == [AppKey.production])
        #expect(try detail(page).row.reports == 1)
        try count(Report(leak: debugPage, install: 2))
        #expect(try detail(debugPage).row.reports == 1)
        #expect(try forget(.app("shop")).environments == 2)
        #expect(try store.makeReader().appSummaries().isEmpty)
        #expect(try store.makeReader().overview(app: nil, now: noon).reports == 0)
    }

    @Test func `another collector with a deleted app in its caches counts the app's next reports as new`()
        throws
    {
        let other = try place.store()
        let reports = submission([
            Report(leak: page, version: "1.0", build: "7", install: 1),
            Report(leak: page, version: "1.1", build: "8", install: 2),
        ])
        for store in [store, other] { #expect(try store.count([reports], now: noon) == [.counted]) }
        for target: ForgetTarget in [
            .app("shop"), .environment(shop), .version("1.1", of: shop), .leak(page.id),
        ] {
            try forget(target)
            #expect(try other.count([reports], now: noon) == [.counted])
            #expect(try store.count([reports], now: noon) == [.counted])
            #expect(try store.verify() == [])
        }
        #expect(try detail(page).row.reports == 4 && detail(page).row.installs == 2)
    }

    @Test func `names that were deleted leave room for other names`() throws {
        var limits = StoreLimits()
        (limits.appsPerKey, limits.leaksPerApp, limits.releasesPerApp) = (1, 2, 1)
        let limited = try place.store(limits: limits)
        _ = try limited.count([submission([Report(leak: page), Report(leak: cart)])], now: noon)
        _ = try limited.forget(.leak(page.id))
        _ = try limited.count([submission([Report(leak: leak("List"))])], now: noon)
        #expect(try detail(leak("List")).row.reports == 1)
        _ = try limited.forget(.version("1.0", of: shop))
        _ = try limited.count([submission([Report(leak: page, version: "2.0")])], now: noon)
        #expect(try detail(page).row.firstVersion == "2.0")
        _ = try limited.forget(.app("shop"))
        let till = leak("Page", app: "till")
        _ = try limited.count([submission([Report(leak: till)])], now: noon)
        #expect(try detail(till).row.reports == 1)
        #expect(try store.verify() == [])
    }

    // MARK: Random data

    @Test(arguments: RandomSeeds.upTo(3))
    func `after random deletions a store has the counts of a store that never got the deleted reports`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var model = ForgetModel()
        var partial: Set<LeakID> = []
        for _ in 0..<8 {
            for _ in 0..<10 {
                let added = model.addSubmission(&random)
                #expect(try store.count([added], now: model.now) == [.counted])
            }
            if Bool.random(using: &random) { try store.expire(now: model.now) }
            for _ in 0..<2 {
                let target = model.randomTarget(&random)
                if case .version(_, let app) = target {
                    partial.formUnion((0..<6).map { ForgetModel.identity($0, app).id })
                }
                let expected = try store.makeReader().forgetCounts(of: target) ?? ForgetCounts()
                #expect(try store.forget(target) == expected)
                #expect(try store.verify() == [], "after \(target)")
                model.remove(target)
            }
        }
        let other = StoreLocation()
        let expectedStore = try other.store()
        for submission in model.submissions {
            _ = try expectedStore.count([submission], now: submission.receivedAt)
        }
        let expected = try SplitCounts(of: expectedStore, now: model.now) { !partial.contains($0) }
        let found = try SplitCounts(of: store, now: model.now) { !partial.contains($0) }
        for (line, expected) in zip(found.lines, expected.lines) { #expect(line == expected) }
        #expect(found.lines.count == expected.lines.count)
    }

    @Test func `reports that arrive between the steps of a deletion are counted`() throws {
        let leaks = (0..<160).map { leak("L\($0)") }
        let all = submission(leaks.map { Report(leak: $0, version: "1.0", install: 1) })
        let others = submission(leaks.map { Report(leak: $0, version: "2.0", install: 2) })
        _ = try store.count([all, others], now: noon)
        var steps = 0
        let counts = try store.forget(.version("1.0", of: shop), audit: nil) {
            steps += 1
            #expect(throws: Never.self) {
                _ = try store.count([others], now: noon)
                #expect(try store.verify() == [])
            }
            return true
        }
        #expect(counts?.reports == 160 && counts?.leaks == 0 && steps >= 4)
        #expect(try detail(leaks[0]).row.reports == 1 + steps)
        #expect(try store.verify() == [])
    }

    @Test func `an app that is reported again during its deletion is a new app, and the deletion ends`()
        throws
    {
        try count(Report(leak: page, install: 1), Report(leak: cart, install: 1))
        var steps = 0
        let counts = try store.forget(.app("shop"), audit: nil) {
            steps += 1
            #expect(throws: Never.self) {
                if steps > 1 { try count(Report(leak: page, install: 2)) }
            }
            return steps < 50
        }
        #expect(counts?.environments == 1 && steps < 50)
        try count(Report(leak: page, install: 2))
        #expect(try store.verify() == [])
    }

    @Test func `the releases of an app are deleted in several steps`() throws {
        for version in 1...25 { try count(Report(leak: page, version: "\(version).0", install: 1)) }
        let counts = try forget(.app("shop"))
        #expect(counts.versions == 25 && counts.leaks == 1 && counts.environments == 1)
    }

    @Test func `an interrupted deletion is finished by another call`() throws {
        let leaks = (0..<160).map { leak("L\($0)") }
        _ = try store.count([submission(leaks.map { Report(leak: $0, install: 1) })], now: noon)
        var steps = 0
        let stopped = try store.forget(.app("shop"), audit: nil) {
            steps += 1
            return steps < 3
        }
        #expect(stopped == nil)
        #expect(try store.verify() == [])
        let left = try store.makeReader().overview(app: "shop", now: noon).leaks
        #expect((1..<160).contains(left))
        #expect(try store.forget(.app("shop")).leaks == left)
        #expect(try store.makeReader().appSummaries().isEmpty)
    }
}

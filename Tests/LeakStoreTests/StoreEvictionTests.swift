import LeakSeededRandom
import Testing

@testable import LeakStore

/// Eviction in every store: names that are merged into the leak or version `other`, see ``EvictionRule``.
@Suite struct StoreEvictionTests {
    let place = StoreLocation()
    let shop: AppKey = "shop"

    /// Returns small limits of an app. Use multiples of 20 where a test depends on ``EvictionRule/threshold(_:)`` or
    /// ``EvictionRule/newKeyLimit(_:)``, which round otherwise.
    private static func limits(leaks: Int = 10_000, versions: Int = 1_000) -> StoreLimits {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (leaks, versions)
        return limits
    }

    private func overLimit(_ store: any Store, _ name: OverLimitCount.Name) throws -> Int {
        try store.makeReader().overview(app: "shop", now: noon).overLimit.first { $0.limit == name }?.count
            ?? 0
    }

    private func expectConsistent(
        _ store: any Store, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let problems = try store.verify()
        #expect(problems == [], sourceLocation: sourceLocation)
    }

    private func isStored(_ leak: LeakIdentity, in store: any Store) throws -> Bool {
        try store.makeReader().leak(leak.id, now: noon) != nil
    }

    // MARK: Attacks

    /// Reports of leaks and versions that one sender makes up.
    private static func madeUp(
        leaks: Range<Int>, versions: Range<Int>, installs: Int, keyID: Int64 = 1
    ) -> [Submission] {
        let leakReports = leaks.flatMap { number in
            (0..<installs).map {
                Report(leak: leak("Fake \(number)"), version: "1.0", install: UInt64(1_000_000 + $0))
            }
        }
        let versionReports = versions.flatMap { number in
            (0..<installs).map {
                Report(leak: leak("Page"), version: "9.\(number)-fake", install: UInt64(1_000_000 + $0))
            }
        }
        let reports = versionReports + leakReports
        return stride(from: 0, to: reports.count, by: 2_000).map {
            submission(Array(reports[$0..<min($0 + 2_000, reports.count)]), keyID: keyID)
        }
    }

    private func count(_ submissions: [Submission], in store: any Store) throws {
        for submission in submissions {
            #expect(try store.count([submission], now: noon) == [.counted])
        }
    }

    /// Counts reports of real leaks and versions, each with the minimum number of installs that saves a name from eviction.
    private func countRealReports(in store: any Store) throws {
        for number in 0..<20 {
            let reports = (0..<EvictionRule.minInstalls).map {
                Report(leak: leak("Real \(number)"), version: "1.\(number)", install: UInt64($0))
            }
            _ = try store.count([submission(reports, at: noon)], now: noon)
        }
    }

    private func expectRealReports(in store: any Store) throws {
        let reader = try store.makeReader()
        for number in 0..<20 {
            let detail = try reader.leak(leak("Real \(number)").id, now: noon)
            #expect(detail?.row.installs == EvictionRule.minInstalls, "leak \(number)")
            #expect(detail?.versions.map(\.version) == ["1.\(number)"])
            let query = ReleaseCheckQuery(app: "shop", version: "1.\(number)")
            #expect(try reader.releaseCheck(query, now: noon) != nil)
        }
    }

    @Test(arguments: [false, true])
    func `made-up names that fill an app do not evict names of ten installs`(isRepeated: Bool)
        throws
    {
        let store = try place.store(limits: Self.limits(leaks: 200, versions: 60))
        try expectRealAndNewNames(
            in: store, leaks: 200, versions: 60, isRepeated: isRepeated)
    }

    @Test
    func `2,000 made-up leaks and 200 made-up versions do not evict names of ten installs`()
        throws
    {
        let directory = TemporaryDirectory(isInMemory: true)
        let store = try directory.store(limits: Self.limits(leaks: 2_000, versions: 200))
        try expectRealAndNewNames(in: store, leaks: 2_000, versions: 200, isRepeated: false)
    }

    /// Checks that real names stay, and that new names are counted as such, after a sender has made up as many names as an app may
    /// have.
    private func expectRealAndNewNames(
        in store: any Store, leaks: Int, versions: Int, isRepeated: Bool
    ) throws {
        try countRealReports(in: store)
        try count(Self.madeUp(leaks: 0..<leaks, versions: 0..<versions, installs: 1), in: store)
        let late = leak("Late")
        try count([submission([Report(leak: late, version: "5.0")])], in: store)
        #expect(try !isStored(late, in: store))
        try store.expire(now: noon)
        try expectConsistent(store)
        if isRepeated {
            let (moreLeaks, moreVersions) = (leaks..<2 * leaks, versions..<2 * versions)
            try count(Self.madeUp(leaks: moreLeaks, versions: moreVersions, installs: 1), in: store)
            try store.expire(now: noon)
            try expectConsistent(store)
        }
        try expectRealReports(in: store)
        // The first report of `late` was beyond the limits and counts for the leak and the version `other`. The next report counts
        // under its own names.
        try count([submission([Report(leak: late, version: "5.0")])], in: store)
        let detail = try #require(try store.makeReader().leak(late.id, now: noon))
        #expect(detail.row.reports == 1 && detail.versions.map(\.version) == ["5.0"])
        let overview = try store.makeReader().overview(app: "shop", now: noon)
        #expect(overview.leaks == leaks * 9 / 10 + 1)
        #expect(overview.reports == 200 + (isRepeated ? 2 : 1) * (leaks + versions) + 2)
        #expect(try overLimit(store, .evictedLeaks) >= leaks / 10)
        #expect(try overLimit(store, .evictedReleases) >= versions / 10)
    }

    @Test func `made-up names with many installs do not evict real names, but no new names are counted`()
        throws
    {
        let store = try place.store(limits: Self.limits(leaks: 200, versions: 100))
        try countRealReports(in: store)
        try count(Self.madeUp(leaks: 0..<400, versions: 0..<200, installs: 12), in: store)
        try store.expire(now: noon)
        try expectConsistent(store)
        try expectRealReports(in: store)
        #expect(try overLimit(store, .evictedLeaks) == 0 && overLimit(store, .evictedReleases) == 0)
        let late = leak("Late")
        try count([submission([Report(leak: late, version: "5.0")])], in: store)
        #expect(try !isStored(late, in: store))
        // Names that are not reported any more are evicted after 400 days.
        let later = noon + Int64(EvictionRule.unseenDays + 1) * day
        for number in 0..<20 {
            let report = Report(leak: leak("Real \(number)"), version: "1.\(number)", install: 1, at: later)
            _ = try store.count([submission([report], at: later)], now: later)
        }
        try store.expire(now: later)
        try expectConsistent(store)
        try expectRealReports(in: store)
        _ = try store.count(
            [submission([Report(leak: late, version: "5.0", at: later)], at: later)], now: later)
        #expect(try isStored(late, in: store))
    }

    @Test
    func `after 1,001 versions of pull-request builds, version 5.0.0 counts under its name and is checked`()
        throws
    {
        let store = try place.store()
        let release = { (version: String, install: UInt64) -> Submission in
            var batch = submission([Report(leak: leak("Page"), version: version, install: install)])
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, sessions: 2_000, leakySessions: 0,
                    checks: ["Page": 2_000])
            ]
            return batch
        }
        try count([release("4.9.0", 1)], in: store)
        var batches: [Submission] = []
        for number in 1...1_001 {
            let version = "5.0.0-pr\(number)"
            var batch = submission([
                Report(leak: leak("Page"), version: version, build: "\(number)", install: 2)
            ])
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: "\(number)", installHash: 2, sessions: 3,
                    leakySessions: 1, checks: ["Page": 5])
            ]
            batches.append(batch)
            guard number.isMultiple(of: 90) || number == 1_001 else { continue }
            let receipts = try store.count(batches, now: noon)
            #expect(receipts == [Receipt](repeating: .counted, count: batches.count))
            batches = []
            // The collector evicts each hour.
            try store.expire(now: noon)
        }
        try store.expire(now: noon)
        try expectConsistent(store)
        try count([release("5.0.0", 3)], in: store)
        let reader = try store.makeReader()
        let releases = try reader.releases(app: "shop")
        #expect(releases.first { $0.version == "5.0.0" }?.sessions == 2_000)
        #expect(try overLimit(store, .releases) == 0)
        let query = ReleaseCheckQuery(app: "shop", version: "5.0.0")
        let check = try #require(try reader.releaseCheck(query, now: noon))
        #expect(check.version.version == "5.0.0" && check.baseline?.version == "4.9.0")
        let other = try #require(releases.last)
        #expect(other.version == "other" && other.builds.isEmpty)
        #expect(try overLimit(store, .evictedReleases) * 3 == other.sessions)
        #expect(other.checks == other.sessions / 3 * 5 && other.reports == other.sessions / 3)
    }

    // MARK: Keys

    @Test func `a key of the last seven days leaves the last twentieth of a limit to older keys`() throws {
        let store = try place.store(limits: Self.limits(leaks: 100, versions: 40))
        let old = try store.add(
            Credential(purpose: .ingest, name: "app", hash: [1], createdAt: noon - 8 * day))
        let new = try store.add(
            Credential(purpose: .ingest, name: "new", hash: [2], createdAt: noon - 6 * day))
        for batch in Self.madeUp(leaks: 0..<200, versions: 0..<60, installs: 1, keyID: new.id) {
            _ = try store.count([batch], now: noon)
        }
        let reader = try store.makeReader()
        #expect(try reader.overview(app: "shop", now: noon).leaks == 95 + 1)
        #expect(try reader.versions(app: shop.scope).count == 38 + 1)
        let late = leak("Late")
        for (key, isCounted) in [(new.id, false), (old.id, true)] {
            let batch = submission([Report(leak: late, version: "5.0")], keyID: key)
            _ = try store.count([batch], now: noon)
            #expect(try isStored(late, in: store) == isCounted)
            #expect(try reader.versions(app: shop.scope).contains("5.0") == isCounted)
        }
        try expectConsistent(store)
    }

    // MARK: Names that stay

    @Test func `leaks with a decision or a note stay, however few installs they have`() throws {
        let store = try place.store(limits: Self.limits(leaks: 20))
        let (resolved, noted) = (leak("Resolved"), leak("Noted"))
        _ = try store.count([submission([Report(leak: resolved), Report(leak: noted)])], now: noon)
        _ = try store.decide(Decision(.resolve(.newestVersion), by: "ada"), about: resolved.id, now: noon)
        _ = try store.decide(Decision(.note, note: "ours", by: "ada"), about: noted.id, now: noon)
        let reports = (0..<20).map {
            Report(leak: leak("L\($0)"), install: 1, at: noon - Int64(100 - $0))
        }
        _ = try store.count([submission(reports)], now: noon)
        try store.expire(now: noon)
        try expectConsistent(store)
        #expect(try isStored(resolved, in: store) && isStored(noted, in: store))
        #expect(try store.makeReader().overview(app: "shop", now: noon).leaks == 18)
        // Of leaks with equally many installs, those that were not seen for the longest time are evicted.
        #expect(try !isStored(leak("L0"), in: store) && isStored(leak("L17"), in: store))
    }

    @Test
    func `the current, pinned and decided versions stay, and those that two installs used in the last day`()
        throws
    {
        let store = try place.store(limits: Self.limits(versions: 20))
        let page = leak("Page")
        let old = noon - 3 * day
        _ = try store.count([submission([Report(leak: page, version: "0.1", at: old)])], now: noon)
        _ = try store.decide(
            Decision(.resolve(.version("0.2")), by: "ada"), about: page.id, now: noon)
        let used = [
            Report(leak: page, version: "0.4", install: 1), Report(leak: page, version: "0.4", install: 2),
        ]
        let versions = ["0.2", "0.3"].map { Report(leak: page, version: $0, at: old) }
        _ = try store.count([submission(versions + used)], now: noon)
        #expect(try store.pin("0.3", of: shop))
        let reports = (0..<20).map {
            Report(leak: page, version: "9.\($0)", install: 1, at: old + Int64($0))
        }
        _ = try store.count([submission(reports)], now: noon)
        try store.expire(now: noon)
        try expectConsistent(store)
        let left = try store.makeReader().versions(app: shop.scope)
        #expect(Set(["0.2", "0.3", "0.4"]).isSubset(of: left))
        #expect(left.count == 18 && left.contains("other") && !left.contains("0.1"))
    }

    @Test
    func `a leak is new in the same version, in a list and in a release check, after versions were evicted`()
        throws
    {
        let store = try place.store(limits: Self.limits(versions: 20))
        let old = noon - 30 * day
        // 1.0-pr, 2.0-pr and 9.0-pr are evicted first: they were seen by one install, and before the other versions.
        let versions: [(leak: String, versions: [String])] = [
            ("Fresh", ["2.0", "9.0-pr"]), ("Old", ["1.0-pr", "2.0"]), ("Tested", ["2.0-pr", "2.0"]),
            ("Known", ["1.5", "2.0", "9.0-pr"]),
        ]
        for at in [old, old + day] {
            let reports = versions.flatMap { name, versions in
                versions.filter { $0.hasSuffix("pr") == (at == old) }.map {
                    Report(leak: leak(name), version: $0, install: 1, at: at)
                }
            }
            _ = try store.count([submission(reports, at: at)], now: noon)
        }
        #expect(try store.pin("2.0", of: shop))
        let fill = (0..<17).map {
            Report(leak: leak("Fill"), version: "8.\($0)", install: 1, at: old + 2 * day)
        }
        _ = try store.count([submission(fill, at: old + 2 * day)], now: noon)
        try store.expire(now: noon)
        try expectConsistent(store)
        let left = try store.makeReader().versions(app: shop.scope)
        #expect(
            left.contains("1.5") && left.contains("2.0") && !left.contains { $0.hasSuffix("pr") }, "\(left)")
        let expected = ["Fresh": "2.0", "Old": "other", "Tested": "other", "Known": "1.5"]
        for (name, first) in expected {
            let row = try #require(try store.makeReader().leak(leak(name).id, now: noon)).row
            #expect(row.firstVersion == first && row.isNew == (name == "Fresh"), "\(name)")
        }
        let query = ReleaseCheckQuery(app: "shop", version: "2.0", baseline: "1.5")
        let check = try #require(try store.makeReader().releaseCheck(query, now: noon))
        // The order of an evicted version is kept: 1.0-pr was before 1.5, and 2.0-pr after it.
        #expect(check.newCount == 0 && check.rareCount == 2)
        let lowest = Report(leak: leak("Tested"), version: "1.9", install: 1)
        let higher = Report(leak: leak("Old"), version: "1.9", install: 1)
        _ = try store.count([submission([lowest, higher])], now: noon)
        for (name, first) in ["Tested": "1.9", "Old": "other"] {
            let row = try #require(try store.makeReader().leak(leak(name).id, now: noon)).row
            #expect(row.firstVersion == first, "\(name)")
        }
        try expectConsistent(store)
    }

    @Test func `a fixed leak stays regressed in the same version after versions were evicted`() throws {
        let store = try place.store(limits: Self.limits(versions: 20))
        let page = leak("Page")
        _ = try store.count([submission([Report(leak: page, version: "1.0")])], now: noon)
        _ = try store.decide(Decision(.resolve(.version("2.0")), by: "ada"), about: page.id, now: noon)
        for number in 1...20 {
            let at = noon + hour + Int64(number)
            let report = Report(leak: page, version: "3.0-pr.\(number)", install: 1, at: at)
            _ = try store.count([submission([report], at: at)], now: at)
        }
        let later = noon + 2 * day
        let regressedIn = {
            try store.makeReader().leak(page.id, now: later)?.row.decisionStatus?.regressedIn
        }
        #expect(try regressedIn() == "3.0-pr.1")
        try store.expire(now: later)
        try expectConsistent(store)
        let left = try store.makeReader().versions(app: shop.scope)
        #expect(left.contains("3.0-pr.1") && !left.contains("3.0-pr.2"), "\(left)")
        #expect(try regressedIn() == "3.0-pr.1")
    }

    @Test func `names reported without an install stay if in use for ten days`() throws {
        let store = try place.store(limits: Self.limits(leaks: 20, versions: 20))
        for number in 0...EvictionRule.minInstalls {
            let at = noon - Int64(EvictionRule.minInstalls - number) * day
            let report = Report(leak: leak("Text"), version: "1.0", install: nil, at: at)
            _ = try store.count([submission([report], at: at)], now: at)
        }
        // A report with an early time does not make a name older: the age counts from the time at which the collector received the
        // first report.
        let reports = (0..<20).flatMap { number in
            [noon - 20 * day, noon].map {
                Report(leak: leak("Fake \(number)"), version: "9.\(number)", install: nil, at: $0)
            }
        }
        _ = try store.count([submission(reports)], now: noon)
        let later = noon + 2 * day
        try store.expire(now: later)
        try expectConsistent(store)
        #expect(try isStored(leak("Text"), in: store))
        #expect(try store.makeReader().versions(app: shop.scope).contains("1.0"))
        #expect(try overLimit(store, .evictedLeaks) > 0 && overLimit(store, .evictedReleases) > 0)
    }

    // MARK: The leak and the version that count all others

    @Test func `the leak of all others is the last row of every list, with the totals of all rows`() throws {
        let store = try place.store(limits: Self.limits(leaks: 5))
        for app in ["shop", "till"] {
            let reports = (0..<9).map {
                Report(
                    leak: leak("L\($0)", app: app), install: UInt64($0 % 4), at: noon - Int64($0),
                    count: 1 + $0 % 3)
            }
            _ = try store.count([submission(reports)], now: noon)
        }
        let reader = try store.makeReader()
        func compare(_ sort: LeakQuery.Sort, _ order: LeakQuery.Order, app: String?, others: Int) throws {
            for (period, version) in [(nil, nil), (nil, "1.0"), (.week, nil)] as [(Period?, String?)] {
                for limit in [1, 5, 100] {
                    var query = LeakQuery()
                    (query.app, query.period, query.version) = (app, period, version)
                    (query.sort, query.order, query.limit) = (sort, order, limit)
                    var rows: [LeakRow] = []
                    repeat {
                        let page = try reader.leaks(query, now: noon)
                        #expect(page.total == 6 * others && page.reports == 18 * others)
                        #expect(page.leaks.count <= limit)
                        rows += page.leaks
                        query.cursor = page.next
                    } while query.cursor != nil
                    let isOther = rows.map(\.identity.isOverLimit)
                    #expect(
                        isOther == [Bool](repeating: false, count: 5 * others)
                            + [Bool](repeating: true, count: others), "\(query)")
                    #expect(Set(rows.map(\.identity.id)).count == 6 * others)
                    #expect(rows.allSatisfy { $0.isNew != $0.identity.isOverLimit })
                }
            }
        }
        for sort in LeakQuery.Sort.allCases {
            for order in [LeakQuery.Order.ascending, .descending] {
                try compare(sort, order, app: "shop", others: 1)
                try compare(sort, order, app: nil, others: 2)
            }
        }
    }

    @Test
    func `the leak of all others is never new, neither in a list nor in the overview nor in a release check`()
        throws
    {
        let store = try place.store(limits: Self.limits(leaks: 2))
        let build = { (version: String, names: [String]) -> Submission in
            var batch = submission(
                names.flatMap { name in
                    (0..<64).map {
                        Report(leak: leak(name), version: version, install: UInt64($0), count: 20)
                    }
                })
            batch.usageCounts = (0..<64).map {
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, installHash: UInt64($0), sessions: 500,
                    leakySessions: 20, checks: ["L0": 5_000, "L1": 5_000, "L2": 5_000, "L3": 5_000])
            }
            return batch
        }
        try count([build("1.0", ["L0"]), build("2.0", ["L0", "L1", "L2", "L3"])], in: store)
        let reader = try store.makeReader()
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.currentRelease?.version == "2.0")
        #expect(overview.newLeaks == 1 && overview.newLeakTitles == ["L1"])
        var query = LeakQuery()
        (query.app, query.state) = ("shop", .new)
        let page = try reader.leaks(query, now: noon)
        #expect(page.leaks.map(\.identity.title) == ["L1"] && page.total == 1 && page.reports == 64 * 20)
        let check = try #require(
            try reader.releaseCheck(ReleaseCheckQuery(app: "shop", version: "2.0"), now: noon))
        #expect(check.leaks.map(\.row.identity.title).filter { $0 != "L0" } == ["L1"])
        #expect(check.newCount == 1)
    }

    // MARK: Other collectors

    @Test func `another collector that knows an evicted leak and version counts their next reports as new`()
        throws
    {
        let limits = Self.limits(leaks: 20, versions: 20)
        let (store, other) = (try place.store(limits: limits), try place.store(limits: limits))
        let reports = (0..<20).map {
            Report(
                leak: leak("L\($0)"), version: "1.\($0)", build: "\($0)", install: UInt64($0),
                at: noon - Int64(100 - $0))
        }
        // The other collector has cached all names and sets.
        for collector in [store, other] { _ = try collector.count([submission(reports)], now: noon) }
        try store.expire(now: noon)
        try expectConsistent(store)
        #expect(try !isStored(leak("L0"), in: store))
        for collector in [other, store] {
            _ = try collector.count([submission([reports[0]])], now: noon)
            try expectConsistent(store)
        }
        let detail = try #require(try store.makeReader().leak(leak("L0").id, now: noon))
        #expect(detail.row.reports == 2 && detail.versions.map(\.version) == ["1.0"])
        #expect(try store.makeReader().overview(app: "shop", now: noon).reports == 42)
    }

    // MARK: Random data

    /// The numbers of an app that evictions must not change.
    private struct Totals: Equatable {
        var overview: [Int]
        var releases: [Int]
        var days: [Int: Int]

        init(of store: any Store, _ app: AppKey, now: Int64) throws {
            let reader = try store.makeReader()
            overview = []
            for period in Period.allCases {
                let counts = try reader.overview(app: app.scope, period: period, now: now)
                overview += [counts.reports, counts.recentReports, counts.recentInstalls]
            }
            let found = try reader.releases(app: app)
            releases = [
                found.reduce(0) { $0 + $1.reports }, found.reduce(0) { $0 + $1.sessions },
                found.reduce(0) { $0 + $1.leakySessions }, found.reduce(0) { $0 + $1.checks },
            ]
            days = [:]
            var query = LeakQuery()
            (query.scope, query.state, query.limit) = (app.scope, .any, 1_000)
            for row in try reader.leaks(query, now: now).leaks {
                for (index, reports) in row.trend.enumerated() {
                    days[row.trendFrom + index, default: 0] += reports
                }
                days[-1, default: 0] += row.freed
            }
        }
    }

    private static func randomSubmission(_ random: inout SeededRandom, now: Int64) -> Submission {
        let environment = Bool.random(using: &random) ? AppKey.production : "debug"
        let version = { (random: inout SeededRandom) in "\(Int.random(in: 1...40, using: &random)).0" }
        let reports = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            Report(
                leak: leak("L\(Int.random(in: 0..<60, using: &random))", environment: environment),
                version: version(&random),
                build: Bool.random(using: &random) ? "\(Int.random(in: 1...3, using: &random))" : nil,
                system: "iOS \(Int.random(in: 15...19, using: &random))",
                install: Int.random(in: 0..<4, using: &random) == 0
                    ? nil : UInt64.random(in: 0..<30, using: &random),
                isFreed: Int.random(in: 0..<4, using: &random) == 0,
                at: now
                    - (Bool.random(using: &random) ? 0 : Int64.random(in: 0..<(20 * day), using: &random)),
                count: Int.random(in: 1...5, using: &random), lived: 5)
        }
        var added = submission(reports, at: now)
        if Bool.random(using: &random) {
            added.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", environment: environment, version: version(&random),
                    build: "\(Int.random(in: 1...3, using: &random))",
                    installHash: UInt64.random(in: 0..<30, using: &random),
                    sessions: Int.random(in: 1...200, using: &random), leakySessions: 1,
                    checks: ["L1": 7].merging(
                        ["L\(Int.random(in: 0..<9, using: &random))": 2], uniquingKeysWith: +))
            ]
        }
        return added
    }

    @Test(arguments: RandomSeeds.upTo(2))
    func `random evictions change no total of an app, and steps leave the store consistent`(
        seed: UInt64
    )
        throws
    {
        var random = SeededRandom(seed: seed)
        var limits = Self.limits(leaks: 20, versions: 20)
        limits.checkClassesPerBuild = 4
        let store = try place.store(limits: limits)
        var now = noon
        var evictedCount = 0
        for _ in 0..<4 {
            for _ in 0..<12 {
                now += Int64.random(in: 0..<(6 * hour), using: &random)
                _ = try store.count([Self.randomSubmission(&random, now: now)], now: now)
            }
            if Int.random(in: 0..<2, using: &random) == 0 {
                var query = LeakQuery()
                query.scope = shop.scope
                if let leak = try store.makeReader().leaks(query, now: now).leaks.randomElement(
                    using: &random)
                {
                    let decision = Decision(
                        Bool.random(using: &random)
                            ? .resolve(.newestVersion) : .ignore(.nextReports(3)), by: "ada")
                    _ = try store.decide(decision, about: leak.identity.id, now: now)
                }
            }
            if Int.random(in: 0..<3, using: &random) == 0 { now += 30 * day }
            let apps = [shop, AppKey("shop", environment: "debug")]
            // Old data expires first, so that the second call only evicts.
            if seed.isMultiple(of: 2) { try place.store(limits: .forImports).expire(now: now) }
            let before = try apps.map { try Totals(of: store, $0, now: now) }
            let hasExpired = seed.isMultiple(of: 2)
            _ = try store.expire(now: now) {
                // Checking everything takes longer than a step.
                if Int.random(in: 0..<4, using: &random) == 0 {
                    #expect(throws: Never.self) { try expectConsistent(store) }
                }
                return true
            }
            try expectConsistent(store)
            if hasExpired {
                #expect(try apps.map { try Totals(of: store, $0, now: now) } == before)
            }
            for app in apps {
                let overview = try store.makeReader().overview(app: app.scope, now: now)
                evictedCount += overview.overLimit.filter {
                    $0.limit == .evictedLeaks || $0.limit == .evictedReleases
                }
                .reduce(0) { $0 + $1.count }
            }
        }
        #expect(evictedCount > 0)
    }
}

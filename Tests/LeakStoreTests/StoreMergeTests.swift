import LeakSeededRandom
import LeakStore
import Testing

/// Merging leaks, in every store.
@Suite struct StoreMergeTests {
    let place = StoreLocation()
    let store: any Store
    let old = leak("Page", stack: ["0x1"])
    let other = leak("Page", stack: ["0x2"])
    let new = leak("Page", stack: ["at load in Shop"])

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., at now: Int64 = noon) throws {
        #expect(try store.count([submission(reports, at: now)], now: now) == [.counted])
    }

    @discardableResult
    private func merge(
        _ leaks: [LeakIdentity], into target: LeakIdentity? = nil, now: Int64 = noon
    ) throws -> LeakMerge? {
        let merge = try store.merge(
            leaks.map(\.id), into: target ?? new, by: "regroup", now: now,
            note: { "merged \($0.sources.count)" })
        #expect(try store.verify() == [])
        return merge
    }

    private func detail(_ leak: LeakIdentity? = nil, now: Int64 = noon) throws -> LeakDetail {
        try #require(try store.makeReader().leak((leak ?? new).id, now: now))
    }

    private func decide(_ action: Decision.Action, _ leak: LeakIdentity, at now: Int64 = noon) throws {
        #expect(try store.decide(Decision(action, by: "ada"), about: leak.id, now: now) != nil)
    }

    // MARK: Counts

    @Test(arguments: [false, true])
    func `a merged leak has the counts of its parts`(isThere: Bool) throws {
        try count(
            Report(leak: old, version: "1.0", build: "7", install: 1, count: 3, alive: 4),
            Report(
                leak: old, version: "1.1", system: "iOS 18", install: 2, isFreed: false, at: noon - 2 * day),
            Report(leak: other, version: "1.0", build: "7", install: 1),
            Report(leak: other, version: "1.0", build: "8", install: 3, at: noon - hour, alive: 2),
            Report(leak: other, version: "1.0", build: "8", install: 3, isFreed: true, lived: 500))
        if isThere { try count(Report(leak: new, version: "2.0", install: 1, count: 2)) }
        let reader = try store.makeReader()
        let before = try reader.overview(app: "shop", period: .quarter, now: noon)
        _ = try reader.releases(app: "shop")
        let merge = try #require(try merge([old, other]))
        #expect(merge.isNew == !isThere)
        #expect(merge.sources.map(\.reports).sorted() == [2, 4])

        let after = try detail()
        #expect(after.row.reports == (isThere ? 8 : 6) && after.row.freed == 1)
        #expect(after.row.installs == 3 && after.row.maxAlive == 4)
        #expect(after.row.firstSeen == noon - 2 * day && after.row.lastSeen == noon)
        #expect(after.row.firstVersion == "1.0" && after.row.lastVersion == (isThere ? "2.0" : "1.1"))
        #expect(
            after.versions.filter { $0.version == "1.0" }.map { ($0.build ?? "", $0.reports, $0.installs).2 }
                == [1, 1])
        #expect(after.systems.first { $0.value == "iOS 18" }?.reports == 1)
        #expect(after.lived.map(\.count) == [1])
        #expect(after.samples == (isThere ? 5 : 4))
        #expect(after.row.identity.groupingKey.stack == new.groupingKey.stack)
        #expect(after.history.map(\.note) == ["merged 2"])

        // This reader has read the leaks before the merge.
        let total = try reader.overview(app: "shop", period: .quarter, now: noon)
        #expect(total.reports == before.reports && total.recentInstalls == before.recentInstalls)
        #expect(total.recentReports == before.recentReports && total.leaks == 1)
        #expect(try reader.releases(app: "shop").map(\.leaks) == (isThere ? [1, 1, 1] : [1, 1]))
        #expect(try reader.leak(old.id, now: noon) == nil)
        #expect(try reader.target(ofMerged: old.id) == new.id)
        #expect(try reader.target(ofMerged: new.id) == nil)
        #expect(try reader.outline(of: new.id)?.reports == after.row.reports)
        #expect(try reader.outline(of: old.id) == nil)

        // New reports are counted, by this store and by another store.
        try count(Report(leak: new, version: "1.0", build: "7", install: 9))
        _ = try place.store().count([submission([Report(leak: new, install: 10)])], now: noon)
        try count(Report(leak: new, version: "1.0", build: "8", install: 11))
        #expect(try detail().row.installs == 6)
        #expect(try store.verify() == [])
    }

    @Test
    func `a leak that was merged twice leads to the last target, and is separate again when it is reported`()
        throws
    {
        try count(Report(leak: old), Report(leak: other))
        try merge([old], into: other)
        try merge([other])
        let reader = try store.makeReader()
        #expect(try reader.target(ofMerged: old.id) == new.id)
        #expect(try reader.target(ofMerged: other.id) == new.id)
        try count(Report(leak: old))
        #expect(try reader.target(ofMerged: old.id) == nil)
        #expect(try detail(old).row.reports == 1)
        try merge([old])
        #expect(try reader.target(ofMerged: old.id) == new.id)
        #expect(try detail().row.reports == 3)
    }

    @Test func `missing leaks, the target itself, and leaks of another app are not merged`() throws {
        let foreign = leak("Page", app: "other app")
        try count(Report(leak: new), Report(leak: foreign))
        #expect(try merge([old, new]) == nil)
        #expect(throws: StoreError.self) { try merge([foreign]) }
        #expect(try detail().row.reports == 1 && detail().history.isEmpty)
    }

    @Test
    func `a merged leak has no more samples than other leaks, and keeps the first and the newest sample`()
        throws
    {
        for (leak, start) in [(old, noon - day), (new, noon)] {
            for number in 0..<30 {
                try count(Report(leak: leak, at: start + Int64(number) * 1_000, body: "{\"n\":\(number)}"))
            }
        }
        try merge([old])
        let samples = try #require(try store.makeReader().samples(of: new.id))
        #expect((10...18).contains(samples.count))
        #expect(samples.map(\.at).max() == noon + 29_000 && samples.map(\.at).min() == noon - day)
        #expect(Set(samples.map(\.at)).count == samples.count)
        let ofOld = samples.count { $0.at < noon - hour }
        #expect((2...16).contains(ofOld))
    }

    @Test func `reports of system versions beyond the limit are still counted after a merge`() throws {
        for (leak, offset) in [(old, 0), (new, 150)] {
            for number in 0..<150 {
                try count(Report(leak: leak, system: "S\(number + offset)", model: nil))
            }
        }
        try merge([old])
        #expect(try detail().systems.map(\.reports).reduce(0, +) == 300)
    }

    // MARK: Decisions

    @Test
    func
        `after a merge the latest decision is in force; only reports made after that decision contradict it`()
        throws
    {
        try count(
            Report(leak: old, version: "2.0", at: noon - 3 * day),
            Report(leak: new, version: "2.0", at: noon - 3 * day, count: 5), at: noon - 2 * day)
        try decide(.ignore(nil), new, at: noon - 2 * day)
        try decide(.resolve(.version("2.0")), old, at: noon - day)
        let merge = try #require(try merge([old]))
        #expect(merge.decisionInForce?.leak == old.id && merge.decidedLeakCount == 2)
        #expect(try detail().row.state == .resolved)
        #expect(try detail().row.decisionStatus?.reportsSince == 0)
        #expect(
            try detail().history.map(\.action) == [
                .noted, .resolved(version: "2.0", isAfter: false), .ignored(nil),
            ])
        try count(Report(leak: new, version: "2.1"))
        #expect(try detail().row.state == .regressed)
    }

    @Test func `reports of either part of a merged leak contradict the decision if they were made after it`()
        throws
    {
        try count(Report(leak: old, version: "2.0", at: noon - 3 * day), at: noon - 2 * day)
        try decide(.resolve(.version("2.0")), old, at: noon - day)
        try count(Report(leak: new, version: "2.0", at: noon - 2 * hour, count: 2))
        try merge([old])
        #expect(try detail().row.state == .regressed)
        #expect(try detail().row.decisionStatus?.reportsSince == 2)
    }

    @Test func `a merged leak resolved in a build regresses only with reports of this build or later builds`()
        throws
    {
        try count(
            Report(leak: old, version: "2.0", build: "892", at: noon - 3 * day),
            Report(leak: new, version: "2.0", build: "892", at: noon - 3 * day, count: 50), at: noon - 2 * day
        )
        try decide(.resolve(.version("2.0", build: "895")), old, at: noon - day)
        try merge([old])
        let action = PastDecision.Action.resolved(version: "2.0", build: "895", isAfter: false)
        #expect(try detail().row.decisionStatus?.decision.action == action)
        try count(Report(leak: new, version: "2.0", build: "892", count: 9))
        #expect(try detail().row.state == .resolved)
        try count(Report(leak: new, version: "2.0", build: "895", count: 2))
        #expect(try detail().row.state == .regressed)
        #expect(try detail().row.decisionStatus?.reportsSince == 2)
        #expect(try store.verify() == [])
    }

    @Test func `a merge does not hide that a part without the decision came back in the build with the fix`()
        throws
    {
        try count(
            Report(leak: old, version: "2.0", build: "892", at: noon - 3 * day),
            Report(leak: new, version: "2.0", build: "892", at: noon - 3 * day, count: 50), at: noon - 2 * day
        )
        try decide(.resolve(.version("2.0", build: "895")), old, at: noon - day)
        try count(Report(leak: new, version: "2.0", build: "895", count: 2))
        try merge([old])
        #expect(try detail().row.state == .regressed)
    }

    @Test
    func `reports that a part had in the build with the fix do not contradict the decision of a merged leak`()
        throws
    {
        try count(
            Report(leak: old, version: "2.0", build: "892", at: noon - 3 * day),
            Report(leak: new, version: "2.0", build: "892", at: noon - 3 * day, count: 30),
            Report(leak: new, version: "2.0", build: "895", at: noon - 3 * day, count: 20), at: noon - 2 * day
        )
        try decide(.resolve(.version("2.0", build: "895")), old, at: noon - day)
        // A build without the fix that was first used after the decision.
        try count(Report(leak: new, version: "2.0", build: "893", count: 10))
        try merge([old])
        #expect(try detail().row.state == .resolved)
        try count(Report(leak: new, version: "2.0", build: "896"))
        #expect(try detail().row.decisionStatus?.regressedInBuild == "896")
        #expect(try detail().row.decisionStatus?.reportsSince == 1)
    }

    @Test(arguments: [false, true])
    func `late reports do not contradict the decision of a merged leak`(areHoursDeleted: Bool) throws {
        let decision = noon - day + hour / 2
        try count(
            Report(leak: old, version: "2.0", at: noon - day, count: 5),
            Report(leak: new, version: "2.0", at: noon - day, count: 4), at: decision)
        try decide(.resolve(.version("2.0")), old, at: decision)
        if areHoursDeleted { try store.expire(now: noon + 100 * day) }
        try merge([old])
        #expect(try detail().row.state == .resolved)
        try count(Report(leak: new, version: "2.0", at: noon - 5 * day, count: 2))
        #expect(try detail().row.state == .resolved)
        try count(Report(leak: new, version: "2.0", at: noon - hour))
        #expect(try detail().row.state == .regressed)
        #expect(try detail().row.decisionStatus?.reportsSince == 1)
    }

    @Test
    func `if a leak is ignored for a number of reports, later reports of leaks merged with it also count`()
        throws
    {
        try count(
            Report(leak: old, at: noon - 3 * day, count: 4),
            Report(leak: new, at: noon - 3 * day, count: 7), at: noon - 2 * day)
        try decide(.ignore(.nextReports(10)), old, at: noon - day)
        try count(Report(leak: new, count: 8))
        try merge([old])
        #expect(try detail().row.state == .ignored)
        #expect(try detail().row.decisionStatus?.reportsSince == 8)
        try count(Report(leak: new, count: 2))
        #expect(try detail().row.state == .open)
    }

    @Test
    func `an ignored merged leak is reopened if a part is reopened later, but not by an undecided part`()
        throws
    {
        try count(Report(leak: old), Report(leak: other), Report(leak: new))
        try decide(.ignore(nil), old, at: noon - day)
        try merge([other])
        #expect(try detail().row.state == .open)
        try merge([old])
        #expect(try detail().row.state == .ignored)
        try count(Report(leak: other))
        try decide(.ignore(nil), other)
        try decide(.reopen, other, at: noon + 1)
        let merge = try #require(try merge([other]))
        #expect(merge.decisionInForce?.decision.action == .reopened)
        #expect(try detail().row.state == .open)
    }

    @Test func `an erased install is removed from merged leaks too`() throws {
        try count(
            Report(leak: old, build: "1", install: 5), Report(leak: old, build: "2", install: 6),
            Report(leak: new, build: "2", install: 5))
        try merge([old])
        #expect(try detail().row.installs == 2)
        #expect(try store.erase(install: 5).samples > 0)
        #expect(try detail().row.installs == 1)
        #expect(try store.makeReader().samples(of: new.id)?.map(\.origin.install) == ["i6"])
        #expect(try store.verify() == [])
    }

    @Test(arguments: 1...5)
    func `an install that is erased while leaks are merged is removed`(step: Int) throws {
        let leaks = (0..<1_100).map { leak("L\($0)") }
        try count(
            Report(leak: leaks[0], build: "1", install: 1), Report(leak: leaks[0], build: "2", install: 2))
        _ = try store.count(
            [submission(leaks.map { Report(leak: $0, build: "1", install: 3) })], now: noon)
        let last = leaks[1_099]
        try count(Report(leak: last, build: "1", install: 5), Report(leak: last, build: "2", install: 5))
        var steps = 0
        _ = try store.erase(
            install: 5,
            while: {
                steps += 1
                if steps == step {
                    _ = try? store.merge(
                        [last.id], into: leaks[0], by: "r", now: noon, note: { _ in "merged" })
                }
                return true
            })
        #expect(steps > step)
        #expect(try detail(leaks[0]).row.installs == 3)
        #expect(try detail(leaks[0]).versions.allSatisfy { $0.installs <= 2 })
        #expect(try store.verify() == [])
    }

    @Test
    func `a leak with expired hourly counts can be merged into a leak whose hourly counts are still stored`()
        throws
    {
        let long = 120 * day
        try count(Report(leak: old), at: noon)
        try store.expire(now: noon + long)
        try count(Report(leak: old, at: noon + long), at: noon + long)
        try count(Report(leak: new, at: noon + long - 29 * day), at: noon + long)
        try merge([old], now: noon + long)
        #expect(try detail(now: noon + long).row.reports == 3)
    }

    // MARK: Random leaks

    @Test(arguments: RandomSeeds.upTo(3))
    func `totals are the same before and after a merge of random leaks`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var now = noon
        let leaks = (0..<6).map { leak("L\($0 % 3)", stack: ["S\($0)"]) }
        for _ in 0..<60 {
            now += Int64.random(in: 0..<(3 * hour), using: &random)
            var reports: [Report] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                var report = Report(leak: leaks[Int.random(in: 0..<6, using: &random)])
                report.version = "1.\(Int.random(in: 0..<4, using: &random))"
                report.build = ["1", "2", nil].randomElement(using: &random) ?? nil
                report.system = ["iOS 18", "iOS 19", nil].randomElement(using: &random) ?? nil
                report.install = UInt64.random(in: 0..<400, using: &random)
                report.isFreed = Int.random(in: 0..<6, using: &random) == 0
                report.lived = report.isFreed ? 100 : nil
                report.at = now - Int64.random(in: 0..<(20 * day), using: &random)
                report.count = Int.random(in: 1...9, using: &random)
                reports.append(report)
            }
            _ = try store.count([submission(reports, at: now)], now: now)
            if Int.random(in: 0..<8, using: &random) == 0 {
                let action = [Decision.Action.resolve(.newestVersion), .ignore(.nextReports(5)), .reopen]
                    .randomElement(using: &random)
                _ = try store.decide(
                    Decision(action ?? .reopen, by: "ada"),
                    about: leaks[Int.random(in: 0..<6, using: &random)].id, now: now)
            }
            if Int.random(in: 0..<20, using: &random) == 0 { try store.expire(now: now) }
        }
        let reader = try store.makeReader()
        var total = try Totals(reader, now: now)
        for round in 0..<4 {
            let sources = leaks.indices.filter { _ in Bool.random(using: &random) }.map { leaks[$0].id }
            let target = round == 1 ? leak("New") : leaks[Int.random(in: 0..<6, using: &random)]
            _ = try store.merge(sources, into: target, by: "r", now: now, note: { _ in "merged" })
            #expect(try store.verify() == [])
            let after = try Totals(try store.makeReader(), now: now)
            #expect(after == total)
            #expect(try Totals(reader, now: now) == total)
            _ = try store.count(
                [submission(leaks.map { Report(leak: $0, install: 7, at: now) }, at: now)], now: now)
            #expect(try store.verify() == [])
            total = try Totals(reader, now: now)
        }
    }

    /// The totals that a merge does not change.
    private struct Totals: Equatable {
        var reports: Int
        var freed: Int
        var recentReports: [Int]
        var recentInstalls: [Int]
        var releases: [[Int]]
        var days: [Int: Int] = [:]
        var history: Int

        init(_ reader: any StoreReader, now: Int64) throws {
            var query = LeakQuery()
            (query.state, query.limit) = (.any, 200)
            let rows = try reader.leaks(query, now: now).leaks
            reports = rows.reduce(0) { $0 + $1.reports }
            freed = rows.reduce(0) { $0 + $1.freed }
            let overviews = try Period.allCases.map { try reader.overview(app: "shop", period: $0, now: now) }
            recentReports = overviews.map(\.recentReports)
            recentInstalls = overviews.map(\.recentInstalls)
            releases = try reader.releases(app: "shop").map {
                [$0.reports, $0.installs, $0.sessions, $0.checks]
            }
            history = 0
            for row in rows {
                let detail = try #require(try reader.leak(row.identity.id, now: now))
                history += detail.history.count { $0.setsState }
                for (offset, count) in detail.row.trend.enumerated() {
                    days[detail.row.trendFrom + offset, default: 0] += count
                }
            }
        }
    }
}

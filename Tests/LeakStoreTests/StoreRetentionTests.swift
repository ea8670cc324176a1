import LeakSeededRandom
import Testing

@testable import LeakStore

/// Old samples, leaks and versions that are deleted, and counts by day that become counts by week, in every store:
/// ``RetentionRule``.
@Suite struct StoreRetentionTests {
    let place = StoreLocation()
    let shop: AppKey = "shop"

    private func count(_ reports: Report..., in store: any Store, at now: Int64) throws {
        let reports = reports.map { report in
            var report = report
            report.at = now
            return report
        }
        #expect(try store.count([submission(reports, at: now)], now: now) == [.counted])
    }

    private func isStored(_ leak: LeakIdentity, in store: any Store, now: Int64) throws -> Bool {
        try store.makeReader().leak(leak.id, now: now) != nil
    }

    private func versions(in store: any Store) throws -> [String] {
        try store.makeReader().versions(app: shop.scope)
    }

    private func overLimit(_ store: any Store, _ name: OverLimitCount.Name) throws -> Int {
        try store.makeReader().overview(app: "shop", now: noon).overLimit.first { $0.limit == name }?.count
            ?? 0
    }

    /// Returns the numbers that a statement selects. It sees all counts, because reading the overview flushes the logs.
    private func numbers(_ sql: SQLText, in store: any Store) throws -> [Int64] {
        let reader = try #require(try store.makeReader() as? any QueryReader)
        _ = try reader.overview(app: "shop", now: noon)
        return try reader.read(.numbers(sql))
    }

    // MARK: Ages

    @Test(arguments: [
        (age: 400, days: 400, stays: true), (401, 400, false), (61, 60, false), (60, 60, true),
        (5_000, nil, true),
    ])
    func `leaks and versions are deleted once they were not seen for the days of the setting`(
        age: Int, days: Int?, stays: Bool
    ) throws {
        let store = try place.store(retention: RetentionRule(unseenDays: days))
        let now = noon + Int64(age) * day
        let (old, new) = (leak("Old"), leak("New"))
        try count(
            Report(leak: old, version: "1.0", build: "1", install: 1, count: 3),
            Report(leak: old, version: "1.1", install: 2), in: store, at: noon)
        try count(Report(leak: new, version: "2.0", install: 1), in: store, at: now)
        let shown = try store.makeReader().retentionCounts(by: RetentionRule(unseenDays: days), now: now)
        #expect(shown.map(\.leaks).reduce(0, +) == (stays ? 0 : 1))
        #expect(shown.map(\.versions).reduce(0, +) == (stays ? 0 : 2))
        try store.expire(now: now)
        #expect(try store.verify() == [])
        #expect(try isStored(old, in: store, now: now) == stays)
        #expect(try isStored(new, in: store, now: now))
        #expect(try versions(in: store) == (stays ? ["2.0", "1.1", "1.0"] : ["2.0"]))
        #expect(try store.makeReader().overview(app: "shop", now: now).reports == (stays ? 5 : 1))
        #expect(try overLimit(store, .deletedLeaks) == (stays ? 0 : 1))
        #expect(try overLimit(store, .deletedReleases) == (stays ? 0 : 2))
    }

    @Test(arguments: [
        (age: 90, days: 90, stays: true), (91, 90, false), (8, 7, false), (7, 7, true), (3_000, nil, true),
    ])
    func `samples are deleted after the days of the setting`(age: Int, days: Int?, stays: Bool) throws {
        let rule = RetentionRule(sampleDays: days, unseenDays: nil, dailyDays: nil)
        let store = try place.store(retention: rule)
        let page = leak("Page")
        try count(Report(leak: page), in: store, at: noon)
        let now = noon + Int64(age) * day
        let expected = try store.makeReader().samples(of: page.id)?.count
        let counts = try store.makeReader().retentionCounts(by: rule, now: now)
        #expect(counts.isEmpty == stays && counts.allSatisfy { $0.samples > 0 })
        try store.expire(now: now)
        #expect(try store.verify() == [])
        #expect(try store.makeReader().samples(of: page.id)?.count == (stays ? expected : 0))
        #expect(try store.makeReader().retentionCounts(by: rule, now: now) == [])
    }

    @Test func `symbols are kept ten days longer than samples, and at least a hundred days`() {
        #expect(RetentionRule(sampleDays: 7).symbolDays == 100)
        #expect(RetentionRule(sampleDays: 200).symbolDays == 210)
        #expect(RetentionRule(sampleDays: nil).symbolDays == nil)
    }

    @Test
    func `a deleted leak and version that are reported again are new, also for a collector that knew them`()
        throws
    {
        let (store, other) = (try place.store(), try place.store())
        let old = leak("Old")
        for collector in [store, other] {
            try count(Report(leak: old, version: "1.0", build: "1", install: 1), in: collector, at: noon)
        }
        let now = noon + 401 * day
        try count(Report(leak: leak("New"), version: "2.0"), in: store, at: now)
        try store.expire(now: now)
        #expect(try !isStored(old, in: store, now: now) && versions(in: store) == ["2.0"])
        for collector in [other, store] {
            try count(Report(leak: old, version: "2.0", build: "1", install: 1), in: collector, at: now)
            #expect(try store.verify() == [])
        }
        let detail = try #require(try store.makeReader().leak(old.id, now: now))
        #expect(detail.row.reports == 2 && detail.row.isNew && detail.row.firstVersion == "2.0")
        #expect(detail.row.firstSeen == now)
    }

    // MARK: Names that stay

    @Test
    func `leaks with a decision or a comment stay, and those with notes of the collector itself do not`()
        throws
    {
        let store = try place.store()
        let names = [
            "Resolved", "Ignored", "Reopened", "Commented", "Regrouped", "Symbolicated", "Merged", "Plain",
        ]
        for name in names { try count(Report(leak: leak(name)), in: store, at: noon) }
        let decisions: [(String, Decision)] = [
            ("Resolved", Decision(.resolve(.newestVersion), by: "ada")),
            ("Ignored", Decision(.ignore(nil), by: "ada")),
            ("Reopened", Decision(.ignore(nil), by: "ada")), ("Reopened", Decision(.reopen, by: "ada")),
            ("Commented", Decision(.note, note: "ours", by: "ada")),
        ]
        for (name, decision) in decisions { _ = try store.decide(decision, about: leak(name).id, now: noon) }
        for (name, author) in [
            ("Regrouped", Decision.AutomaticAuthor.regroup.rawValue),
            ("Symbolicated", Decision.AutomaticAuthor.symbols.rawValue), ("Merged", "ada"),
        ] {
            try count(Report(leak: leak("Part of \(name)")), in: store, at: noon)
            let merge = try store.merge(
                [leak("Part of \(name)").id], into: leak(name), by: author, now: noon, note: { _ in "merged" }
            )
            #expect(merge != nil)
        }
        let now = noon + 401 * day
        try count(Report(leak: leak("New"), version: "2.0"), in: store, at: now)
        try store.expire(now: now)
        #expect(try store.verify() == [])
        let stored = try names.filter { try isStored(leak($0), in: store, now: now) }
        #expect(stored == ["Resolved", "Ignored", "Reopened", "Commented", "Merged"])
        #expect(try overLimit(store, .deletedLeaks) == 3)
    }

    @Test
    func
        `the current, pinned and decided versions stay, and the leak and version that count all others`()
        throws
    {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (6, 6)
        let store = try place.store(limits: limits)
        let page = leak("Page")
        // The versions beyond the limit count as `other`, and so do the leaks.
        for version in ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"] {
            try count(Report(leak: page, version: version, install: 1), in: store, at: noon)
        }
        for number in 0..<8 {
            try count(Report(leak: leak("L\(number)"), version: "1.1"), in: store, at: noon)
        }
        #expect(try store.pin("1.2", of: shop))
        _ = try store.decide(Decision(.resolve(.version("1.3")), by: "ada"), about: leak("L0").id, now: noon)
        _ = try store.decide(Decision(.note, note: "ours", by: "ada"), about: page.id, now: noon)
        let now = noon + 401 * day
        #expect(try versions(in: store).contains(StoreLimits.other))
        try store.expire(now: now)
        #expect(try store.verify() == [])
        // L0 was first seen in 1.1, and Page in 1.0.
        let left = try versions(in: store)
        #expect(left == ["1.3", "1.2", "1.1", "1.0", "other"])
        let stored = try numbers("select count(*) from leak", in: store)
        // Page, L0, and the leak that counts others.
        #expect(stored == [3])
        #expect(try isStored(page, in: store, now: now) && isStored(leak("L0"), in: store, now: now))
    }

    @Test func `a version in which a leak was first seen stays, so that the leak is not new in a later one`()
        throws
    {
        let store = try place.store()
        let page = leak("Page")
        for version in ["1.0", "1.1", "1.2"] {
            try count(Report(leak: page, version: version, install: 1), in: store, at: noon)
        }
        let now = noon + 401 * day
        try count(Report(leak: page, version: "2.0", install: 1), in: store, at: now)
        try store.expire(now: now)
        #expect(try store.verify() == [])
        #expect(try versions(in: store) == ["2.0", "1.0"])
        let detail = try #require(try store.makeReader().leak(page.id, now: now))
        #expect(!detail.row.isNew && detail.row.firstVersion == "1.0" && detail.row.reports == 2)
        #expect(try store.makeReader().overview(app: "shop", now: now).newLeaks == 0)
    }

    @Test func `versions in which a resolved leak was seen again stay, as the evidence that it regressed`()
        throws
    {
        let store = try place.store()
        let (page, cart) = (leak("Page"), leak("Cart"))
        try count(Report(leak: page, version: "1.0"), Report(leak: cart, version: "1.0"), in: store, at: noon)
        _ = try store.decide(Decision(.resolve(.version("2.0")), by: "ada"), about: page.id, now: noon)
        for (number, version) in ["1.5", "2.1", "2.2"].enumerated() {
            try count(
                Report(leak: page, version: version), Report(leak: cart, version: version), in: store,
                at: noon + Int64(number + 1) * day)
        }
        try count(Report(leak: cart, version: "2.3"), in: store, at: noon + 5 * day)
        let before = try #require(try store.makeReader().leak(page.id, now: noon + 5 * day))
        #expect(before.row.decisionStatus?.regressedIn == "2.1")
        let now = noon + 500 * day
        try count(Report(leak: cart, version: "3.0"), in: store, at: now)
        try store.expire(now: now)
        #expect(try store.verify() == [])
        #expect(try versions(in: store) == ["3.0", "2.2", "2.1", "1.0"])
        let after = try #require(try store.makeReader().leak(page.id, now: now))
        #expect(after.row.decisionStatus == before.row.decisionStatus)
    }

    // MARK: Counts by week

    /// Monday, 2026-11-16.
    private static let monday = Calendar.firstDayOfWeek(Calendar.day(of: noon))

    @Test func `old counts by day are counted on the Monday of their week, and all sums stay`() throws {
        let store = try place.store(retention: RetentionRule(unseenDays: nil, dailyDays: 98))
        let (page, cart) = (leak("Page"), leak("Cart"))
        for offset in 0..<21 {
            let now = (Int64(Self.monday) + Int64(offset)) * day + hour
            try count(
                Report(leak: page, version: "1.0", install: 1, count: 2), Report(leak: page, version: "1.1"),
                in: store, at: now)
            if offset == 2 { try count(Report(leak: cart), in: store, at: now) }
        }
        // The first two weeks are older than 98 days, and the third is not.
        let now = (Int64(Self.monday) + 98 + 14) * day
        #expect(
            try store.makeReader().retentionCounts(
                by: RetentionRule(sampleDays: nil, unseenDays: nil, dailyDays: 98), now: now)
                == [RetentionCounts(app: shop, days: 12 * 2 + 1)])
        try store.expire(now: now)
        #expect(try store.verify() == [])
        let days = try numbers("select day from leak_day order by leak, release, day", in: store)
        let expected = ([0, 7] + Array(14..<21)).map { Int64(Self.monday + $0) }
        #expect(days == expected + expected + [Int64(Self.monday)])
        let reports = try numbers("select reports from leak_day order by leak, release, day", in: store)
        #expect(
            reports == [14, 14] + [Int64](repeating: 2, count: 7) + [7, 7] + [Int64](repeating: 1, count: 7)
                + [1])
        let reader = try store.makeReader()
        #expect(try reader.leak(page.id, now: now)?.row.reports == 63)
        #expect(try reader.leak(page.id, now: now)?.row.lastSeen == (Int64(Self.monday) + 20) * day + hour)
        // Further reports, also in the oldest version, count as before.
        try count(Report(leak: page, version: "1.0"), Report(leak: cart), in: store, at: now)
        #expect(try store.verify() == [])
        var query = LeakQuery()
        (query.app, query.period, query.state) = ("shop", .quarter, .any)
        #expect(try store.makeReader().leaks(query, now: now).leaks.map(\.reports).sorted() == [1, 1])
        // A later run has nothing to do, until another week has passed.
        try store.expire(now: now + 6 * day)
        #expect(try numbers("select count(*) from leak_day", in: store) == [21])
        try store.expire(now: now + 7 * day)
        #expect(try store.verify() == [])
        #expect(try numbers("select count(*) from leak_day", in: store) == [9])
    }

    @Test func `days of a week in which a decision was made stay, so that the leak stays regressed`() throws {
        let store = try place.store(retention: RetentionRule(unseenDays: nil, dailyDays: 98))
        let page = leak("Page")
        let wednesday = (Int64(Self.monday) + 2) * day
        try count(
            Report(leak: page, version: "1.0"), Report(leak: page, version: "2.0"), in: store, at: wednesday)
        _ = try store.decide(
            Decision(.resolve(.version("2.0")), by: "ada"), about: page.id, now: wednesday + hour)
        try count(Report(leak: page, version: "2.0"), in: store, at: wednesday + day)
        let before = try #require(try store.makeReader().leak(page.id, now: wednesday + day))
        #expect(before.row.decisionStatus?.regressedIn == "2.0")
        let now = wednesday + 120 * day
        try store.expire(now: now)
        #expect(try store.verify() == [])
        let after = try #require(try store.makeReader().leak(page.id, now: now))
        #expect(after.row.decisionStatus == before.row.decisionStatus)
        #expect(after.row.fix == before.row.fix)
    }

    @Test func `nothing is counted by week or deleted if everything is kept forever`() throws {
        let store = try place.store(retention: .unlimited)
        for offset in 0..<10 {
            try count(Report(leak: leak("Page")), in: store, at: noon + Int64(offset) * day)
        }
        let now = noon + 3_000 * day
        #expect(try store.makeReader().retentionCounts(by: .unlimited, now: now) == [])
        try store.expire(now: now)
        #expect(try store.verify() == [])
        #expect(try numbers("select count(*) from leak_day", in: store) == [10])
        #expect(try store.makeReader().samples(of: leak("Page").id)?.isEmpty == false)
    }

    // MARK: Random data

    /// The numbers of rows that a run deletes or moves.
    private struct RowCounts: Equatable {
        var leaks: Int64
        var versions: Int64
        var samples: Int64
        var oldDays: Int64
    }

    private func rowCounts(_ store: any Store, _ times: RetentionRule.Times) throws -> RowCounts {
        func number(_ sql: String) throws -> Int64 { try numbers(.composed(sql), in: store).first ?? 0 }
        return RowCounts(
            leaks: try number("select count(*) from leak"),
            versions: try number("select count(*) from release"),
            samples: try number("select count(*) from sample"),
            oldDays: try number(
                """
                select count(*) from leak_day d where \(RetentionRule.dayCondition(from: "0", before: "\(times.combinedBefore)"))
                """))
    }

    private static func randomSubmission(_ random: inout SeededRandom, newestLeak: Int, now: Int64)
        -> Submission
    {
        let names = max(0, newestLeak - 15)...newestLeak
        let reports = (0..<Int.random(in: 1...10, using: &random)).map { _ in
            Report(
                leak: leak(
                    "L\(Int.random(in: names, using: &random))",
                    environment: Bool.random(using: &random) ? AppKey.production : "debug"),
                version:
                    "\(Int.random(in: names, using: &random) / 5).\(Int.random(in: 0..<2, using: &random))",
                build: Bool.random(using: &random) ? "\(Int.random(in: 1...3, using: &random))" : nil,
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
                    app: "shop", version: "\(newestLeak / 5).1", build: "1",
                    installHash: UInt64.random(in: 0..<30, using: &random),
                    sessions: Int.random(in: 1...200, using: &random), leakySessions: 1, checks: ["L1": 7])
            ]
        }
        return added
    }

    @Test(arguments: RandomSeeds.upTo(2))
    func
        `a run on random data deletes what the preview shows, and steps leave the store consistent`(
            seed: UInt64
        ) throws
    {
        var random = SeededRandom(seed: seed)
        // Every second seed keeps all leaks and versions, so that counts by day are moved and none is deleted.
        let rule = RetentionRule(
            sampleDays: 90, unseenDays: seed.isMultiple(of: 2) ? nil : 200, dailyDays: seed == 3 ? nil : 98)
        let store = try place.store(retention: rule)
        var now = noon
        var (deleted, moved) = (RetentionCounts(app: shop), 0)
        for round in 0..<12 {
            for _ in 0..<10 {
                now += Int64.random(in: 0..<(4 * day), using: &random)
                let batch = Self.randomSubmission(&random, newestLeak: 15 + 4 * round, now: now)
                #expect(try store.count([batch], now: now) == [.counted])
            }
            var query = LeakQuery()
            query.scope = shop.scope
            if round.isMultiple(of: 2),
                let leak = try store.makeReader().leaks(query, now: now).leaks.randomElement(using: &random)
            {
                let actions: [Decision.Action] = [
                    .resolve(.newestVersion), .resolve(.nextVersion), .ignore(.nextReports(3)), .note,
                ]
                _ = try store.decide(
                    Decision(try #require(actions.randomElement(using: &random)), note: "ours", by: "ada"),
                    about: leak.identity.id, now: now)
            }
            now += Int64.random(in: 0..<(40 * day), using: &random)
            let times = RetentionRule.Times(rule, now: now)
            let before = try rowCounts(store, times)
            let shown = try store.makeReader().retentionCounts(by: rule, now: now)
            _ = try store.expire(now: now) {
                // A verification takes longer than a step.
                if Int.random(in: 0..<5, using: &random) == 0 { #expect((try? store.verify()) == []) }
                return true
            }
            #expect(try store.verify() == [])
            #expect(try store.makeReader().retentionCounts(by: rule, now: now) == [])
            let after = try rowCounts(store, times)
            func sum(_ field: KeyPath<RetentionCounts, Int>) -> Int {
                shown.reduce(0) { $0 + $1[keyPath: field] }
            }
            #expect(before.leaks - after.leaks == sum(\.leaks), "round \(round)")
            #expect(before.versions - after.versions == sum(\.versions), "round \(round)")
            #expect(before.samples - after.samples == sum(\.samples), "round \(round)")
            if rule.unseenDays == nil {
                #expect(before.oldDays - after.oldDays == sum(\.days), "round \(round)")
            }
            deleted.leaks += sum(\.leaks)
            deleted.versions += sum(\.versions)
            moved += sum(\.days)
        }
        #expect(rule.unseenDays == nil || deleted.leaks > 0 && deleted.versions > 0)
        #expect(rule.dailyDays == nil || moved > 0)
        let apps = [shop, AppKey("shop", environment: "debug")]
        let counted = try apps.flatMap { try store.makeReader().overview(app: $0.scope, now: now).overLimit }
        #expect(counted.filter { $0.limit == .deletedLeaks }.reduce(0) { $0 + $1.count } == deleted.leaks)
        #expect(
            counted.filter { $0.limit == .deletedReleases }.reduce(0) { $0 + $1.count } == deleted.versions)
    }
}

import LeakStore
import Testing

/// The contract of every store. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoreContractTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func detail(_ identity: LeakIdentity, now: Int64 = noon) throws -> LeakDetail {
        try #require(try store.makeReader().leak(identity.id, now: now))
    }

    @Test func `the size of the database grows with its contents`() throws {
        let empty = try store.makeReader().databaseBytes()
        #expect(empty > 4096)
        let reports = (0..<400).map {
            Report(leak: leak("Page\($0)", stack: [String(repeating: "r", count: 400)]))
        }
        _ = try store.count([submission(reports)], now: noon)
        #expect(try store.makeReader().databaseBytes() > empty + 100_000)
    }

    @Test func `a report is added to every count of its leak`() throws {
        let page = leak("Page", stack: ["Root"])
        let receipts = try store.count(
            [
                submission([
                    Report(leak: page, version: "1.9", build: "7", install: 1, count: 3, alive: 2),
                    Report(
                        leak: page, version: "1.10", build: "8", system: "iOS 18.0", install: 2,
                        at: noon - day),
                    Report(leak: page, version: "1.10", build: "9", install: 1, at: noon - 2, alive: 1),
                ])
            ], now: noon)
        #expect(receipts == [.counted])
        #expect(try store.pin("1.10", of: "shop"))
        let found = try detail(page)
        #expect(found.row.reports == 5)
        #expect(found.row.freed == 0)
        #expect(found.row.installs == 2)
        #expect(found.row.impact == 2)
        #expect(found.row.maxAlive == 2)
        #expect(found.row.firstVersion == "1.9")
        #expect(found.row.lastVersion == "1.10")
        #expect(found.row.firstSeen == noon - day)
        #expect(found.row.lastSeen == noon)
        #expect(found.row.identity.stack == ["Root", "Page"])
        #expect(found.row.identity.groupingKey == page.groupingKey)
        #expect(found.row.trend == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4])
        #expect(!found.row.isNew)
        #expect(
            found.versions == [
                LeakDetail.VersionCount(
                    version: "1.10", build: "9", reports: 1, installs: 1, versionInstalls: 2),
                LeakDetail.VersionCount(
                    version: "1.10", build: "8", reports: 1, installs: 1, versionInstalls: 2),
                LeakDetail.VersionCount(
                    version: "1.9", build: "7", reports: 3, installs: 1, versionInstalls: 1),
            ])
        #expect(
            found.systems == [
                LeakDetail.ValueCount(value: "iOS 19.1", reports: 4),
                LeakDetail.ValueCount(value: "iOS 18.0", reports: 1),
            ])
        #expect(found.trend.versions.map(\.version) == ["1.10", "1.9"])
    }

    @Test func `a freed object that was never reported as leaked creates a slow leak without reports`()
        throws
    {
        let page = leak("Page")
        _ = try store.count([submission([Report(leak: page, isFreed: true, lived: 1_000)])], now: noon)
        let row = try detail(page).row
        #expect((row.reports, row.freed) == (0, 1))
        #expect(row.state == .slow)
        #expect(try #require(row.lived).p50 == 1_008)
        #expect(try store.makeReader().samples(of: page.id)?.count == 0)
    }

    @Test(arguments: [(10, 9, LeakState.slow), (10, 8, .open), (1, 0, .open), (0, 1, .slow), (11, 9, .open)])
    func `a leak is slow if at least nine of ten reported objects are freed later`(
        reports: Int, freed: Int, state: LeakState
    ) throws {
        let page = leak("Page")
        var all = [Report(leak: page, isFreed: true, count: max(freed, 1))]
        if freed == 0 { all = [] }
        if reports > 0 { all.append(Report(leak: page, count: reports)) }
        _ = try store.count([submission(all)], now: noon)
        #expect(try detail(page).row.state == state)
        var query = LeakQuery()
        query.state = state == .slow ? .slow : .open
        #expect(try store.makeReader().leaks(query, now: noon).total == 1)
    }

    @Test func `a repeated batch gets the first response, and is not counted again`() throws {
        let page = leak("Page")
        let first = submission([Report(leak: page)], key: "a")
        let other = submission([Report(leak: page)], key: "a", body: 2)
        let otherKey = submission([Report(leak: page)], key: "a", keyID: 2)
        let answer = Receipt.repeated(response: first.response)
        #expect(
            try store.count([first, first, other, otherKey], now: noon) == [
                .counted, answer, .keyReused, .counted,
            ])
        #expect(try store.count([first, other], now: noon + day) == [answer, .keyReused])
        #expect(try detail(page).row.reports == 2)
    }

    @Test func `an idempotency key is known even if an earlier version stored it with a longer hash`()
        throws
    {
        let store = try place.store()
        var batch = submission([Report(leak: leak("L"))], key: "k")
        batch.idempotency?.bodyHash = [UInt8](repeating: 7, count: 16)
        #expect(try store.count([batch], now: noon) == [.counted])
        batch.idempotency?.bodyHash = [UInt8](repeating: 1, count: 8)
        #expect(try store.count([batch], now: noon) == [.repeated(response: batch.response)])
    }

    @Test(arguments: ["01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90", "01936F2C-7C1E-7A44-9D0E-6B8D4C1F2A90", "x"])
    func `an idempotency key expires after seven days and not before`(key: String) throws {
        let page = leak("Page")
        let first = submission([Report(leak: page)], key: key)
        #expect(try store.count([first], now: noon) == [.counted])
        try store.expire(now: noon + 7 * day - 1)
        #expect(try store.count([first], now: noon + 7 * day - 1) == [.repeated(response: first.response)])
        try store.expire(now: noon + 7 * day)
        #expect(try store.count([first], now: noon + 7 * day) == [.counted])
        #expect(try store.count([first], now: noon + 7 * day) == [.repeated(response: first.response)])
    }

    @Test func `hourly counts expire after ninety days, and daily counts are kept`() throws {
        let page = leak("Page")
        _ = try store.count([submission([Report(leak: page, count: 4)])], now: noon)
        let reader = try store.makeReader()
        #expect(try reader.trend(of: page.id, by: .hour, now: noon)?.versions.first?.counts.reduce(0, +) == 4)
        try store.expire(now: noon + 91 * day)
        #expect(try reader.trend(of: page.id, by: .hour, now: noon)?.versions.isEmpty == true)
        #expect(try reader.trend(of: page.id, by: .day, now: noon)?.versions.first?.counts.last == 4)
        #expect(try reader.trend(of: leak("Other").id, by: .day, now: noon) == nil)
    }

    @Test func `system versions of a leak beyond two hundred are counted together`() throws {
        let page = leak("Page")
        let reports = (0..<230).map {
            Report(leak: page, system: "OS \($0)", model: nil, count: $0 < 25 ? 2 : 1)
        }
        _ = try store.count([submission(reports)], now: noon)
        let systems = try detail(page).systems
        #expect(systems.count == 21)
        #expect(systems.prefix(20).allSatisfy { $0.reports == 2 })
        #expect(systems.last == LeakDetail.ValueCount(value: "other", reports: 255 - 40))
        #expect(try detail(page).models.isEmpty)
    }

    @Test func `the store keeps the first, the newest and sixteen other reports of a leak`() throws {
        let page = leak("Page")
        for start in stride(from: 0, to: 100, by: 7) {
            let reports = (start..<min(start + 7, 100)).map { number in
                Report(leak: page, install: 5, at: noon + Int64(number), body: "{\"n\":\(number)}")
            }
            _ = try store.count([submission(reports)], now: noon)
        }
        let samples = try #require(try store.makeReader().samples(of: page.id))
        #expect(samples[0].reason == .first && samples[0].body == Array("{\"n\":0}".utf8))
        #expect(samples[1].reason == .newest && samples[1].body == Array("{\"n\":99}".utf8))
        #expect((16...18).contains(samples.count))
        #expect(samples.dropFirst(2).map(\.at) == samples.dropFirst(2).map(\.at).sorted(by: >))
        #expect(Set(samples.map(\.body)).count == samples.count)
        #expect(samples[0].origin.install == "i5" && samples[0].origin.installHash == 5)
        #expect(try detail(page).samples == samples.count)
    }

    @Test(arguments: [(wait: Int64(9_999), newest: 4), (wait: 10_000, newest: 9)])
    func `under load, the newest sample of a leak is replaced at most every ten seconds`(
        wait: Int64, newest: Int
    ) throws {
        let page = leak("Page")
        for call in 0..<2 {
            let now = noon + Int64(call) * wait
            let submissions = (0..<5).map { number in
                submission([Report(leak: page, at: now, body: "{\"n\":\(call * 5 + number)}")])
            }
            _ = try store.count(submissions, now: now)
        }
        let samples = try #require(try store.makeReader().samples(of: page.id))
        #expect(samples.first { $0.reason == .newest }?.body == Array("{\"n\":\(newest)}".utf8))
        #expect(try detail(page).row.reports == 10)
    }

    @Test func `a large batch replaces at most a hundred newest samples that are less than ten seconds old`()
        throws
    {
        let leaks = (0..<150).map { leak("Page\($0)") }
        for call in 0..<2 {
            let now = noon + Int64(call)
            let reports = leaks.map { Report(leak: $0, at: now, body: "{\"n\":\(call)}") }
            _ = try store.count([submission(reports)], now: now)
        }
        let reader = try store.makeReader()
        let replaced = try leaks.count { leak in
            let samples = try #require(try reader.samples(of: leak.id))
            return samples.first { $0.reason == .newest }?.body == Array("{\"n\":1}".utf8)
        }
        #expect(replaced == 100)
    }

    @Test func `the impact of a leak is its number of installs in the current release, in every list`()
        throws
    {
        let (page, cart) = (leak("Page"), leak("Cart"))
        let reports =
            (1...9).map { Report(leak: page, version: "1.0", install: $0) }
            + (1...2).map { Report(leak: page, version: "2.0", install: $0) }
            + (0..<10).map { Report(leak: cart, version: "2.0", install: $0 / 2 + 1) }
        _ = try store.count([submission(reports)], now: noon)
        let reader = try store.makeReader()
        for (period, search) in [(nil, nil), (Period.day, nil), (nil, "a")] as [(Period?, String?)] {
            var query = LeakQuery()
            (query.period, query.search) = (period, search)
            let leaks = try reader.leaks(query, now: noon).leaks
            #expect(leaks.map(\.identity.title) == ["Cart", "Page"])
            #expect(leaks.map(\.impact) == [5, 2] && leaks.map(\.installs) == [5, 9])
        }
        #expect(try detail(page).row.impact == 2)
    }

    @Test
    func `the rate of a leak consists of its reports and the checks of its class, in the chosen version`()
        throws
    {
        let page = leak("Page")
        var batch = submission([
            Report(leak: page, version: "1.0", count: 5), Report(leak: page, version: "2.0", count: 3),
        ])
        batch.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "1.0", build: "1", sessions: 10, leakySessions: 2,
                checks: ["Page": 50, "Other": 1]),
            Submission.UsageCounts(
                app: "shop", version: "2.0", build: "2", sessions: 4, leakySessions: 1, checks: ["Page": 30]),
        ]
        batch.dropped = [Submission.Dropped(app: "shop", reason: "budget", count: 3)]
        _ = try store.count([batch, batch], now: noon)
        // The rate is that of the current release: version 1.0 has the most sessions.
        #expect(try detail(page).row.rate == ReportsAndChecks(reports: 10, checks: 100))
        #expect(try store.pin("2.0", of: "shop"))
        #expect(try detail(page).row.rateVersion == "2.0")
        #expect(try detail(page).row.rate == ReportsAndChecks(reports: 6, checks: 60))
        #expect(try detail(page).row.previousVersionRate == ReportsAndChecks(reports: 10, checks: 100))
        var query = LeakQuery()
        query.version = "1.0"
        let reader = try store.makeReader()
        let listed = try #require(try reader.leaks(query, now: noon).leaks.first)
        #expect(listed.rate == ReportsAndChecks(reports: 10, checks: 100))
        #expect(listed.previousVersionRate == nil)
        query.version = nil
        #expect(
            try reader.leaks(query, now: noon).leaks.first?.previousVersionRate
                == ReportsAndChecks(reports: 10, checks: 100))
        #expect(listed.reports == 10)
        let releases = try reader.releases(app: "shop")
        #expect(releases.map(\.version) == ["2.0", "1.0"])
        #expect(releases.map(\.builds) == [["2"], ["1"]])
        #expect(releases.map(\.sessions) == [8, 20])
        #expect(releases.map(\.leakySessions) == [2, 4])
        #expect(releases.map(\.checks) == [60, 102])
        #expect(releases.map(\.newLeaks) == [0, 1])
        #expect(releases.map(\.reports) == [6, 10])
        #expect(try reader.overview(app: "shop", now: noon).dropped.map(\.count) == [6])
    }

    @Test func `the overview has the new leaks and the counts of the last day`() throws {
        let (old, new) = (leak("Old"), leak("New"))
        _ = try store.count(
            [
                submission([
                    Report(leak: old, version: "1.0", install: 1, at: noon - day - hour, count: 7),
                    Report(leak: old, version: "2.0", install: 2, at: noon - day + hour),
                    Report(leak: new, version: "2.0", install: 2, count: 2),
                    Report(leak: leak("Else", app: "mail"), version: "9.0", install: 3),
                ])
            ], now: noon)
        #expect(try store.pin("2.0", of: "shop"))
        let reader = try store.makeReader()
        let shop = try reader.overview(app: "shop", now: noon)
        #expect((shop.currentRelease?.version, shop.previousRelease?.version) == ("2.0", "1.0"))
        #expect((shop.newLeaks, shop.newLeakTitles) == (1, ["New"]))
        #expect((shop.recentReports, shop.recentInstalls, shop.recentLeaks) == (3, 1, 2))
        #expect((shop.leaks, shop.reports) == (2, 10))
        #expect(shop.currentRelease?.installs == 1)
        let all = try reader.overview(app: nil, now: noon)
        #expect(all.currentRelease == nil)
        #expect((all.leaks, all.reports, all.recentInstalls, all.newLeaks) == (3, 11, 2, 2))
        #expect(try reader.versions(app: "shop") == ["2.0", "1.0"])
        #expect(try reader.versions(app: nil) == ["9.0", "2.0", "1.0"])
        #expect(Set(try reader.apps()) == ["shop", "mail"])
        try reader.ping()
    }

    @Test func `the change counter changes with every commit`() throws {
        let reader = try store.makeReader()
        let before = try reader.changeCounter()
        #expect(try reader.changeCounter() == before)
        _ = try store.count([submission([Report(leak: leak("A"))])], now: noon)
        #expect(try reader.changeCounter() != before)
    }

    @Test(arguments: [["a\0", "a␀"], ["a␀", "a\0"]])
    func `U+0000 is stored as its visible symbol`(twins: [String]) throws {
        let page = leak("Page")
        for _ in 0..<2 {
            var batch = submission(
                twins.map { Report(leak: page, version: $0, build: $0, system: $0, model: $0, install: 1) })
            batch.dropped = twins.map { Submission.Dropped(app: "shop", reason: $0, count: 2) }
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: twins[0], build: twins[1], sessions: 1, leakySessions: 0,
                    checks: [twins[0]: 1, twins[1]: 1])
            ]
            #expect(try store.count([batch], now: noon) == [.counted])
        }
        let reader = try store.makeReader()
        #expect(try reader.versions(app: "shop") == ["a␀"])
        let found = try detail(page)
        #expect(found.versions.map(\.build) == ["a␀"] && found.versions.map(\.reports) == [4])
        #expect(found.systems.map(\.value) == ["a␀"] && found.systems.map(\.reports) == [4])
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.dropped.map(\.reason) == ["a␀"] && overview.dropped.map(\.count) == [8])
        #expect(try reader.releases(app: "shop").map(\.checks) == [4])
        #expect(try store.verify() == [])
    }

    @Test func `samples are kept for ninety days, and no later report replaces an expired first sample`()
        throws
    {
        func count(_ install: UInt64, at time: Int64) throws {
            _ = try store.count(
                [submission([Report(leak: leak("Page"), install: install, at: time)])], now: time)
        }
        func kept() throws -> [String?] {
            try #require(try store.makeReader().samples(of: leak("Page").id)).map(\.origin.install)
        }
        for number in 1...3 { try count(UInt64(number), at: noon + Int64(number) * day) }
        try store.expire(now: noon + 92 * day)
        #expect(try Set(kept()) == ["i2", "i3"])
        try store.expire(now: noon + 200 * day)
        #expect(try kept() == [])
        for number in 4...5 { try count(UInt64(number), at: noon + Int64(200 + number) * day) }
        // Another collector does not store a first sample either.
        _ = try place.store().count(
            [submission([Report(leak: leak("Page"), install: 6, at: noon + 206 * day)])],
            now: noon + 206 * day)
        let samples = try #require(try store.makeReader().samples(of: leak("Page").id))
        #expect(!samples.contains { $0.reason == .first })
        #expect(samples.first { $0.reason == .newest }?.origin.install == "i6")
        #expect(try store.verify() == [])
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 6)
    }
}

import LeakStore
import Testing

/// Commits with submissions of several ingest keys, in every store. One of the keys has reached a limit.
@Suite struct StoreSeveralKeysTests {
    let place = StoreLocation()
    let page = leak("Page")

    private func titles(_ store: any Store, app: String? = nil) throws -> [String] {
        var query = LeakQuery()
        query.app = app
        return try store.makeReader().leaks(query, now: noon).leaks.map(\.identity.title).sorted()
    }

    private func explanation(of leak: LeakIdentity, reason: String = "why", keyID: Int64) -> Submission {
        var batch = submission(keyID: keyID)
        batch.origins = [Submission.Origin(app: leak.app, version: "1.0")]
        batch.explanations = [
            Submission.Explanation(leak: leak, originIndex: 0, at: noon, reason: reason, bytes: nil)
        ]
        return batch
    }

    private func count(_ batches: [Submission], in store: any Store) throws {
        let receipts = try store.count(batches, now: noon)
        #expect(receipts == [Receipt](repeating: .counted, count: batches.count))
    }

    /// Returns a store in which a key has no bytes left for new names.
    private func storeWithoutTextBytes(ofKey key: Int64 = 1) throws -> any Store {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 12_000
        let store = try place.store(limits: limits)
        for number in 0..<20 {
            try count([submission([Report(leak: page, version: "1.\(number)")], keyID: key)], in: store)
        }
        return store
    }

    @Test
    func
        `an explanation is discarded if its leak is not stored because another ingest key had no bytes left`()
        throws
    {
        let store = try storeWithoutTextBytes()
        let new = leak("New", stack: [String(repeating: "x", count: 500)])
        try count([submission([Report(leak: new)]), explanation(of: new, keyID: 2)], in: store)
        #expect(try titles(store) == ["Not grouped (limit reached)", "Page"])
        try count(
            [
                submission([Report(leak: new)]), explanation(of: new, keyID: 2),
                submission([Report(leak: new)], keyID: 2), explanation(of: new, reason: "late", keyID: 2),
            ], in: store)
        let detail = try #require(try store.makeReader().leak(new.id, now: noon))
        #expect(detail.row.reports == 1 && detail.reasons.map(\.value) == ["late"])
        #expect(try store.verify() == [])
    }

    @Test func `if one ingest key may create no more apps, another key in the same commit creates the app`()
        throws
    {
        var limits = StoreLimits()
        limits.appsPerKey = 1
        let store = try place.store(limits: limits)
        try count([submission([Report(leak: page)])], in: store)
        let home = leak("Home", app: "cafe")
        try count(
            [submission([Report(leak: home)]), submission([Report(leak: home, count: 5)], keyID: 2)],
            in: store)
        let reader = try store.makeReader()
        #expect(try reader.overview(app: "cafe", now: noon).reports >= 5)
        #expect(try reader.overview(app: nil, now: noon).reports == 7)
        #expect(try titles(store, app: "cafe") == ["Home"])
        #expect(try store.verify() == [])
    }

    @Test
    func `an explanation creates no app, even if another ingest key reports a new app in the same commit`()
        throws
    {
        var limits = StoreLimits()
        limits.appsPerKey = 1
        let store = try place.store(limits: limits)
        try count([submission([Report(leak: page)])], in: store)
        let home = leak("Home", app: "cafe")
        try count([submission([Report(leak: home)]), explanation(of: home, keyID: 2)], in: store)
        #expect(try Set(store.makeReader().apps()) == ["other", "shop"])
        #expect(try store.verify() == [])
    }

    /// Returns a store in which a key has no bytes left for details, such as samples and system versions.
    private func storeWithoutDetailBytes(ofKey key: Int64 = 1) throws -> any Store {
        var limits = StoreLimits()
        limits.detailBytesPerKeyAndDay = 60_000
        let store = try place.store(limits: limits)
        let body = #"{"m":""# + String(repeating: "x", count: 2_000) + #""}"#
        for number in 0..<20 {
            let report = Report(leak: leak("Full \(number)"), body: body)
            try count([submission([report], keyID: key)], in: store)
        }
        try count([submission([Report(leak: page)], keyID: 3)], in: store)
        return store
    }

    private func detailsLeftOut(_ store: any Store) throws -> Int {
        try store.makeReader().overview(app: nil, now: noon).overLimit.reduce(0) {
            $0 + ($1.limit == .details ? $1.count : 0)
        }
    }

    @Test(arguments: [[1, 2], [2, 1]] as [[Int64]])
    func `a system version is counted by name if one of two ingest keys has bytes left for the name`(
        _ keys: [Int64]
    ) throws {
        let store = try storeWithoutDetailBytes()
        let system = "iOS " + String(repeating: "9", count: 90)
        let batches = keys.map { key in
            submission([Report(leak: page, system: system, model: nil, count: Int(key) * 10)], keyID: key)
        }
        try count(batches, in: store)
        let systems = try #require(try store.makeReader().leak(page.id, now: noon)).systems
        // Reports of the key without bytes left count under the name once the table has it.
        let named = systems.first { $0.value == system }?.reports
        #expect(named == (keys[0] == 1 ? 20 : 30))
        #expect(systems.reduce(0) { $0 + $1.reports } == 31)
        #expect(try store.verify() == [])
    }

    @Test(arguments: [[1, 2], [2, 1]] as [[Int64]])
    func `a checked class is counted by name if one of two ingest keys has bytes left for the name`(
        _ keys: [Int64]
    ) throws {
        let store = try storeWithoutDetailBytes()
        let before = try detailsLeftOut(store)
        let batches = keys.map { key in
            var batch = submission(keyID: key)
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0,
                    checks: [String(repeating: "x", count: 400): 3])
            ]
            return batch
        }
        try count(batches, in: store)
        #expect(try detailsLeftOut(store) == before)
        #expect(try store.verify() == [])
    }

    private func sample(of leak: LeakIdentity, _ place: SampleReport.Reason, in store: any Store) throws
        -> Int64?
    {
        try store.makeReader().samples(of: leak.id)?.first { $0.reason == place }?.at
    }

    private func report(of leak: LeakIdentity, at time: Int64, keyID: Int64, bytes: Int = 5_000) -> Submission
    {
        let body = #"{"m":""# + String(repeating: "x", count: bytes) + #""}"#
        return submission([Report(leak: leak, at: time, body: body)], keyID: keyID)
    }

    @Test func `a report of an ingest key whose daily bytes are used up does not replace the newest sample`()
        throws
    {
        let store = try storeWithoutDetailBytes()
        let full = try detailsLeftOut(store)
        try count(
            [report(of: page, at: noon + 2, keyID: 2), report(of: page, at: noon + 4, keyID: 1)], in: store)
        #expect(try sample(of: page, .newest, in: store) == noon + 2)
        #expect(try detailsLeftOut(store) == full + 1)
        try count([report(of: page, at: noon + day, keyID: 1, bytes: 9_000)], in: store)
        try count([report(of: page, at: noon + 3, keyID: 2)], in: store)
        #expect(try sample(of: page, .newest, in: store) == noon + 3)
        #expect(try store.verify() == [])
    }

    @Test(arguments: [false, true])
    func `a report of an ingest key with too few bytes left is not stored as the first sample`(
        _ isReopened: Bool
    ) throws {
        var limits = StoreLimits()
        limits.detailBytesPerKeyAndDay = 4_000
        var store = try place.store(limits: limits)
        try count([report(of: page, at: noon, keyID: 1)], in: store)
        #expect(try sample(of: page, .first, in: store) == nil)
        if isReopened { store = try place.store(limits: limits) }
        try count([report(of: page, at: noon + 2, keyID: 1, bytes: 1_000)], in: store)
        #expect(try sample(of: page, .first, in: store) == noon + 2)
        // Both reports are older than the first sample. The key of the older report has too few bytes left.
        try count([report(of: page, at: noon - 9, keyID: 1)], in: store)
        try count([report(of: page, at: noon - 5, keyID: 2, bytes: 900)], in: store)
        #expect(try sample(of: page, .first, in: store) == noon - 5)
        #expect(try store.verify() == [])
    }

    @Test
    func `the build "other" is created even if the ingest key has no bytes left, and its bytes are counted`()
        throws
    {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 520_000
        limits.leakBuildsPerApp = 60
        let store = try place.store(limits: limits)
        let leaks = (0..<40).map { leak("L\($0)") }
        try count([submission(leaks.map { Report(leak: $0) }, keyID: 3)], in: store)
        limits.leakTextBytesPerKeyAndDay = 40_000
        let small = try place.store(limits: limits)
        let reports = leaks.map { Report(leak: $0, version: StoreLimits.other, build: StoreLimits.other) }
        for report in reports { try count([submission([report])], in: small) }
        // The key has no bytes left, so a new leak that it reports is not stored by name.
        try count([submission([Report(leak: leak("New"), version: StoreLimits.other)])], in: small)
        #expect(try titles(small).filter { !$0.hasPrefix("L") } == ["Not grouped (limit reached)"])
        // The app has reached its limit of builds of leaks.
        try count([submission([Report(leak: leaks[0], version: "2.0")], keyID: 2)], in: small)
        let versions = try #require(try small.makeReader().leak(leaks[0].id, now: noon)).versions
        #expect(
            versions.map { "\($0.version) \($0.build ?? "")" }.sorted() == [
                "1.0 ", "2.0 other", "other other",
            ])
        #expect(versions.reduce(0) { $0 + $1.reports } == 3)
        #expect(try small.verify() == [])
    }
}

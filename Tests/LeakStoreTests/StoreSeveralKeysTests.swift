import LeakStore
import Testing

/// Commits with submissions of several ingest keys, of which one is at a limit, in every store.
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
            Submission.Explanation(leak: leak, origin: 0, at: noon, reason: reason, bytes: nil)
        ]
        return batch
    }

    private func count(_ batches: [Submission], in store: any Store) throws {
        let receipts = try store.count(batches, now: noon)
        #expect(receipts == [Receipt](repeating: .counted, count: batches.count))
    }

    /// Returns a store in which key 1 has no bytes left for new names.
    private func storeWithoutTextBytes(ofKey key: Int64 = 1) throws -> any Store {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 12_000
        let store = try place.store(limits: limits)
        for number in 0..<20 {
            try count([submission([Report(leak: page, version: "1.\(number)")], keyID: key)], in: store)
        }
        return store
    }

    @Test func `an explanation of a leak that another key had no bytes for is dropped`() throws {
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

    @Test func `an app that one key has no room for is made by another in the same commit`() throws {
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

    @Test func `an explanation makes no app, whatever another key reported`() throws {
        var limits = StoreLimits()
        limits.appsPerKey = 1
        let store = try place.store(limits: limits)
        try count([submission([Report(leak: page)])], in: store)
        let home = leak("Home", app: "cafe")
        try count([submission([Report(leak: home)]), explanation(of: home, keyID: 2)], in: store)
        #expect(try Set(store.makeReader().apps()) == ["other", "shop"])
        #expect(try store.verify() == [])
    }
}

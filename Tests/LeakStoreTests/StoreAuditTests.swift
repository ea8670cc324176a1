import Testing

@testable import LeakStore

/// The audit log in every store: each change writes its entry in its own transaction.
@Suite struct StoreAuditTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func entry(
        _ action: AuditEntry.Action, _ object: String = "object", at time: Int64 = noon,
        details: String = "why"
    ) -> AuditEntry {
        AuditEntry(
            at: time, actor: "ann", token: 3, action: action, object: object, details: details,
            address: "192.0.2.1")
    }

    private func entries(before id: Int64 = .max, limit: Int = 1_000) throws -> [AuditEntry] {
        try store.makeReader().auditEntries(before: id, limit: limit)
    }

    private func token(_ hash: UInt8) -> Credential {
        Credential(purpose: .access, name: "n", hash: [hash], role: .viewer, createdAt: noon)
    }

    @Test func `each change of a credential adds one audit entry, and a change without effect adds none`()
        throws
    {
        let added = try store.add(token(1), audit: entry(.createToken, "token"))
        #expect(throws: StoreError.self) { try store.add(token(1), audit: entry(.createToken, "token")) }
        #expect(try store.setName(ofCredential: added.id, to: "m", audit: entry(.renameToken)))
        #expect(try !store.setName(ofCredential: added.id + 9, to: "m", audit: entry(.renameToken)))
        #expect(try store.revoke(credential: added.id, audit: entry(.revokeToken), now: noon))
        #expect(try !store.revoke(credential: added.id, audit: entry(.revokeToken), now: noon))
        #expect(try !store.setName(ofCredential: added.id, to: "o", audit: entry(.renameToken)))
        let found = try entries()
        #expect(found.map(\.action) == [.revokeToken, .renameToken, .createToken])
        #expect(found.map(\.object) == ["object", "object", "token \(added.id)"])
        #expect(found.allSatisfy { $0.actor == "ann" && $0.token == 3 && $0.at == noon })
        #expect(found.allSatisfy { $0.details == "why" && $0.address == "192.0.2.1" })
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).map(\.name) == ["m"])
        #expect(try store.verify() == [])
    }

    @Test
    func `decisions, merges, pins, symbols, erasures and deletions add audit entries if they have an effect`()
        throws
    {
        let page = leak("Page")
        let (missing, other) = (leak("Missing"), leak("Other"))
        _ = try store.count(
            [submission([Report(leak: page, install: 1), Report(leak: other, install: 1)])], now: noon)
        func decide(_ id: LeakID) throws -> PastDecision? {
            try store.decide(
                Decision(.ignore(nil), by: "ann"), about: [id], audit: entry(.ignore, "leak \(id)"), now: noon
            )
        }
        #expect(try decide(page.id) != nil)
        #expect(try decide(missing.id) == nil)
        #expect(
            try store.pin("1.0", of: "shop", by: "ann", audit: entry(.pinRelease), now: noon))
        #expect(
            try !store.pin("9.0", of: "shop", by: "ann", audit: entry(.pinRelease), now: noon))
        let symbols = StoredSymbols(
            kind: .image, image: "A", name: "Shop", uploadedAt: noon, usedAt: noon, bytes: 1)
        #expect(try store.put(symbols, body: [1], audit: entry(.uploadSymbols)) == .stored)
        #expect(try store.removeSymbols(.image, of: "A", audit: entry(.removeSymbols)))
        #expect(try !store.removeSymbols(.image, of: "A", audit: entry(.removeSymbols)))
        let merge = try store.merge(
            [other.id], into: page, by: "rules", audit: entry(.mergeLeaks), now: noon, note: { _ in "merged" }
        )
        #expect(merge != nil)
        let none = try store.merge(
            [missing.id], into: page, by: "rules", audit: entry(.mergeLeaks), now: noon,
            note: { _ in "merged" })
        #expect(none == nil)
        #expect(try store.erase(install: 1, audit: entry(.eraseInstall), while: { true }) != nil)
        for app in ["shop", "missing"] {
            _ = try store.forget(.app(app), audit: entry(.delete), while: { true })
        }
        #expect(
            try entries().map(\.action)
                == [
                    .delete, .eraseInstall, .mergeLeaks, .removeSymbols, .uploadSymbols, .pinRelease, .ignore,
                ])
        #expect(try store.verify() == [])
    }

    @Test func `an erasure that is stopped before its first step adds no audit entry`() throws {
        #expect(try store.erase(install: 1, audit: entry(.eraseInstall), while: { false }) == nil)
        #expect(try entries().isEmpty)
    }

    @Test func `the audit log is read page by page, newest first, and its ids only grow`() throws {
        for number in 0..<7 {
            _ = try store.add(token(UInt8(number)), audit: entry(.createToken, at: noon - Int64(number)))
        }
        let all = try entries()
        #expect(all.count == 7 && all.map(\.id) == all.map(\.id).sorted(by: >))
        var paged: [AuditEntry] = []
        while true {
            let more = try entries(before: paged.last?.id ?? .max, limit: 3)
            if more.isEmpty { break }
            paged += more
        }
        #expect(paged == all)
    }

    @Test func `expiry deletes audit entries after two years, and no other audit entries`() throws {
        for (number, age) in [800, 732, 730, 1].enumerated() as EnumeratedSequence<[Int64]> {
            _ = try store.add(
                token(UInt8(number)), audit: entry(.createToken, at: noon - age * day, details: "\(age)"))
        }
        try store.expire(now: noon)
        #expect(try entries().map(\.details) == ["1", "730"])
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).count == 4)
    }

    @Test func `beyond the limit, sign-ins and comments are deleted before the changes of administrators`()
        throws
    {
        _ = try store.add(token(1), audit: entry(.createToken, details: "first"))
        try place.execute(
            """
            with recursive n(n) as (select 1 union all select n + 1 from n where n < 100150)
            insert into audit (at, actor, action, object, details)
            select \(noon), 'bob', 'sign_in', 'session', '' from n
            """)
        for number in 2..<202 {
            _ = try store.add(token(UInt8(number)), audit: entry(.createToken, details: "later"))
        }
        let found = try entries(limit: .max)
        #expect((100_000..<100_100).contains(found.count))
        #expect(found.count { $0.action == .createToken } == 201)
        #expect(found.last?.details == "first")
    }

    @Test func `texts of an audit entry are cut at a limit, between two characters`() throws {
        let long = String(repeating: "漏", count: 5_000)
        _ = try store.add(token(1), audit: entry(.createToken, long, details: "a\u{0}" + long))
        let found = try #require(try entries().first)
        for text in [found.object, found.details] {
            #expect(text.utf8.count <= AuditEntry.maxTextBytes + 20 && text.utf8.count > 590)
            #expect(text.allSatisfy { "漏… 0123456789a\u{2400}".contains($0) })
        }
    }
}

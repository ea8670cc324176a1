import LeakStore
import Testing

/// The versions of the grouping rules of an app, in every store.
@Suite struct StoreRulesTests {
    let place = StoreLocation()
    let store: any Store

    init() throws {
        store = try place.store()
        let leaks = [leak("Page"), leak("Page", environment: "debug"), leak("Inbox", app: "mail")]
        #expect(try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
    }

    @discardableResult
    private func save(
        _ text: String, of app: String = "shop", basedOn version: Int? = nil, in other: (any Store)? = nil
    ) throws -> RulesOutcome {
        try (other ?? store).saveRules(
            text, of: app, basedOn: version, by: ChangeOrigin(actor: "ada", token: 4, address: "::1"),
            now: noon)
    }

    private func rules(_ version: Int, _ text: String, app: String = "shop") -> AppRules {
        AppRules(app: app, version: version, text: text, by: "ada", at: noon)
    }

    @Test func `each change is a version, and a text that is based on an earlier one changes nothing`() throws
    {
        let reader = try store.makeReader()
        #expect(try reader.rules(of: "shop", limit: 9).isEmpty && reader.currentRules().isEmpty)
        var seen: Set<RulesVersion> = [try reader.rulesVersion()]
        #expect(try save("a", basedOn: 0) == .saved(rules(1, "a")))
        #expect(try seen.insert(reader.rulesVersion()).inserted)
        #expect(try save("a", basedOn: 1) == .unchanged(rules(1, "a")))
        #expect(try save("b", basedOn: 0) == .outdated(current: rules(1, "a")))
        #expect(try !seen.insert(reader.rulesVersion()).inserted)
        #expect(try save("", basedOn: 1) == .saved(rules(2, "")))
        #expect(try save("m\nn", of: "mail") == .saved(rules(1, "m\nn", app: "mail")))
        #expect(try seen.insert(reader.rulesVersion()).inserted)
        #expect(try reader.rules(of: "shop", limit: 9) == [rules(2, ""), rules(1, "a")])
        #expect(try reader.rules(of: "shop", limit: 1) == [rules(2, "")])
        #expect(try reader.currentRules() == [rules(1, "m\nn", app: "mail"), rules(2, "")])
        #expect(try save("x", of: "none") == .unknownApp && save("x", of: StoreLimits.other) == .unknownApp)
        let entries = try reader.auditEntries(before: .max, limit: 9)
        #expect(entries.map(\.object) == ["mail", "shop", "shop"])
        #expect(entries.map(\.details) == ["version 1", "version 2", "version 1"])
        #expect(entries.allSatisfy { $0.action == .changeRules && $0.actor == "ada" && $0.token == 4 })
        #expect(try store.verify() == [])
    }

    @Test func `the newest 50 versions are kept`() throws {
        for number in 1...(AppRules.maxVersions + 3) { try save("rules \(number)") }
        let versions = try store.makeReader().rules(of: "shop", limit: 100).map(\.version)
        #expect(versions == Array((4...(AppRules.maxVersions + 3)).reversed()))
        #expect(
            try save("rules", basedOn: AppRules.maxVersions + 3)
                == .saved(rules(AppRules.maxVersions + 4, "rules")))
    }

    @Test func `two collectors never save the same version`() throws {
        let other = try place.store()
        for round in 0..<5 {
            let text = "round \(round)"
            #expect(try save(text, basedOn: 2 * round) == .saved(rules(2 * round + 1, text)))
            #expect(
                try save("x", basedOn: 2 * round, in: other) == .outdated(current: rules(2 * round + 1, text))
            )
            #expect(try save(text + " again", in: other) == .saved(rules(2 * round + 2, text + " again")))
        }
        #expect(try other.makeReader().currentRules() == [rules(10, "round 4 again")])
    }

    @Test func `the rules of an app are deleted with its last environment, and begin again with version 1`()
        throws
    {
        try save("a")
        try save("m", of: "mail")
        _ = try store.forget(.environment(AppKey("shop", environment: "debug")))
        #expect(try store.makeReader().rules(of: "shop", limit: 9) == [rules(1, "a")])
        let version = try store.makeReader().rulesVersion()
        _ = try store.forget(.app("shop"))
        #expect(try store.makeReader().currentRules() == [rules(1, "m", app: "mail")])
        #expect(try store.makeReader().rulesVersion() != version)
        #expect(try store.verify() == [])
        _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
        #expect(try save("c", basedOn: 0) == .saved(rules(1, "c")))
        #expect(try store.makeReader().rulesVersion() != version)
    }

    @Test func `a text and names that PostgreSQL cannot store are changed in the same way in both stores`()
        throws
    {
        #expect(try save("a\u{0}b") == .saved(rules(1, "a\u{2400}b")))
        #expect(try save("a\u{0}b") == .unchanged(rules(1, "a\u{2400}b")))
    }
}

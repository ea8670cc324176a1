import LeakStore
import Testing

/// Triage decisions in every store. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoreTriageTests {
    let place = StoreLocation()
    let store: any Store
    let page = leak("Page")

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., at now: Int64 = noon) throws {
        #expect(try store.count([submission(reports, at: now)], now: now) == [.counted])
    }

    @discardableResult
    private func decide(
        _ action: Decision.Action, _ note: String? = nil, about leak: LeakIdentity? = nil, now: Int64 = noon
    ) throws -> PastDecision {
        let decision = Decision(action, note: note, by: "ada")
        return try #require(try store.decide(decision, about: (leak ?? page).id, now: now))
    }

    private func row(_ leak: LeakIdentity? = nil, now: Int64 = noon) throws -> LeakRow {
        try #require(try store.makeReader().leak((leak ?? page).id, now: now)).row
    }

    // MARK: Resolving

    @Test func `a leak without a decision is open, and has no history`() throws {
        try count(Report(leak: page))
        #expect(try row().decisionStatus == nil && row().state == .open)
        #expect(try store.makeReader().leak(page.id, now: noon)?.history == [])
        #expect(try store.decide(Decision(.reopen, by: "ada"), about: leak("Other").id, now: noon) == nil)
    }

    @Test func `a leak resolved in the newest version regresses with its next report in that version`()
        throws
    {
        try count(Report(leak: page, version: "5.1"), Report(leak: page, version: "5.2", count: 4))
        let decision = try decide(.resolve(.newestVersion), "mended in !812")
        #expect(
            decision
                == PastDecision(
                    .resolved(version: "5.2", isAfter: false), note: "mended in !812", by: "ada", at: noon))
        #expect(try row().state == .resolved)
        #expect(try row().decisionStatus == DecisionStatus(decision: decision, reportsSince: 0))
        try count(Report(leak: page, version: "5.1", count: 9))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.2"))
        #expect(try row().state == .regressed)
        #expect(
            try row().decisionStatus
                == DecisionStatus(decision: decision, reportsSince: 1, regressedIn: "5.2"))
    }

    @Test func `a leak resolved in the next version regresses only with reports of a newer version`() throws {
        try count(Report(leak: page, version: "5.2"))
        let decision = try decide(.resolve(.nextVersion))
        #expect(decision.action == .resolved(version: "5.2", isAfter: true))
        for version in ["5.2", "5.2.0", "v5.2", "5.1", "5.2.0-rc.1", "unknown"] {
            try count(Report(leak: page, version: version, count: 3))
            #expect(try row().state == .resolved, "\(version)")
        }
        // A newer version without the leak does not contradict the fix.
        try count(Report(leak: leak("Other"), version: "6.0"))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.2.1-beta", count: 2))
        #expect(
            try row().decisionStatus
                == DecisionStatus(decision: decision, reportsSince: 2, regressedIn: "5.2.1-beta"))
    }

    @Test
    func `a leak that is resolved after a version regresses in any newer version, not only in the newest`()
        throws
    {
        try count(
            Report(leak: page, version: "5.2"), Report(leak: page, version: "6.0"))
        let decision = try decide(.resolve(.newerThan("5.2")))
        #expect(decision.action == .resolved(version: "5.2", isAfter: true))
        try count(Report(leak: page, version: "5.2.0", count: 3))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.3", count: 2))
        #expect(
            try row().decisionStatus
                == DecisionStatus(decision: decision, reportsSince: 2, regressedIn: "5.3"))
        #expect(throws: StoreError.self) { try decide(.resolve(.newerThan("unknown"))) }
    }

    @Test(arguments: [
        ("5.2", "5.1", LeakState.resolved), ("5.2", "5.2", .regressed), ("5.2", "5.2.0", .regressed),
        ("5.2.0", "v5.2", .regressed), ("5.2", "5.2+812", .regressed), ("5.2", "5.2-rc.1", .resolved),
        ("5.2-rc.2", "5.2-rc.1", .resolved), ("5.2-rc.2", "5.2-rc.10", .regressed),
        ("5.2-rc.2", "5.2", .regressed), ("5.9", "5.10", .regressed), ("5.10", "5.9", .resolved),
        ("5.2", "unknown", .resolved), ("5.2", "5.1.99", .resolved), ("5.2", "2026.1", .regressed),
    ])
    func `reports of a version that is not older than the fix contradict the fix`(
        fix: String, seen: String, state: LeakState
    ) throws {
        try count(Report(leak: page, version: "1.0"))
        #expect(
            try decide(.resolve(.version(fix))).action == .resolved(version: fix, isAfter: false))
        try count(Report(leak: page, version: seen))
        #expect(try row().state == state)
        #expect(try row().decisionStatus?.regressedIn == (state == .regressed ? seen : nil))
    }

    @Test func `the version in which a leak regressed is the oldest version with reports since the fix`()
        throws
    {
        try count(
            Report(leak: page, version: "5.2", count: 5), Report(leak: page, version: "5.3", count: 5))
        try decide(.resolve(.version("5.2")))
        try count(Report(leak: page, version: "5.10", count: 2))
        #expect(try row().decisionStatus?.regressedIn == "5.10")
        try count(Report(leak: page, version: "5.3", count: 3))
        #expect(try row().decisionStatus?.regressedIn == "5.3")
        #expect(try row().decisionStatus?.reportsSince == 5)
    }

    @Test func `reports of freed objects do not contradict a fix`() throws {
        try count(Report(leak: page, count: 20))
        try decide(.resolve(.newestVersion))
        try count(Report(leak: page, version: "2.0", isFreed: true, count: 30))
        #expect(try row().state == .resolved)
    }

    @Test func `after a second resolution only later reports contradict it`() throws {
        try count(Report(leak: page))
        try decide(.resolve(.nextVersion))
        try count(Report(leak: page, version: "2.0", count: 7))
        #expect(try row().state == .regressed)
        try decide(.resolve(.newestVersion))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "2.0"))
        #expect(try row().decisionStatus?.reportsSince == 1)
        try decide(.reopen)
        #expect(try row().decisionStatus == nil && row().state == .open)
    }

    // MARK: Ignoring

    @Test func `a leak that is ignored forever stays ignored`() throws {
        try count(Report(leak: page))
        try decide(.ignore(nil))
        try count(Report(leak: page, version: "9.0", count: 1_000))
        #expect(try row(now: noon + 1_000 * day).state == .ignored)
        #expect(try row().decisionStatus?.reportsSince == 1_000)
    }

    @Test func `a leak that is ignored until a date is open from that date on`() throws {
        try count(Report(leak: page))
        let decision = try decide(.ignore(.until(milliseconds: noon + day)))
        #expect(decision.action == .ignored(.until(milliseconds: noon + day)))
        let reader = try store.makeReader()
        func state(_ now: Int64) throws -> (LeakState?, Int) {
            (try reader.leak(page.id, now: now)?.row.state, try reader.leaks(LeakQuery(), now: now).total)
        }
        // Reads with one reader before and after the date, in turns.
        for _ in 0..<2 {
            #expect(try state(noon + day - 1) == (.ignored, 0))
            #expect(try state(noon + day) == (.open, 1))
        }
        #expect(try row(now: noon + day).decisionStatus?.decision == decision)
    }

    @Test func `a leak that is ignored for three more reports is open again with the third report`() throws {
        try count(Report(leak: page, count: 5))
        try decide(.ignore(.nextReports(3)))
        try count(Report(leak: page, count: 2))
        #expect(try row().state == .ignored && row().decisionStatus?.reportsSince == 2)
        try count(Report(leak: page))
        #expect(try row().state == .open && row().decisionStatus?.reportsSince == 3)
    }

    // MARK: History

    @Test func `a note does not change the state, and the history says who decided what and when`() throws {
        try count(Report(leak: page))
        let resolved = try decide(.resolve(.nextVersion), "a", now: noon)
        let noted = try decide(.note, "Größe\n\tb", now: noon + 1)
        #expect(noted == PastDecision(.noted, note: "Größe\n\tb", by: "ada", at: noon + 1))
        #expect(try row().decisionStatus?.decision == resolved)
        let ignored = try decide(.ignore(.nextReports(5)), "", now: noon + 2)
        #expect(ignored.note == nil)
        let reopened = try decide(.reopen, now: noon + 3)
        #expect(try row().state == .open)
        let history = try #require(try store.makeReader().leak(page.id, now: noon)).history
        #expect(history == [reopened, ignored, noted, resolved])
        // Another process reads the same history.
        #expect(try place.store().makeReader().leak(page.id, now: noon)?.history == history)
        #expect(try store.verify() == [])
    }

    @Test func `beyond the limit for a leak, its oldest decisions are deleted, except the decision in force`()
        throws
    {
        try count(Report(leak: page))
        try decide(.note, "first")
        try decide(.ignore(nil), "holds")
        for number in 0..<Decision.maxPerLeak { try decide(.note, "\(number)") }
        let history = try #require(try store.makeReader().leak(page.id, now: noon)).history
        #expect(history.count == Decision.maxPerLeak)
        #expect(history.last?.note == "holds" && history.first?.note == "\(Decision.maxPerLeak - 1)")
        #expect(history.dropLast().last?.note == "1")
        #expect(try row().state == .ignored)
        try decide(.reopen)
        let later = try #require(try store.makeReader().leak(page.id, now: noon)).history
        #expect(later.count == Decision.maxPerLeak && later.last?.note == "1")
        #expect(try store.verify() == [])
    }

    @Test(arguments: [
        Decision(.note, by: "ada"), Decision(.note, note: "", by: "ada"), Decision(.reopen, by: ""),
        Decision(.reopen, by: String(repeating: "a", count: 129)), Decision(.reopen, by: "a\nb"),
        Decision(.reopen, note: String(repeating: "ö", count: 1_001), by: "ada"),
        Decision(.reopen, note: "a\r\nb", by: "ada"), Decision(.reopen, note: "a\0b", by: "ada"),
        Decision(.reopen, note: "\u{85}", by: "ada"), Decision(.resolve(.version("")), by: "ada"),
        Decision(.resolve(.version("unknown")), by: "ada"), Decision(.resolve(.version("1\n")), by: "ada"),
        Decision(.resolve(.version("1." + String(repeating: "0", count: 63))), by: "ada"),
        Decision(.ignore(.until(milliseconds: noon)), by: "ada"),
        Decision(.ignore(.until(milliseconds: 253_402_300_800_000)), by: "ada"),
        Decision(.ignore(.nextReports(0)), by: "ada"), Decision(.ignore(.nextReports(-1)), by: "ada"),
        Decision(.ignore(.nextReports(.max)), by: "ada"),
    ])
    func `an invalid decision is refused, and nothing is written`(decision: Decision) throws {
        try count(Report(leak: page))
        let failure = try #require(throws: StoreError.self) {
            try store.decide(decision, about: page.id, now: noon)
        }
        #expect(failure.reason == .invalidArgument)
        #expect(!failure.description.isEmpty && !failure.description.contains("\n"))
        #expect(try store.makeReader().leak(page.id, now: noon)?.history == [])
    }

    @Test func `a note of the maximum length is stored whole`() throws {
        try count(Report(leak: page))
        let version = "1." + String(repeating: "0", count: 62)
        let decision = Decision(
            .resolve(.version(version)), note: String(repeating: "ö", count: 1_000),
            by: String(repeating: "é", count: 64))
        let stored = try #require(try store.decide(decision, about: page.id, now: noon))
        #expect(stored.note == decision.note && stored.by == decision.by)
        #expect(stored.action == .resolved(version: version, isAfter: false))
        #expect(try store.makeReader().leak(page.id, now: noon)?.history == [stored])
        #expect(
            try decide(.ignore(.until(milliseconds: 253_402_300_799_999))).action
                == .ignored(.until(milliseconds: 253_402_300_799_999)))
    }

    @Test func `a credential can be renamed unless it is revoked`() throws {
        let key = try store.add(
            Credential(purpose: .ingest, name: "app", hash: [1], app: "shop", createdAt: noon))
        #expect(try store.setName(ofCredential: key.id, to: "Größe"))
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).map(\.name) == ["Größe"])
        #expect(try !store.setName(ofCredential: key.id + 1, to: "other"))
        for name in ["", "a\nb", String(repeating: "a", count: 129)] {
            #expect(throws: StoreError.self) { try store.setName(ofCredential: key.id, to: name) }
        }
        #expect(try store.revoke(credential: key.id, now: noon))
        #expect(try !store.setName(ofCredential: key.id, to: "again"))
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).map(\.name) == ["Größe"])
    }
}

import LeakStore
import Testing

/// Triage decisions, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
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

    // MARK: Builds

    @Test(
        arguments: [
            ("5.4.0", "892", .resolved, nil), ("5.4.0", nil, .resolved, nil),
            ("5.4.0", "local", .resolved, nil),
            ("5.4.0", "99", .resolved, nil), ("5.4", "892", .resolved, nil), ("5.3.9", "999", .resolved, nil),
            ("5.4.0-rc.1", "999", .resolved, nil), ("5.4.0", "895", .regressed, "895"),
            ("5.4.0", "1000", .regressed, "1000"), ("v5.4", "896", .regressed, "896"),
            ("5.4.1", "1", .regressed, "1"), ("5.4.1", nil, .regressed, nil),
            ("6.0", "local", .regressed, "local"),
        ] as [(String, String?, LeakState, String?)])
    func `a leak resolved in a build regresses only with reports of this or later builds or later versions`(
        version: String, build: String?, state: LeakState, back: String?
    ) throws {
        try count(
            Report(leak: page, version: "5.3.0", build: "800"),
            Report(leak: page, version: "5.4.0", build: "892", count: 5))
        let decision = try decide(.resolve(.version("5.4.0", build: "895")))
        #expect(decision.action == .resolved(version: "5.4.0", build: "895", isAfter: false))
        #expect(try row().decisionStatus == DecisionStatus(decision: decision, reportsSince: 0))
        // Reports of the build before the fix are neither counted nor named.
        try count(Report(leak: page, version: "5.4.0", build: "892", count: 20))
        #expect(try row().state == .resolved && row().decisionStatus?.reportsSince == 0)
        try count(Report(leak: page, version: version, build: build, count: 3))
        #expect(try row().state == state)
        let isBack = state == .regressed
        #expect(
            try row().decisionStatus
                == DecisionStatus(
                    decision: decision, reportsSince: isBack ? 3 : 0, regressedIn: isBack ? version : nil,
                    regressedInBuild: back))
        #expect(try store.makeReader().leak(page.id, now: noon)?.history == [decision])
        #expect(try store.verify() == [])
    }

    /// Counts sessions of a build of version 5.4.0.
    private func countSessions(_ number: Int, build: String) throws {
        var usage = usage(of: "5.4.0", reports: 0, sessions: number)
        for index in usage.usageCounts.indices { usage.usageCounts[index].build = build }
        _ = try store.count([usage], now: noon)
    }

    @Test func `a fix made now applies from the newest build in use of the current release on`() throws {
        try count(Report(leak: page, version: "5.4.0", build: "892", count: 5))
        try countSessions(60, build: "892")
        try countSessions(40, build: "1000")
        // The build of one developer has no adoption.
        try countSessions(1, build: "99999")
        let detail = try #require(try store.makeReader().leak(page.id, now: noon))
        #expect(detail.referenceVersion == "5.4.0" && detail.referenceBuild == "1000")
        let decision = try decide(.resolve(.newestVersion))
        #expect(decision.action == .resolved(version: "5.4.0", build: "1000", isAfter: false))
        try count(Report(leak: page, version: "5.4.0", build: "892"))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.4.0", build: "1001"))
        #expect(try row().decisionStatus?.regressedInBuild == "1001")
        #expect(try decide(.resolve(.nextVersion)).action == .resolved(version: "5.4.0", isAfter: true))
    }

    @Test(arguments: ["local", "7f3c2a1", ""])
    func `a fix made now applies to the whole current release if one of its builds is not only a number`(
        name: String
    )
        throws
    {
        try count(
            Report(leak: page, version: "5.4.0", build: "892"),
            Report(leak: page, version: "5.4.0", build: name.isEmpty ? nil : name))
        try countSessions(60, build: "892")
        #expect(try store.makeReader().leak(page.id, now: noon)?.referenceBuild == nil)
        #expect(try decide(.resolve(.newestVersion)).action == .resolved(version: "5.4.0", isAfter: false))
        try count(Report(leak: page, version: "5.4.0", build: "7"))
        #expect(try row().state == .regressed)
    }

    @Test func `a fix made now applies to the whole current release in an environment without builds`() throws
    {
        let other = leak("Other", environment: "ci")
        try count(Report(leak: page, version: "5.4.0", build: "892"))
        try countSessions(60, build: "892")
        try count(Report(leak: other, version: "5.4.0"))
        let decision = Decision(.resolve(.newestVersion), note: nil, by: "ada")
        _ = try store.decide(decision, about: [page.id, other.id], now: noon)
        try count(Report(leak: other, version: "5.4.0"))
        #expect(try store.makeReader().leak(other.id, now: noon)?.row.state == .regressed)
    }

    @Test func `a fix made now applies to the whole current release if none of its builds has a number`()
        throws
    {
        try count(Report(leak: page, version: "5.4.0", build: "local"), Report(leak: page, version: "5.4.0"))
        #expect(try store.makeReader().leak(page.id, now: noon)?.referenceBuild == nil)
        #expect(try decide(.resolve(.newestVersion)).action == .resolved(version: "5.4.0", isAfter: false))
        try count(Report(leak: page, version: "5.4.0"))
        #expect(try row().state == .regressed)
    }

    @Test
    func `reports before a leak was resolved in their build do not contradict the fix, later reports do`()
        throws
    {
        try count(
            Report(leak: page, version: "5.4.0", build: "892", count: 5),
            Report(leak: page, version: "5.4.0", build: "895", count: 4))
        try decide(.resolve(.version("5.4.0", build: "895")))
        #expect(try row().state == .resolved)
        // Made before the decision, and arrived late.
        try count(Report(leak: page, version: "5.4.0", build: "895", at: noon - 3 * day, count: 2))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.4.0", build: "895", count: 3))
        #expect(try row().decisionStatus?.reportsSince == 3)
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == "895")
        // Build 896 was not in use before, so the earlier new reports are still of build 895.
        try count(Report(leak: page, version: "5.4.0", build: "896"))
        #expect(try row().decisionStatus?.reportsSince == 4)
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == "895")
        #expect(try store.verify() == [])
    }

    @Test func `the build in which a leak regressed is the oldest build with reports since the fix`() throws {
        try count(Report(leak: page, version: "5.3.0"))
        try decide(.resolve(.nextVersion))
        try count(Report(leak: page, version: "5.4.0", build: "1000"))
        #expect(try row().decisionStatus?.regressedInBuild == "1000")
        try count(
            Report(leak: page, version: "5.4.0", build: "895"),
            Report(leak: page, version: "5.5.0", build: "7"))
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == "895")
    }

    @Test
    func `a regressed leak names no build if new reports may be of several builds that had the leak before`()
        throws
    {
        try count(
            Report(leak: page, version: "5.4.0", build: "895", count: 4),
            Report(leak: page, version: "5.4.0", build: "896", count: 4))
        try decide(.resolve(.version("5.4.0", build: "895")))
        try count(Report(leak: page, version: "5.4.0", build: "896"))
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == nil)
        #expect(try store.verify() == [])
    }

    @Test func `late reports of a build in use before do not hide the newer build in which the leak is back`()
        throws
    {
        try count(
            Report(leak: page, version: "5.4.0", build: "892", count: 5),
            Report(leak: page, version: "5.4.0", build: "895", count: 4))
        try decide(.resolve(.version("5.4.0", build: "895")))
        // Made before the decision, and arrived late.
        try count(Report(leak: page, version: "5.4.0", build: "895", at: noon - 3 * day, count: 2))
        try count(Report(leak: page, version: "5.4.0", build: "896", count: 3))
        #expect(try row().decisionStatus?.reportsSince == 3)
        #expect(try row().decisionStatus?.regressedInBuild == "896")
    }

    @Test func `a build with only late reports is not named as the build in which the leak is back`() throws {
        try count(
            Report(leak: page, version: "5.3.0"), Report(leak: leak("Other"), version: "5.4.0", build: "890"))
        try decide(.resolve(.version("5.4.0")))
        try count(Report(leak: page, version: "5.4.0", build: "890", at: noon - 3 * day))
        #expect(try row().state == .resolved)
        try count(Report(leak: page, version: "5.4.0", build: "895"))
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == "895")
    }

    @Test
    func `reports of a build first used after a decision contradict it even without their hourly counts`()
        throws
    {
        let decision = noon - 2 * day
        try count(
            Report(leak: page, version: "5.4.0", build: "892", at: decision - hour), at: decision - hour)
        try decide(.resolve(.version("5.4.0", build: "895")), now: decision)
        let later = decision + hour
        try count(Report(leak: page, version: "5.4.0", build: "895", at: later, count: 3), at: later)
        #expect(try row().state == .regressed)
        try store.expire(now: noon + 100 * day)
        #expect(try row().decisionStatus?.regressedInBuild == "895")
        #expect(try row().decisionStatus?.reportsSince == 3)
    }

    @Test
    func `if a version has two names, the oldest build of both is the build in which the leak is back`()
        throws
    {
        try count(Report(leak: page, version: "5.3.0"))
        try decide(.resolve(.version("5.4.0", build: "895")))
        try count(
            Report(leak: page, version: "5.4", build: "1000"),
            Report(leak: page, version: "5.4.0", build: "895"), Report(leak: page, version: "5.4.1"))
        #expect(try row().decisionStatus?.regressedIn == "5.4.0")
        #expect(try row().decisionStatus?.regressedInBuild == "895")
    }

    @Test func `a fix made now names no build of a version that does not begin with a number`() throws {
        try count(Report(leak: page, version: "main", build: "7"))
        for build in ["7", "8"] {
            var usage = usage(of: "main", reports: 0, sessions: 60)
            for index in usage.usageCounts.indices { usage.usageCounts[index].build = build }
            _ = try store.count([usage], now: noon)
        }
        #expect(try store.makeReader().leak(page.id, now: noon)?.referenceBuild == nil)
        #expect(try decide(.resolve(.newestVersion)).action == .resolved(version: "main", isAfter: false))
        try count(Report(leak: page, version: "main", build: "7"))
        #expect(try row().state == .regressed)
    }

    @Test func `a decision whose version was stored with a build in its text holds for all builds`() throws {
        try count(Report(leak: page, version: "5.4.0", build: "892"))
        let decision = try decide(.resolve(.version("5.4.0 (895)")))
        #expect(decision.action == .resolved(version: "5.4.0 (895)", isAfter: false))
        try count(Report(leak: page, version: "5.4.0", build: "892"))
        #expect(try row().state == .regressed)
    }

    @Test func `releases count a leak as regressed only if a build with the fix has it`() throws {
        try count(
            Report(leak: page, version: "5.3.0", build: "800"),
            Report(leak: page, version: "5.4.0", build: "892"))
        try decide(.resolve(.version("5.4.0", build: "895")))
        func regressed() throws -> [Int] {
            try store.makeReader().releases(app: "shop").map(\.regressedLeaks)
        }
        try count(Report(leak: page, version: "5.4.0", build: "892"))
        #expect(try regressed() == [0, 0])
        try count(Report(leak: page, version: "5.4.0", build: "895"))
        #expect(try regressed() == [1, 0])
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
        Decision(.resolve(.version("1.0", build: "")), by: "ada"),
        Decision(.resolve(.version("1.0", build: "local")), by: "ada"),
        Decision(.resolve(.version("1.0", build: "1\u{7F}")), by: "ada"),
        Decision(.resolve(.version("1.0", build: String(repeating: "1", count: 65))), by: "ada"),
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
}

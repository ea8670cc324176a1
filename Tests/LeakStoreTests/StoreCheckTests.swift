import LeakStore
import Testing

/// Release checks of every store. A second store runs the same tests.
@Suite struct StoreCheckTests {
    let place = StoreLocation()
    let store: any Store
    private let list = KnownLeaks([known("UIKeyboard*", "keyboard")])

    init() throws {
        store = try place.store()
        try count("5.1", ["Old", "Gone", "Regressed", "UIKeyboardOld"])
        try count("5.2", ["Old", "Between"])
        try count("unknown", ["Strange"])
    }

    private func count(_ version: String, _ names: [String], count: Int = 1) throws {
        let reports = names.enumerated().map { number, name in
            Report(leak: leak(name), version: version, install: UInt64(number), count: count + number)
        }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
    }

    private func decide(_ action: Decision.Action, _ name: String) throws {
        _ = try #require(
            try store.decide(Decision(action, by: "ada"), about: leak(name).id, now: noon))
    }

    private func check(
        _ version: String = "5.3", baseline: String? = nil, now: Int64 = noon
    ) throws -> ReleaseCheck {
        try #require(
            try store.makeReader(known: list).check(
                app: "shop", version: version, baseline: baseline, now: now))
    }

    @Test func `a version without anything new passes`() throws {
        try count("5.3", ["Old", "Between", "UIKeyboardOld"])
        let check = try check()
        #expect(check.passes && check.new.isEmpty && check.regressed.isEmpty)
        #expect((check.app, check.version, check.baseline) == ("shop", "5.3", "5.2"))
        #expect((check.leaks, check.reports, check.setAside) == (3, 6, 1))
    }

    @Test func `what was seen in no version up to the baseline is new`() throws {
        try count("5.3", ["Old", "New", "Newer"], count: 4)
        try count("5.4", ["Newer"], count: 50)
        let check = try check()
        #expect(check.new.map(\.identity.title) == ["Newer", "New"] && check.newCount == 2)
        #expect(!check.passes)
        // Counts of this version only.
        #expect(check.new.map(\.reports) == [6, 5] && check.new.map(\.installs) == [1, 1])
        #expect(check.new.map(\.trend.last) == [56, 5])
        #expect(try self.check("5.4").newCount == 0)
        #expect(try self.check("5.4", baseline: "5.2").new.map(\.identity.title) == ["Newer"])
    }

    @Test(
        arguments: [
            (nil, "5.2", ["Late"]), ("5.2", "5.2", ["Late"]), ("5.2.0", "5.2.0", ["Late"]),
            ("5.1", "5.1", ["Late", "Between"]), ("5.1.7", "5.1.7", ["Late", "Between"]),
            ("5.0", "5.0", ["Late", "Between", "Old"]),
        ] as [(String?, String, [String])])
    func `a baseline stands for all before it, seen or not`(baseline: String?, told: String, new: [String])
        throws
    {
        try count("5.3", ["Old", "Between", "Late"])
        let check = try check(baseline: baseline)
        #expect(check.baseline == told)
        #expect(check.new.map(\.identity.title) == new)
    }

    @Test func `a version without a number says nothing about one with a number`() throws {
        try count("unknown", ["Between"])
        try count("5.3", ["Old", "Strange", "Between"])
        #expect(try check().new.map(\.identity.title) == ["Strange"])
        #expect(try check(baseline: "5.1").new.map(\.identity.title) == ["Between", "Strange"])
        // Unless it is requested as the baseline, or is the checked version itself.
        #expect(try check(baseline: "unknown").new.map(\.identity.title) == ["Old"])
        try count("zero", ["Strange", "Last"])
        #expect(try check("zero").baseline == "unknown")
        #expect(try check("zero").new.map(\.identity.title) == ["Last"])
        // It is no baseline for a version with a number, even if there is no other.
        #expect(try check("5.1").baseline == nil)
        #expect(try check("5.1").newCount == 3)
    }

    @Test func `what was only freed in the version is not new in it`() throws {
        try count("5.3", ["Old"])
        let freed = Report(leak: leak("Freed"), version: "5.3", isFreed: true, count: 5)
        #expect(try store.count([submission([freed])], now: noon) == [.counted])
        #expect(try check().passes && check().newCount == 0 && check().setAside == 0)
        try count("5.3", ["Freed"])
        #expect(try check().new.map(\.identity.title) == ["Freed"])
    }

    @Test(arguments: ["5.3", "5.3.0", "v5.3", "5.4", "6"])
    func `a baseline that is not older is refused`(baseline: String) throws {
        try count("5.3", ["Old"])
        let failure = try #require(throws: StoreError.self) { try check(baseline: baseline) }
        #expect(failure.reason == .invalidArgument && failure.description.contains(baseline))
    }

    @Test func `versions that rank the same are no baseline of each other`() throws {
        try count("5.3", ["A"])
        try count("5.3.0", ["B"])
        #expect(try check("5.3").baseline == "5.2" && check("5.3.0").baseline == "5.2")
        #expect(try check("5.3").newCount == 1)
    }

    @Test func `a pre-release is the baseline of its release`() throws {
        try count("5.3-rc.1", ["Rc"])
        try count("5.3", ["Rc", "Final"])
        #expect(try check("5.3").baseline == "5.3-rc.1")
        #expect(try check("5.3").new.map(\.identity.title) == ["Final"])
        #expect(try check("5.3", baseline: "5.2").newCount == 2)
    }

    @Test func `the first version has no baseline, and brings all it has`() throws {
        let reports = [Report(leak: leak("A", app: "mail"), version: "1.0")]
        _ = try store.count([submission(reports)], now: noon)
        let check = try #require(
            try store.makeReader().check(app: "mail", version: "1.0", baseline: nil, now: noon))
        #expect(check.baseline == nil && check.newCount == 1)
    }

    @Test func `a version that nothing was heard of has no check`() throws {
        let reader = try store.makeReader()
        #expect(try reader.check(app: "shop", version: "5.3", baseline: nil, now: noon) == nil)
        #expect(try reader.check(app: "mail", version: "5.2", baseline: nil, now: noon) == nil)
        // A session is enough.
        var batch = submission()
        batch.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "5.3", build: nil, sessions: 1, leakySessions: 0, checks: [:])
        ]
        _ = try store.count([batch], now: noon)
        let check = try check()
        #expect(check.passes && check.leaks == 0 && check.reports == 0)
    }

    @Test func `what is known or ignored is set aside, what is slow is not`() throws {
        try count("5.3", ["UIKeyboardNew", "Ignored", "Later", "Slow", "Noted"])
        _ = try store.count(
            [submission([Report(leak: leak("Slow"), version: "5.3", isFreed: true, count: 90)])], now: noon)
        try decide(.ignore(nil), "Ignored")
        try decide(.ignore(.date(noon + 1)), "Later")
        let check = try check()
        #expect(check.new.map(\.identity.title) == ["Noted", "Slow"])
        #expect(check.new.map(\.state) == [.open, .slow])
        #expect(check.setAside == 3 && check.leaks == 5)
        #expect(try self.check(now: noon + 1).newCount == 3)
        #expect(try self.check(now: noon + 1).setAside == 2)
    }

    @Test func `what is resolved is set aside from its fix on, and not before it`() throws {
        try count("5.3", ["Here", "Next"])
        try decide(.resolve(.newestVersion), "Here")
        try decide(.resolve(.nextVersion), "Next")
        let check = try check()
        #expect(check.new.map(\.identity.title) == ["Next"] && check.new.map(\.state) == [.resolved])
        #expect(check.setAside == 1)
    }

    @Test func `what came back in the version fails it, known or not`() throws {
        try decide(.resolve(.version("5.3")), "Regressed")
        try decide(.resolve(.version("5.3")), "UIKeyboardOld")
        try count("5.2", ["Regressed"], count: 100)
        try count("5.3", ["Old", "Regressed", "UIKeyboardOld"])
        let check = try check()
        #expect(check.regressed.map(\.identity.title) == ["UIKeyboardOld", "Regressed"])
        #expect(check.regressed.map(\.reports) == [3, 2] && check.regressedCount == 2)
        #expect(check.regressed.allSatisfy { $0.state == .regressed && $0.standing?.regressedIn == "5.3" })
        #expect(check.newCount == 0 && check.setAside == 0 && !check.passes)
        // It was there before its fix, too.
        #expect(try self.check("5.2").passes == false)
        #expect(try self.check("5.2").regressedCount == 0)
        #expect(try self.check("5.2", baseline: "5.1").new.map(\.identity.title) == ["Between"])
    }

    @Test func `what came back later did not come back here`() throws {
        try count("5.3", ["Regressed"])
        try decide(.resolve(.version("5.3")), "Regressed")
        try count("5.4", ["Regressed"])
        #expect(try check("5.3").regressedCount == 0)
        #expect(try check("5.4").regressedCount == 1)
    }

    @Test func `what is new and came back counts once`() throws {
        try count("5.3", ["New"])
        try decide(.resolve(.newestVersion), "New")
        try count("5.3", ["New"])
        let check = try check()
        #expect((check.newCount, check.regressedCount) == (0, 1))
    }

    @Test func `at most two hundred are given, and all are counted`() throws {
        try count("5.3", (0..<210).map { "N\($0)" })
        let check = try check()
        #expect(check.newCount == 210 && check.new.count == ReleaseCheck.rowLimit)
        #expect(check.new.first?.identity.title == "N209")
    }
}

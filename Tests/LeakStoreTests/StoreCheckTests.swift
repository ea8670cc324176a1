import LeakStatistics
import Testing

@testable import LeakStore

/// Release checks of every store. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoreCheckTests {
    let place = StoreLocation()
    let store: any Store
    private let list = KnownLeaks([knownLeakRule("UIKeyboard*", "keyboard")])

    init() throws { store = try place.store() }

    /// Reports and checks of one class, spread over devices.
    private struct Count {
        var name: String
        var reports = 0
        var checks = 0
        var installs = 100
    }

    private func count(_ version: String, build: String? = nil, _ counts: Count...) throws {
        var batches: [Submission] = []
        for count in counts {
            for install in 0..<count.installs {
                func share(_ number: Int) -> Int {
                    number / count.installs + (install < number % count.installs ? 1 : 0)
                }
                let reports = share(count.reports)
                var batch = submission(
                    reports == 0
                        ? []
                        : [
                            Report(
                                leak: leak(count.name), version: version, build: build,
                                install: UInt64(install),
                                count: reports)
                        ])
                let checks = share(count.checks)
                if checks > 0 {
                    batch.usageCounts = [
                        Submission.UsageCounts(
                            app: "shop", version: version, build: build, installHash: UInt64(install),
                            sessions: 1,
                            leakySessions: reports > 0 ? 1 : 0, checks: [count.name: checks])
                    ]
                }
                batches.append(batch)
            }
        }
        #expect(try store.count(batches, now: noon).allSatisfy { $0 == .counted })
    }

    private func decide(_ action: Decision.Action, _ name: String) throws {
        _ = try #require(
            try store.decide(Decision(action, by: "ada"), about: leak(name).id, now: noon))
    }

    private func check(
        _ version: String = "5.3", build: String? = nil, baseline: String? = nil,
        baselineBuild: String? = nil,
        now: Int64 = noon
    ) throws -> ReleaseCheck {
        let query = ReleaseCheckQuery(
            app: "shop", version: version, build: build, baseline: baseline, baselineBuild: baselineBuild)
        return try #require(try store.makeReader(known: list).releaseCheck(query, now: now))
    }

    /// Returns the titles of the leaks with this kind of result.
    private func titles(_ check: ReleaseCheck, _ kind: ReleaseGate.LeakResult.Kind) -> [String] {
        check.leaks.filter { $0.result.kind == kind }.map(\.row.identity.title)
    }

    @Test func `a version without the leak is the baseline if it has enough checks of the leak's class`()
        throws
    {
        try count("5.1", Count(name: "A", reports: 400, checks: 4_000))
        try count("5.2", Count(name: "A", checks: 4_000, installs: 40))
        try count("5.3", Count(name: "A", reports: 400, checks: 4_000))
        let check = try check()
        #expect(check.baseline?.version == "5.2")
        #expect(check.worseCount + check.newCount + check.backCount == 1)
        // A developer's version has few checks.
        try count("5.2.9", Count(name: "A", checks: 120, installs: 1))
        #expect(try self.check().baseline?.version == "5.2")
    }

    @Test func `a version that leaks as often as its baseline passes the release check`() throws {
        try count("5.2", Count(name: "Page", reports: 150, checks: 3_000))
        try count("5.3", Count(name: "Page", reports: 160, checks: 3_000))
        let check = try check()
        #expect(check.verdict == .passed && check.leaks.isEmpty)
        #expect((check.app, check.version.version, check.baseline?.version) == ("shop", "5.3", "5.2"))
        #expect((check.version.checks, check.version.reports, check.baseline?.reports) == (3_000, 160, 150))
        #expect(check.version.sessions == Proportion(events: 100, trials: 100))
        #expect(check.classes.map(\.className) == ["Page"] && check.classes[0].result == .enough)
    }

    @Test func `a leak whose reports rise from 10 to 600 in 1,000 checks fails the release check`() throws {
        try count("5.2", Count(name: "Page", reports: 10, checks: 1_000))
        try count("5.3", Count(name: "Page", reports: 600, checks: 1_000))
        let check = try check()
        #expect(check.verdict == .failed && titles(check, .worse) == ["Page"])
        #expect(check.leaks[0].baseline == ReleaseCheck.RateCounts(reports: 10, checks: 1_000))
        #expect(check.leaks[0].version.rate == 0.6)
        #expect(check.leaks[0].row.reports == 600 && check.leaks[0].row.installs == 100)
    }

    /// Each stack alone rises only from one report to five.
    @Test func `a class whose leaks spread over 150 stacks and rise from 5 to 25 percent fails as a whole`()
        throws
    {
        let leaks = (0..<150).map { leak("Page", stack: ["Owner\($0)"]) }
        func count(_ version: String, reports: Int) throws {
            let batches = (0..<200).map { install -> Submission in
                var batch = submission(
                    (0..<3_000).filter { $0 % 200 == install && $0 < reports }.map {
                        Report(leak: leaks[$0 % 150], version: version, install: UInt64(install))
                    })
                batch.usageCounts = [
                    Submission.UsageCounts(
                        app: "shop", version: version, build: nil, installHash: UInt64(install), sessions: 1,
                        leakySessions: 0, checks: ["Page": 15])
                ]
                return batch
            }
            #expect(try store.count(batches, now: noon).allSatisfy { $0 == .counted })
        }
        try count("5.2", reports: 150)
        try count("5.3", reports: 750)
        let check = try check()
        #expect(check.verdict == .failed && check.leaks.isEmpty)
        #expect(check.worseClasses.map(\.className) == ["Page"])
        #expect(check.worseClasses[0].baseline == ReleaseCheck.RateCounts(reports: 150, checks: 3_000))
        #expect(check.worseClasses[0].version.rate == 0.25)
    }

    @Test
    func `a version of an app with 40 classes and few checks of each passes if they are enough together`()
        throws
    {
        func count(_ version: String, reports: Int) throws {
            let batches = (0..<200).map { install -> Submission in
                var batch = submission(
                    (0..<40).filter { $0 % 2 == 0 && ($0 * 7 + install) % 200 < reports }.map {
                        Report(leak: leak("Screen\($0)"), version: version, install: UInt64(install))
                    })
                batch.usageCounts = [
                    Submission.UsageCounts(
                        app: "shop", version: version, build: nil, installHash: UInt64(install), sessions: 1,
                        leakySessions: 0,
                        checks: Dictionary(uniqueKeysWithValues: (0..<40).map { ("Screen\($0)", 2) }))
                ]
                return batch
            }
            // One commit counts about 180 of these batches.
            for half in [batches[..<100], batches[100...]] {
                #expect(
                    try store.count(Array(half), now: noon) == [Receipt](repeating: .counted, count: 100))
            }
        }
        try count("5.2", reports: 10)
        try count("5.3", reports: 10)
        try count("5.4", reports: 20)
        let check = try check()
        let pool = try #require(check.pool)
        #expect(check.verdict == .passed && pool.result == .enough)
        #expect((pool.classCount, pool.undecidedClassCount) == (40, 40))
        #expect(pool.baseline == ReleaseCheck.RateCounts(reports: 200, checks: 16_000))
        #expect(pool.version == pool.baseline)
        let worse = try self.check("5.4")
        #expect(worse.verdict == .failed && worse.leaks.isEmpty && worse.worseClasses.isEmpty)
        guard case .worse = worse.pool?.result else {
            Issue.record("\(String(describing: worse.pool))")
            return
        }
        #expect(worse.pool?.version.reports == 400)
    }

    @Test func `a class whose only leaks are ignored or known needs no checks`() throws {
        try count(
            "5.2", Count(name: "Page", reports: 100, checks: 3_000),
            Count(name: "Debug", reports: 900, checks: 9_000),
            Count(name: "UIKeyboardOld", reports: 900, checks: 9_000))
        try count(
            "5.3", Count(name: "Page", reports: 100, checks: 3_000), Count(name: "Debug", checks: 10),
            Count(name: "UIKeyboardOld", reports: 1, checks: 10))
        #expect(try self.check().verdict == .cannotTell)
        try decide(.ignore(nil), "Debug")
        let check = try check()
        #expect(check.verdict == .passed && check.neededGrowth == nil)
        #expect(
            Dictionary(uniqueKeysWithValues: check.classes.map { ($0.className, $0.result) }) == [
                "Page": .enough, "Debug": .setAside, "UIKeyboardOld": .setAside,
            ])
        // Another leak of the class that is not ignored needs checks.
        _ = try store.count(
            [submission([Report(leak: leak("Debug", stack: ["Other"]), version: "5.2")])], now: noon)
        #expect(try self.check().verdict == .cannotTell)
    }

    @Test func `a version with one session and a check of another class does not pass`() throws {
        try count("5.2", Count(name: "Page", reports: 100, checks: 3_000))
        try count("5.3", Count(name: "Other", checks: 1, installs: 1))
        let check = try check()
        #expect(check.verdict == .cannotTell)
        #expect(check.classes.map(\.className) == ["Page", "Other"])
        #expect(check.classes.map(\.result) == [.notChecked, .new])
    }

    @Test func `one report from one install does not fail a version`() throws {
        try count("5.2", Count(name: "Page", reports: 100, checks: 3_000))
        try count(
            "5.3", Count(name: "Page", reports: 100, checks: 3_000),
            Count(name: "New", reports: 1, installs: 1))
        let check = try check()
        #expect(check.verdict == .passed && check.leaks.isEmpty && check.rareCount == 1)
    }

    @Test func `a new leak of a new class fails the version if it reaches the limits of devices and reports`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 100, checks: 3_000))
        try count(
            "5.3", Count(name: "Page", reports: 100, checks: 3_000),
            Count(name: "New", reports: 3, checks: 20, installs: 2))
        #expect(try check().verdict == .failed && titles(check(), .new) == ["New"])
        var query = ReleaseCheckQuery(app: "shop", version: "5.3")
        query.limits.devices = 3
        #expect(try store.makeReader().releaseCheck(query, now: noon)?.verdict == .passed)
        // In the version after it, the leak is not new.
        try count("5.4", Count(name: "Page", checks: 3_000), Count(name: "New", reports: 90, checks: 100))
        #expect(try titles(check("5.4"), .new) == [])
    }

    @Test
    func `a version without checks cannot be compared with the previous version, but a new leak fails it`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 10))
        try count("5.3", Count(name: "Page", reports: 900))
        #expect(try check().verdict == .cannotTell && check().classes.isEmpty)
        try count("5.3", Count(name: "New", reports: 5))
        #expect(try check().verdict == .failed && titles(check(), .new) == ["New"])
    }

    @Test func `a leak whose rate has fallen is listed as better, even if it has no reports any more`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 600, checks: 3_000))
        try count("5.3", Count(name: "Page", checks: 3_000))
        let check = try check()
        #expect(check.verdict == .passed && titles(check, .better) == ["Page"])
        #expect(check.leaks[0].row.reports == 0)
        #expect((check.betterCount, check.fixedCount, check.hasEnoughData) == (1, 1, true))
    }

    @Test
    func `a resolved leak whose rate falls to 0 is fixed, and is left out of the tests of the other leaks`()
        throws
    {
        try count(
            "5.2", Count(name: "Page", reports: 600, checks: 3_000),
            Count(name: "Rare", reports: 1, checks: 3_000),
            Count(name: "Less", reports: 600, checks: 3_000))
        try decide(.resolve(.version("5.3")), "Page")
        try decide(.resolve(.version("5.3")), "Rare")
        try count(
            "5.3", Count(name: "Page", checks: 3_000), Count(name: "Rare", checks: 3_000),
            Count(name: "Less", reports: 300, checks: 3_000))
        let check = try check()
        #expect(check.verdict == .passed && Set(titles(check, .better)) == ["Page", "Less"])
        #expect((check.betterCount, check.fixedCount, check.setAsideCount) == (2, 1, 0))
        var query = ReleaseCheckQuery(app: "shop", version: "5.3")
        query.listsLeaks = false
        let counted = try #require(try store.makeReader(known: list).releaseCheck(query, now: noon))
        #expect(counted.leaks.isEmpty && counted.fixedCount == 1)
    }

    @Test(
        arguments: [
            (nil, "5.2", []), ("5.2", "5.2", []), ("5.2.0", "5.2.0", []), ("5.1", "5.1", ["Between"]),
            ("5.1.7", "5.1.7", ["Between"]), ("5.0", "5.0", ["Between", "Old"]),
        ] as [(String?, String, [String])])
    func `a leak is new only if no version up to the baseline has it`(
        baseline: String?, told: String, new: [String]
    ) throws {
        try count("5.1", Count(name: "Old", reports: 9))
        try count("5.2", Count(name: "Between", reports: 9))
        try count("5.3", Count(name: "Old", reports: 9), Count(name: "Between", reports: 10))
        let check = try check(baseline: baseline)
        #expect(check.baseline?.version == told)
        #expect(titles(check, .new) == new)
    }

    @Test func `a version that only one device uses is not the baseline, unless there is no other version`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 150, checks: 3_000))
        try count("5.2.1-dev", Count(name: "Page", reports: 40, checks: 40, installs: 1))
        try count("5.3", Count(name: "Page", reports: 160, checks: 3_000))
        #expect(try check().baseline?.version == "5.2" && check().verdict == .passed)
        #expect(try check(baseline: "5.2.1-dev").baseline?.version == "5.2.1-dev")
        try count("4.0", Count(name: "Page", reports: 1, checks: 9, installs: 1))
        #expect(try check("5.2").baseline?.version == "4.0")
    }

    @Test func `a version without a number is not the baseline of a version with a number, unless requested`()
        throws
    {
        try count("unknown", Count(name: "Strange", reports: 9), Count(name: "Between", reports: 9))
        try count("5.1", Count(name: "Old", reports: 9))
        try count(
            "5.3", Count(name: "Old", reports: 9), Count(name: "Strange", reports: 8),
            Count(name: "Between", reports: 7))
        #expect(try titles(check(), .new) == ["Strange", "Between"])
        // The version `unknown` is the baseline if the query requests it.
        #expect(try titles(check(baseline: "unknown"), .new) == ["Old"])
        // Without a request, `unknown` is not a baseline for a version with a number, even if there is no other version.
        #expect(try check("5.1").baseline == nil && titles(check("5.1"), .new) == [])
    }

    @Test(arguments: ["5.3", "5.3.0", "v5.3", "5.4", "6"])
    func `a baseline that is not older is refused`(baseline: String) throws {
        try count("5.3", Count(name: "Old", reports: 1, installs: 1))
        let failure = try #require(throws: StoreError.self) { try check(baseline: baseline) }
        #expect(failure.reason == .invalidArgument && failure.description.contains(baseline))
    }

    @Test func `versions of equal rank have the same baseline, and neither is the baseline of the other`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 50, checks: 1_500))
        try count("5.2.0", Count(name: "Page", reports: 50, checks: 1_500))
        try count("5.3", Count(name: "Page", reports: 100, checks: 3_000))
        try count("5.3.0", Count(name: "Other", reports: 9))
        #expect(try check().baseline?.checks == 3_000 && check().verdict == .passed)
        #expect(try check("5.3.0").baseline?.checks == 3_000)
    }

    @Test func `an unknown version has no release check`() throws {
        let reader = try store.makeReader()
        try count("5.3", build: "7", Count(name: "Page", checks: 1, installs: 1))
        for query in [
            ReleaseCheckQuery(app: "shop", version: "5.4"), ReleaseCheckQuery(app: "mail", version: "5.3"),
            ReleaseCheckQuery(app: "shop", version: "5.3", build: "8"),
        ] {
            #expect(try reader.releaseCheck(query, now: noon) == nil)
        }
        // One check is enough for a version to be known.
        #expect(try check().verdict == .cannotTell)
        #expect(try check(build: "7").verdict == .cannotTell)
    }

    @Test func `a build is compared with the previous build`() throws {
        try count("5.2", build: "9", Count(name: "Page", reports: 30, checks: 3_000))
        try count("5.3", build: "892", Count(name: "Page", reports: 600, checks: 3_000))
        try count(
            "5.3", build: "895", Count(name: "Page", reports: 30, checks: 3_000),
            Count(name: "New", reports: 9))
        try count("5.3", build: "1000", Count(name: "Page", reports: 30, checks: 3_000))
        let fixed = try check(build: "895")
        #expect(fixed.baseline?.version == "5.3" && fixed.baseline?.build == "892")
        #expect(titles(fixed, .better) == ["Page"] && titles(fixed, .new) == ["New"])
        #expect(try check(build: "892").baseline?.version == "5.2")
        #expect(try titles(check(build: "892"), .worse) == ["Page"])
        // The version has the checks of all its builds.
        #expect(try check().version.checks == 9_000)
        #expect(try check(build: "1000").baseline?.build == "895")
        let named = try check(build: "1000", baseline: "5.3", baselineBuild: "892")
        #expect(named.baseline?.build == "892" && titles(named, .better) == ["Page"])
        #expect(try check(build: "1000", baseline: "5.2", baselineBuild: "9").verdict == .passed)
        for (baseline, build) in [("5.3", "895"), ("5.3", "1000"), ("5.3", nil), ("5.2", "8")] {
            #expect(throws: StoreError.self) {
                try check(build: "895", baseline: baseline, baselineBuild: build)
            }
        }
    }

    @Test func `a release check leaves out known and ignored leaks, but not slow leaks`() throws {
        try count("5.2", Count(name: "Page", reports: 30, checks: 3_000))
        try count(
            "5.3", Count(name: "Page", checks: 3_000), Count(name: "UIKeyboardNew", reports: 9),
            Count(name: "Ignored", reports: 9), Count(name: "Later", reports: 9),
            Count(name: "Slow", reports: 8),
            Count(name: "Noted", reports: 9))
        _ = try store.count(
            [submission([Report(leak: leak("Slow"), version: "5.3", isFreed: true, count: 90)])], now: noon)
        try decide(.ignore(nil), "Ignored")
        try decide(.ignore(.until(milliseconds: noon + 1)), "Later")
        let check = try check()
        #expect(titles(check, .new) == ["Noted", "Slow"] && check.setAsideCount == 3)
        #expect(check.leaks.first { $0.row.identity.title == "Slow" }?.row.state == .slow)
        #expect(try self.check(now: noon + 1).newCount == 3)
        #expect(try self.check(now: noon + 1).setAsideCount == 2)
    }

    @Test
    func `a release check leaves out a resolved leak in versions with the fix, but not in earlier versions`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 30, checks: 3_000))
        try count("5.3", Count(name: "Here", reports: 9), Count(name: "Next", reports: 9))
        #expect(try store.pin("5.3", of: "shop"))
        try decide(.resolve(.newestVersion), "Here")
        try decide(.resolve(.nextVersion), "Next")
        let check = try check()
        #expect(titles(check, .new) == ["Next"] && check.leaks.map(\.row.state) == [.resolved])
        #expect(check.setAsideCount == 1)
    }

    @Test func `a leak that regressed in the version fails the release check, even if it is a known leak`()
        throws
    {
        try count("5.1", Count(name: "Regressed", reports: 1), Count(name: "UIKeyboardOld", reports: 1))
        try decide(.resolve(.version("5.3")), "Regressed")
        try decide(.resolve(.version("5.3")), "UIKeyboardOld")
        try count("5.2", Count(name: "Regressed", reports: 200))
        try count("5.3", Count(name: "Regressed", reports: 2), Count(name: "UIKeyboardOld", reports: 3))
        let check = try check()
        #expect(check.verdict == .failed && titles(check, .back) == ["UIKeyboardOld", "Regressed"])
        #expect(
            check.leaks.allSatisfy {
                $0.row.state == .regressed && $0.row.decisionStatus?.regressedIn == "5.3"
            })
        #expect(check.setAsideCount == 0)
        #expect(try titles(self.check("5.2"), .back) == [])
        // A leak that regresses in a later version is not listed as back in this version.
        try decide(.resolve(.version("5.3")), "Regressed")
        try count("5.4", Count(name: "Regressed", reports: 2))
        #expect(try titles(self.check("5.3"), .back) == ["UIKeyboardOld"])
        #expect(try titles(self.check("5.4"), .back) == ["Regressed"])
    }

    @Test
    func `a leak is not back in a build that had it before the decision if only a later build has it again`()
        throws
    {
        try count("5.2", build: "800", Count(name: "Page", reports: 300, checks: 3_000))
        try count("5.3", build: "892", Count(name: "Page", reports: 300, checks: 3_000))
        try count("5.3", build: "895", Count(name: "Page", reports: 100, checks: 3_000))
        try decide(.resolve(.version("5.3", build: "895")), "Page")
        try count("5.3", build: "896", Count(name: "Page", reports: 30, checks: 3_000))
        #expect(try titles(check(build: "896"), .back) == ["Page"])
        #expect(try titles(check(build: "895"), .back) == [])
        try count("5.3", build: "895", Count(name: "Page", reports: 100, checks: 3_000))
        #expect(try titles(check(build: "895"), .back) == ["Page"])
    }

    @Test func `a release check of a build and the state of a leak resolved in this build agree`() throws {
        try count("5.2", build: "800", Count(name: "Page", reports: 300, checks: 3_000))
        try count("5.3", build: "892", Count(name: "Page", reports: 300, checks: 3_000))
        try decide(.resolve(.version("5.3", build: "895")), "Page")
        try count("5.3", build: "895", Count(name: "Page", checks: 3_000))
        try count("5.3", build: "892", Count(name: "Page", reports: 20, checks: 200))
        var check = try check(build: "895")
        #expect(check.verdict == .passed && titles(check, .better) == ["Page"])
        #expect(check.leaks.map(\.row.state) == [.resolved])
        // The earlier build is not fixed, so its leak is compared.
        check = try self.check(build: "892", baseline: "5.2")
        #expect(check.setAsideCount == 0 && titles(check, .back) == [])

        try count("5.3", build: "896", Count(name: "Page", reports: 30, checks: 3_000))
        check = try self.check(build: "896")
        #expect(check.verdict == .failed && titles(check, .back) == ["Page"])
        #expect(check.leaks.first?.row.decisionStatus?.regressedInBuild == "896")
        #expect(try titles(self.check(), .back) == ["Page"])
        #expect(try titles(self.check(build: "892", baseline: "5.2"), .back) == [])
    }

    @Test
    func `a release check returns at most 200 leaks with the same kind of result, and counts all of them`()
        throws
    {
        try count("5.2", Count(name: "Page", reports: 1, installs: 1))
        let reports = (0..<210).flatMap { number in
            [1, 2].map { Report(leak: leak("N\(number)"), version: "5.3", install: $0, count: 2 + number) }
        }
        _ = try store.count([submission(reports)], now: noon)
        let check = try check()
        #expect(check.newCount == 210 && check.leaks.count == ReleaseCheck.rowLimit)
        #expect(check.leaks.first?.row.identity.title == "N209")
    }

    /// Reports and checks of 700 installs arrive in 30 commits, so that some counts may be in a log.
    @Test
    func `a release check counts all reports, checks and sessions of a version, also after a merge of leaks`()
        throws
    {
        var reports: [Int: Int] = [:]
        var batches: [Submission] = []
        for number in 0..<3_000 {
            let install = UInt64(number % 700) &* 0x9E37_79B9_7F4A_7C15
            let count = 1 + number % 3
            reports[BucketCounts.bucket(ofInstall: install), default: 0] += count
            var batch = submission([
                Report(
                    leak: leak("Page"), version: "5.3", build: "\(number % 2)", install: install, count: count
                )
            ])
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "5.3", build: "\(number % 2)", installHash: install, sessions: 1,
                    leakySessions: 1, checks: ["Page": 2])
            ]
            batches.append(batch)
        }
        for start in stride(from: 0, to: batches.count, by: 100) {
            _ = try store.count(Array(batches[start..<start + 100]), now: noon)
        }
        let check = try check()
        #expect(check.version.checks == 6_000 && check.version.reports == reports.values.reduce(0, +))
        #expect(check.version.sessions == Proportion(events: 3_000, trials: 3_000))
        #expect(try store.verify() == [])
        // A merge adds up the reports of both leaks.
        try count("5.3", build: "0", Count(name: "Other", reports: 9, installs: 9))
        _ = try store.merge(
            [leak("Other").id], into: leak("Page"), by: "r", now: noon, note: { _ in "merged" })
        #expect(try self.check().version.reports == check.version.reports + 9)
        #expect(try store.verify() == [])
    }
}

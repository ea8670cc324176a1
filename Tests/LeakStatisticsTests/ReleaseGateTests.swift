import LeakStatistics
import Testing

/// The verdict about a release, from counts that can be checked by hand.
@Suite struct ReleaseGateTests {
    /// Splits a number over the buckets, or over the first few buckets, as evenly as possible.
    private static func spread(_ number: Int, over buckets: Int = 64) -> [Int] {
        (0..<BucketedCounts.bucketCount).map { bucket in
            bucket < buckets ? number / buckets + (bucket < number % buckets ? 1 : 0) : 0
        }
    }

    /// Splits the reports of a class as evenly as possible. Different classes have their reports in different buckets.
    private static func spread(reports: Int, ofClass index: Int, over buckets: Int) -> [Int] {
        let counts = spread(reports, over: buckets)
        return buckets < 64 ? counts : (0..<64).map { counts[($0 + 13 * index / 2) % 64] }
    }

    private struct Given {
        var checks: (before: Int, now: Int) = (1_000, 1_000)
        var reports: (before: Int, now: Int)
        var devices = 50
        var isRegressed = false
        var buckets = 64
        var isSetAside = false
    }

    private func check(_ given: [Given]) -> ReleaseGate.Result {
        ReleaseGate().check(
            given.enumerated().map { index, given in
                ReleaseGate.ClassCounts(
                    "Class\(index)", baseline: Self.spread(given.checks.before, over: given.buckets),
                    version: Self.spread(given.checks.now, over: given.buckets),
                    isSetAside: given.isSetAside)
            },
            given.enumerated().map { index, given in
                ReleaseGate.LeakCounts(
                    classIndex: index,
                    baseline: Self.spread(
                        reports: given.reports.before, ofClass: index, over: given.buckets),
                    version: Self.spread(reports: given.reports.now, ofClass: index, over: given.buckets),
                    devices: given.devices, isNew: given.reports.before == 0, isRegressed: given.isRegressed)
            })
    }

    @Test func `a leak whose reports rise from 10 to 600 in 1,000 checks fails a release`() {
        let result = check([Given(reports: (10, 600))])
        #expect(result.verdict == .failed)
        guard case .worse(let probability) = result.leaks[0] else {
            Issue.record("\(result)")
            return
        }
        #expect(probability < 1e-9)
    }

    static let verdicts:
        [(
            name: String, checks: (Int, Int), reports: (Int, Int), devices: Int, isRegressed: Bool,
            expected: ReleaseGate.Verdict
        )] = [
            ("as many as before", (1_000, 1_000), (100, 100), 50, false, .passed),
            ("fewer than before", (1_000, 1_000), (100, 10), 9, false, .passed),
            ("a leak that was marked fixed is back", (1_000, 1_000), (0, 1), 1, true, .failed),
            ("a leak that is not seen any more", (1_000, 1_000), (100, 0), 0, false, .passed),
            ("too few checks", (1_000, 120), (0, 0), 0, false, .cannotTell),
            ("too few checks, but a rise", (1_000, 120), (0, 40), 30, false, .failed),
            ("no check of the class any more", (1_000, 0), (10, 0), 0, false, .cannotTell),
            ("a baseline with too few checks", (20, 5_000), (2, 500), 50, false, .cannotTell),
            ("a class that the baseline did not check", (0, 1_000), (0, 100), 50, false, .failed),
            (
                "one report of a class that the baseline did not check", (0, 1_000), (0, 1), 1, false,
                .cannotTell
            ),
            (
                "three reports of a class that the baseline did not check, from one device", (0, 20),
                (0, 3), 1, false, .cannotTell
            ),
            (
                "a low rate of a class that the baseline did not check", (0, 10_000), (0, 40), 30, false,
                .cannotTell
            ),
            ("nothing at all", (0, 0), (0, 0), 0, false, .cannotTell),
        ]

    @Test(arguments: verdicts.indices)
    func `each case of checks, reports and devices has the expected verdict`(_ index: Int) {
        let given = Self.verdicts[index]
        let result = check([
            Given(
                checks: given.checks, reports: given.reports, devices: given.devices,
                isRegressed: given.isRegressed)
        ])
        #expect(result.verdict == given.expected, "\(given.name): \(result)")
    }

    @Test
    func `a result has the classes that are no longer checked, and the number of checks that are needed`() {
        let result = check([
            Given(checks: (1_000, 0), reports: (10, 0)), Given(checks: (5_000, 120), reports: (0, 0)),
        ])
        #expect(result.classes[0] == .notChecked)
        guard case .needs(let checks?) = result.classes[1] else {
            Issue.record("\(result)")
            return
        }
        #expect((200...500).contains(checks))
        let enough = check([Given(checks: (5_000, checks), reports: (0, 0))])
        #expect(enough.verdict == .passed)
        #expect(check([Given(checks: (5_000, checks - 1), reports: (0, 0))]).verdict == .cannotTell)
    }

    @Test func `rare classes do not delay a release, but are tested for a rise`() {
        let common = Given(checks: (10_000, 10_000), reports: (100, 100))
        let rare = Given(checks: (100, 20), reports: (1, 0))
        #expect(check([common, rare]).verdict == .passed)
        #expect(check([common, Given(checks: (100, 20), reports: (1, 15))]).verdict == .failed)
    }

    // MARK: Rare classes

    /// A hundred classes of equal use, of which every other has a leak.
    private static func manyClasses(
        checks: (Int, Int) = (700, 700), reports: (Int, Int) = (8, 8)
    ) -> [Given] {
        (0..<100).map { Given(checks: checks, reports: $0 % 2 == 0 ? reports : (0, 0)) }
    }

    @Test func `an app with a hundred classes passes if they have enough checks together`() throws {
        let result = check(Self.manyClasses())
        let pool = try #require(result.pool)
        #expect(result.verdict == .passed && pool.result == .enough && result.neededGrowth == nil)
        #expect(pool.classIndices.count == 100 && pool.undecidedClassCount >= 50)
        #expect(result.classes.contains(.pooled))
    }

    @Test func `a hundred classes whose rates double fail a release together, although none does alone`() {
        let result = check(Self.manyClasses(reports: (8, 16)))
        #expect(result.verdict == .failed && result.leaks.allSatisfy { $0 == .unchanged })
        #expect(result.pool?.isWorse == true)
        // If one leak fails the release, the classes are not reported as worse together.
        let alone = check(Self.manyClasses(reports: (8, 16)) + [Given(checks: (700, 700), reports: (8, 400))])
        #expect(alone.verdict == .failed && alone.pool?.isWorse == false)
    }

    @Test func `a release with too few checks passes when they have grown by the needed factor`() throws {
        let result = check(Self.manyClasses(checks: (700, 70), reports: (8, 1)))
        #expect(result.verdict == .cannotTell)
        let growth = try #require(result.neededGrowth)
        #expect(growth > 1.2)
        guard case .needs(let pooled?) = result.pool?.result else {
            Issue.record("\(result)")
            return
        }
        #expect(pooled == growth)
        func verdict(grownBy factor: Double) -> ReleaseGate.Verdict {
            let checks = Int((70 * growth * factor).rounded(.up))
            return check(Self.manyClasses(checks: (700, checks), reports: (8, checks / 90))).verdict
        }
        #expect(verdict(grownBy: 1.1) == .passed && verdict(grownBy: 0.8) == .cannotTell)
    }

    @Test func `a class with more than a tenth of the checks needs enough checks of its own`() {
        let common = Given(checks: (20_000, 100), reports: (100, 0))
        let result = check(Self.manyClasses() + [common])
        #expect(result.verdict == .cannotTell && result.pool?.result == .enough)
        guard case .needs(let checks?) = result.classes[100] else {
            Issue.record("\(result)")
            return
        }
        #expect(result.neededGrowth == Double(checks) / 100)
    }

    @Test func `a removed screen with at most a tenth of the checks does not keep a release from passing`() {
        let removed = Given(checks: (700, 0), reports: (8, 0))
        let result = check(Self.manyClasses() + [removed])
        #expect(result.verdict == .passed && result.classes[100] == .notChecked)
        // If a fifth of the checks is missing, the detector may be off.
        let many = check(
            Self.manyClasses() + [Given](repeating: Given(checks: (700, 0), reports: (0, 0)), count: 40))
        #expect(many.verdict == .cannotTell && many.neededGrowth == nil)
    }

    @Test func `a class whose leaks are all set aside needs no checks`() {
        let common = Given(checks: (4_000, 4_000), reports: (10, 10))
        var setAside = Given(checks: (9_000, 20), reports: (0, 0))
        #expect(check([common, setAside]).verdict == .cannotTell)
        setAside.isSetAside = true
        let result = check([common, setAside])
        #expect(result.verdict == .passed && result.classes == [.enough, .setAside])
        // If no other class is checked, the class that is set aside needs enough checks, too.
        #expect(check([setAside]).verdict == .cannotTell)
        setAside.checks.now = 9_000
        #expect(check([setAside]).verdict == .passed)
    }

    @Test func `reports of a single device do not count as a rise`() {
        let result = check([Given(reports: (0, 300), devices: 1, buckets: 1)])
        #expect(result.leaks == [.unchanged] && result.verdict != .failed)
    }

    @Test(arguments: [(1, 1), (1, 64), (64, 1), (15, 15), (64, 15)])
    func `a release does not pass with checks of too few devices`(before: Int, now: Int) {
        let gate = ReleaseGate()
        func result(_ reports: (before: Int, now: Int)) -> ReleaseGate.Result {
            gate.check(
                [
                    ReleaseGate.ClassCounts(
                        "A", baseline: Self.spread(20_000, over: before),
                        version: Self.spread(20_000, over: now))
                ],
                [
                    ReleaseGate.LeakCounts(
                        classIndex: 0, baseline: Self.spread(reports.before, over: before),
                        version: Self.spread(reports.now, over: now), devices: 1, isNew: false)
                ])
        }
        #expect(result((10, 10)).verdict == .cannotTell)
        #expect(result((10, 20_000)).verdict != .passed)
        #expect(
            result((10, 10)).classes == [.fewDevices(inBaseline: before < ReleaseGate.minBucketCount)])
    }

    @Test func `a new leak of a class that is no longer checked fails a release by its reports and devices`()
    {
        let common = Given(checks: (4_000, 4_000), reports: (0, 0))
        let leak = Given(checks: (200, 0), reports: (0, 1_000), devices: 40)
        #expect(check([common, leak]).leaks[1] == .new(probability: nil))
        // A leak of this class that is not new cannot be compared, so a release with reports of it does not pass.
        #expect(check([common, Given(checks: (200, 0), reports: (20, 1_000))]).verdict == .cannotTell)
        #expect(check([common, Given(checks: (200, 0), reports: (20, 0))]).verdict == .passed)
    }

    @Test func `a new leak fails a release even if the baseline has a single check of its class`() {
        let common = Given(checks: (4_000, 4_000), reports: (0, 0))
        let leak = Given(checks: (1, 1_000), reports: (0, 1_000), devices: 40)
        #expect(check([common, leak]).verdict == .failed)
    }

    @Test(arguments: 0...4)
    func `a new leak of a class with checks of few devices fails a release by its reports and devices`(
        buckets: Int
    ) {
        let common = ReleaseGate.ClassCounts(
            "Common", baseline: Self.spread(4_000), version: Self.spread(4_000))
        let rare = ReleaseGate.ClassCounts(
            "Rare", baseline: Self.spread(200), version: Self.spread(20, over: buckets))
        let leak = ReleaseGate.LeakCounts(
            classIndex: 1, baseline: Self.spread(0), version: Self.spread(20, over: max(1, buckets)),
            devices: 2)
        let result = ReleaseGate().check([common, rare], [leak])
        #expect(result.leaks[0].kind == .new && result.verdict == .failed)
    }

    @Test func `a version with few checks does not pass, even with the most tolerant limit of rates`() {
        var limits = ReleaseGate.Limits()
        limits.rate = 0.99
        let classes = [
            ReleaseGate.ClassCounts("A", baseline: Self.spread(4_000), version: Self.spread(29))
        ]
        #expect(ReleaseGate(limits: limits).check(classes, []).verdict == .cannotTell)
    }

    @Test func `a leak whose rate has fallen counts as better`() {
        let result = check([Given(reports: (200, 20))])
        guard case .better = result.leaks[0] else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `the rise of one of many leaks must be clearer than that of a single leak to fail a release`()
    {
        // For the rise from 20 to 40 reports, Fisher's test gives a probability of 0.004.
        let alone = check([Given(reports: (20, 40))])
        #expect(alone.verdict == .failed)
        let many = (0..<40).map { _ in Given(reports: (30, 30)) } + [Given(reports: (20, 40))]
        #expect(check(many).verdict != .failed)
    }
}

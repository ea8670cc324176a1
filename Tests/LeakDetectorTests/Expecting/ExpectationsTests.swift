import Testing

@testable import LeakDetector

/// The rules, on a clock that the tests move. Objects are numbers here: the rules never look at one.
@Suite struct ExpectationsTests {
    private final class Page {}
    private final class Sheet {}

    /// Plays the owner: takes what is due and says what it sees.
    private struct Table {
        var expectations: Expectations<Int>
        var alive: Set<Int> = []
        var inUse: Set<Int> = []
        var told: [String] = []
        var reports = 0
        /// Objects stand for their own identity.
        let identities = (0..<100).map { _ in Page() }

        init(_ limits: LeakDetector.Limits = LeakDetector.Limits()) {
            expectations = Expectations(limits: limits)
        }

        @discardableResult
        mutating func expect(
            _ object: Int, _ type: AnyClass = Page.self, owner: Int? = nil, grace: Int = 1_000,
            at now: Int = 0
        ) -> Bool {
            alive.insert(object)
            let circumstances = Circumstances(
                type: type, owner: owner.map { ObjectIdentifier(identities[$0]) })
            return expectations.expect(object, circumstances, graceMilliseconds: grace, at: now) != nil
        }

        mutating func run(to end: Int) {
            while let due = expectations.nextDue, due <= end {
                for entry in expectations.takeDue(at: due) {
                    let sight: Sight =
                        inUse.contains(entry.subject)
                        ? .inUse
                        : alive.contains(entry.subject)
                            ? .retained(ObjectIdentifier(identities[entry.subject])) : .gone
                    reports += 1
                    let id = "id\(reports)"
                    let verdict = expectations.judge(entry, sight, at: due, reportID: { id })
                    if let verdict { note(verdict, entry.subject, at: due) }
                }
            }
        }

        mutating func note(_ verdict: Verdict, _ object: Int, at now: Int) {
            switch verdict {
            case .leaked(_, _, let waited, let alive, _):
                told.append("\(now) leak \(object) waited \(waited) alive \(alive)")
            case .freed(_, let lived, let alive):
                told.append("\(now) freed \(object) lived \(lived) alive \(alive)")
            case .cameBack(_, let lived, let alive):
                told.append("\(now) came back \(object) lived \(lived) alive \(alive)")
            case .forgotten: told.append("\(now) forgotten \(object)")
            }
        }
    }

    @Test func `what goes within its grace period is not told`() {
        var table = Table()
        let isTaken = table.expect(1)
        #expect(isTaken)
        table.alive.remove(1)
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.nextDue == nil, "no timer while nothing waits")
        #expect(table.expectations.counts.checked == 1)
        #expect(table.expectations.counts.outstanding == 0)
    }

    @Test func `what goes before the second look is not told`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_000)
        table.alive.remove(1)
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.counts.checked == 1)
    }

    @Test func `what stays is told once, after a second look`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_499)
        #expect(table.told.isEmpty)
        table.run(to: 600_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
    }

    @Test func `what goes after all is told with its age`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 9_000)
        table.alive.remove(1)
        table.run(to: 20_000)
        #expect(table.told.count == 2)
        #expect(table.told.last == "9500 freed 1 lived 8000 alive 0")
        #expect(table.expectations.nextDue == nil)
    }

    /// Gone at that age, the age told is at most an eighth and a tick more, or a second for the youngest.
    @Test(arguments: [500, 2_000, 8_000, 60_000, 400_000, 3_000_000])
    func `an age is right to an eighth`(age: Int) throws {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_500 + age)
        table.alive.remove(1)
        table.run(to: 10_000_000)
        let told = try #require(table.told.last)
        let lived = try #require(Int(told.split(separator: " ")[4]))
        #expect(told.contains("freed"))
        #expect(lived >= age && lived <= age + max(age / 8, 1_000) + 100)
    }

    @Test func `after an hour nobody looks any more`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 10_000_000)
        table.alive.remove(1)
        table.run(to: 20_000_000)
        #expect(table.told.count == 2)
        #expect(table.told.last?.hasSuffix("forgotten 1") == true)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `the same object twice is one leak`() {
        var table = Table()
        _ = table.expect(1)
        _ = table.expect(1)
        _ = table.expect(1, grace: 50_000)
        table.run(to: 100_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
        #expect(table.expectations.counts.checked == 1)
        #expect(table.expectations.counts.outstanding == 0)
    }

    @Test func `instances of a type that are alive are counted, and uncounted`() {
        var table = Table()
        for object in 1...3 { _ = table.expect(object) }
        _ = table.expect(4, Sheet.self)
        table.run(to: 2_000)
        #expect(table.told.map { $0.suffix(1) } == ["1", "2", "3", "1"])
        table.alive = [1]
        table.run(to: 5_000)
        // Two of the three pages and the sheet have gone.
        #expect(table.told.suffix(3).map { $0.suffix(1) } == ["2", "1", "0"])
        _ = table.expect(5, at: 5_000)
        table.run(to: 10_000)
        #expect(table.told.last?.hasSuffix("leak 5 waited 1500 alive 2") == true)
    }

    /// Memory of a freed survivor is given to a new object, which leaks too.
    @Test func `an identity that is used again is another leak`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_500)
        let identity = ObjectIdentifier(table.identities[1])
        #expect(table.expectations.survivor(identity) == 1)
        table.expectations.forgetSurvivor(identity)
        _ = table.expect(1, at: 1_500)
        table.run(to: 3_000)
        #expect(table.told.count == 2)
        #expect(table.expectations.survivor(identity) == 1)
    }

    @Test func `beyond the cap nothing is taken, and that is counted`() {
        var limits = LeakDetector.Limits()
        limits.outstanding = 3
        var table = Table(limits)
        let taken = (0..<5).map { table.expect($0) }
        #expect(taken == [true, true, true, false, false])
        #expect(table.expectations.counts.dropped == 2)
        table.alive = []
        table.run(to: 10_000)
        let again = table.expect(9, at: 10_000)
        #expect(again, "room again")
    }

    @Test func `beyond the cap of survivors leaks are told but not watched`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 2
        var table = Table(limits)
        for object in 0..<5 { _ = table.expect(object) }
        table.run(to: 2_000)
        #expect(table.told.count == 5)
        table.alive = []
        table.run(to: 10_000)
        #expect(table.told.count == 7)
    }

    @Test func `checks are counted by type, and handed over once`() {
        var table = Table()
        for object in 0..<3 { _ = table.expect(object) }
        _ = table.expect(4, Sheet.self)
        table.alive = [2]
        table.run(to: 2_000)
        let checks = table.expectations.takeChecks()
        #expect(checks.first { $0.type == Page.self }?.count == 3)
        #expect(checks.first { $0.type == Sheet.self }?.count == 1)
        #expect(table.expectations.takeChecks().isEmpty)
    }

    private static let limits: [any WritableKeyPath<LeakDetector.Limits, Int> & Sendable] = [
        \.graceMilliseconds, \.secondLookMilliseconds, \.outstanding, \.survivors, \.survivorMilliseconds,
        \.checkedTypes,
    ]

    /// Each limit in turn, then all of them.
    @Test(arguments: [Int.max, .max - 1, -1, .min, 0])
    func `no limit stops the process`(extreme: Int) {
        for changed in Self.limits.map({ [$0] }) + [Self.limits] {
            var limits = LeakDetector.Limits()
            for limit in changed { limits[keyPath: limit] = extreme }
            var table = Table(limits)
            for object in 0..<3 { _ = table.expect(object, grace: limits.graceMilliseconds) }
            table.run(to: 200_000_000)
            table.alive = []
            table.run(to: 400_000_000)
            _ = table.expectations.takeChecks()
            #expect(table.expectations.counts.outstanding == 0)
            #expect(table.expectations.counts.freed <= table.expectations.counts.leaked)
        }
    }

    /// The first tick there is, and a day.
    @Test(arguments: [(-5, 500), (0, 500), (Int.max, 86_400_500)])
    func `a grace period is put right`(grace: Int, told: Int) {
        var table = Table()
        _ = table.expect(1, grace: grace)
        table.run(to: 86_500_000)
        #expect(table.told.first == "\(told) leak 1 waited \(told) alive 1")
    }

    @Test func `what is in use again before the verdict is neither checked nor told`() {
        var table = Table()
        table.expect(1)
        table.run(to: 1_000)
        table.inUse = [1]
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.counts.checked == 0)
        #expect(table.expectations.counts.outstanding == 0)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `what is in use after it was told came back, and may leak again`() {
        var table = Table()
        table.expect(1)
        table.run(to: 4_000)
        table.inUse = [1]
        table.run(to: 5_000)
        #expect(table.told.last == "4500 came back 1 lived 3000 alive 0")
        #expect(table.expectations.counts.cameBack == 1)
        table.inUse = []
        table.expect(1, at: 5_000)
        table.run(to: 7_000)
        #expect(table.told.last == "6500 leak 1 waited 1500 alive 1")
    }

    @Test(arguments: [Sight.gone, .inUse])
    func `news of a survivor is told at once, and once`(sight: Sight) throws {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        let identity = ObjectIdentifier(table.identities[1])
        let verdict = table.expectations.end(of: identity, as: sight, at: 1_700)
        table.note(try #require(verdict), 1, at: 1_700)
        #expect(table.told.last == "1700 \(sight == .gone ? "freed" : "came back") 1 lived 200 alive 0")
        let again = table.expectations.end(of: identity, as: sight, at: 1_700)
        #expect(again == nil)
        table.alive = []
        table.run(to: 100_000)
        #expect(table.told.count == 2)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `what a reported object keeps is not told, until that has gone`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.run(to: 10_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
        #expect(table.expectations.counts.suppressed == 1)
        table.alive = [2]
        table.run(to: 20_000)
        #expect(table.told.count == 3)
        #expect(table.told.last?.contains("leak 2") == true)
        #expect(table.expectations.counts.suppressed == 0)
    }

    /// Whatever order and ticks they were expected in.
    @Test(arguments: [0, 50, 100, 250])
    func `an owner is judged before what it keeps`(delay: Int) {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self, at: delay)
        table.run(to: 10_000)
        #expect(table.told.map { $0.contains("leak 1") } == [true])
    }

    @Test func `what is kept by one that went is told`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.alive = [2]
        table.run(to: 10_000)
        #expect(table.told == ["1900 leak 2 waited 1900 alive 1"])
    }

    @Test func `what is muted is not told again, and its end neither`() {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        table.expectations.mute(ObjectIdentifier(table.identities[1]))
        #expect(table.expectations.counts.leaked == 0)
        #expect(table.expectations.counts.suppressed == 1)
        table.expect(1, at: 2_000)
        table.expect(2, at: 2_000)
        table.run(to: 5_000)
        #expect(
            table.told.last == "3500 leak 2 waited 1500 alive 1", "the muted one is not among the survivors")
        table.alive = [2]
        table.run(to: 100_000)
        #expect(table.told.count == 2)
    }

    @Test func `what is ignored is never told`() {
        var table = Table()
        table.expectations.ignore(1, ObjectIdentifier(table.identities[1]), type: Page.self, at: 0)
        table.expect(1)
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.counts.leaked == 0)
    }
}

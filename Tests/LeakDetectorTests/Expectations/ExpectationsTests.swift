import LeakSeededRandom
import Testing

@testable import LeakDetector

/// The rules, on a clock that the tests move. Objects are numbers here, because the rules never use an object itself.
@Suite struct ExpectationsTests {
    private final class Page {}
    private final class Sheet {}

    /// The owner of the expectations: takes due objects, and evaluates simulated checks of them.
    private struct Table {
        var expectations: Expectations<Int>
        var alive: Set<Int> = []
        var inUse: Set<Int> = []
        var owners: [Int: Int] = [:]
        var told: [String] = []
        var reports = 0
        /// Objects that serve as identities.
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
            let context = ExpectationContext(type: type, owner: owner.map { WeakSubject(identities[$0]) })
            owners[object] = owner
            return expectations.expect(
                object, context, identity: identity(object), owner: owner.map(identity),
                graceMilliseconds: grace, at: now) != nil
        }

        func owner(of object: Int) -> ObjectIdentifier? {
            guard let owner = owners[object], alive.contains(owner) else { return nil }
            return identity(owner)
        }

        func identity(_ object: Int) -> ObjectIdentifier { ObjectIdentifier(identities[object]) }

        mutating func run(to end: Int) {
            while let due = expectations.nextDue, due <= end {
                for entry in expectations.takeDue(at: due) {
                    let objectState: ObjectState =
                        inUse.contains(entry.subject)
                        ? .inUse
                        : alive.contains(entry.subject)
                            ? .retained(ObjectIdentifier(identities[entry.subject])) : .gone
                    reports += 1
                    let id = "id\(reports)"
                    let result = expectations.evaluate(
                        entry, objectState, owner: owner(of: entry.subject),
                        at: due, reportID: { id })
                    if let result { record(result, entry.subject, at: due) }
                }
            }
        }

        mutating func record(_ result: ExpectationResult, _ object: Int, at now: Int) {
            switch result {
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

    @Test func `an object freed within its grace period is not reported`() {
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

    @Test func `an object freed before its second check is not reported`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_000)
        table.alive.remove(1)
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.counts.checked == 1)
    }

    @Test func `an object that stays is reported once, after a second check`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_499)
        #expect(table.told.isEmpty)
        table.run(to: 600_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
    }

    @Test func `a reported object that is freed later is reported with its age`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 9_000)
        table.alive.remove(1)
        table.run(to: 20_000)
        #expect(table.told.count == 2)
        #expect(table.told.last == "10000 freed 1 lived 8500 alive 0")
        #expect(table.expectations.nextDue == nil)
    }

    /// The reported age of a freed object exceeds its real age by at most an eighth and a tick, or by a second for the
    /// youngest.
    @Test(arguments: [500, 2_000, 8_000, 60_000, 400_000, 3_000_000])
    func `an age is exact to an eighth`(age: Int) throws {
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

    @Test func `after an hour an object is not checked any more`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 10_000_000)
        table.alive.remove(1)
        table.run(to: 20_000_000)
        #expect(table.told.count == 2)
        #expect(table.told.last?.hasSuffix("forgotten 1") == true)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `an object that is expected twice is one leak`() {
        var table = Table()
        _ = table.expect(1)
        _ = table.expect(1)
        _ = table.expect(1, grace: 50_000)
        table.run(to: 100_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
        #expect(table.expectations.counts.checked == 1)
        #expect(table.expectations.counts.outstanding == 0)
    }

    @Test func `living instances of a type are counted up and down`() {
        var table = Table()
        for object in 1...3 { _ = table.expect(object) }
        _ = table.expect(4, Sheet.self)
        table.run(to: 2_000)
        #expect(table.told.map { $0.suffix(1) } == ["1", "2", "3", "1"])
        table.alive = [1]
        table.run(to: 5_000)
        // Two of the three pages and the sheet are freed.
        #expect(table.told.suffix(3).map { $0.suffix(1) } == ["2", "1", "0"])
        _ = table.expect(5, at: 5_000)
        table.run(to: 10_000)
        #expect(table.told.last?.hasSuffix("leak 5 waited 1500 alive 2") == true)
    }

    /// Memory of a freed survivor is given to a new object, which leaks too.
    @Test func `another object with a reused identity is another leak`() {
        var table = Table()
        _ = table.expect(1)
        table.run(to: 1_500)
        let first = table.expectations.knownObjects[table.identity(1)]?.number
        let freed = table.expectations.end(of: table.identity(1), first, as: .gone, at: 1_500)
        #expect(freed != nil)
        _ = table.expect(1, at: 1_500)
        table.run(to: 3_000)
        #expect(table.told.count == 2)
        let late = table.expectations.end(of: table.identity(1), first, as: .gone, at: 3_000)
        #expect(late == nil, "news of the first are not of the second")
        #expect(table.expectations.knownObjects[table.identity(1)]?.number != first)
    }

    @Test func `beyond the limit no object is accepted, and rejected objects are counted`() {
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

    @Test func `beyond the limit of survivors leaks are reported but not watched`() {
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

    @Test func `checks are counted by type, and returned once`() {
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
        \.graceMilliseconds, \.secondCheckMilliseconds, \.outstanding, \.survivors, \.survivorMilliseconds,
        \.checkedTypes,
    ]

    /// Applies each limit in turn, then all limits together.
    @Test(arguments: [Int.max, .max - 1, -1, .min, 0])
    func `no value of a limit stops the process`(extreme: Int) {
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

    /// A negative grace period counts as 0, the longest grace period as a day; the second check adds 500 ms.
    @Test(arguments: [(-5, 500), (0, 500), (Int.max, 86_400_500)])
    func `an invalid grace period is corrected`(grace: Int, told: Int) {
        var table = Table()
        _ = table.expect(1, grace: grace)
        table.run(to: 86_500_000)
        #expect(table.told.first == "\(told) leak 1 waited \(told) alive 1")
    }

    @Test func `an object that is used again before the result of its check is neither checked nor reported`()
    {
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

    @Test func `a reported object that is in use again has come back, and may leak again`() {
        var table = Table()
        table.expect(1)
        table.run(to: 4_000)
        table.inUse = [1]
        table.run(to: 5_000)
        #expect(table.told.last == "5000 came back 1 lived 3500 alive 0")
        #expect(table.expectations.counts.cameBack == 1)
        table.inUse = []
        table.expect(1, at: 5_000)
        table.run(to: 7_000)
        #expect(table.told.last == "6500 leak 1 waited 1500 alive 1")
    }

    @Test(arguments: [ObjectState.gone, .inUse])
    func `the end of a survivor is reported at once, and once`(objectState: ObjectState) throws {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        let identity = ObjectIdentifier(table.identities[1])
        let result = table.expectations.end(of: identity, as: objectState, at: 1_700)
        table.record(try #require(result), 1, at: 1_700)
        #expect(table.told.last == "1700 \(objectState == .gone ? "freed" : "came back") 1 lived 200 alive 0")
        let again = table.expectations.end(of: identity, as: objectState, at: 1_700)
        #expect(again == nil)
        table.alive = []
        table.run(to: 100_000)
        #expect(table.told.count == 2)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `objects that a reported object keeps are not reported until it is freed`() {
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

    /// The order and the ticks of the expectations do not matter.
    @Test(arguments: [0, 50, 100, 250])
    func `an owner is checked before its parts`(delay: Int) {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self, at: delay)
        table.run(to: 10_000)
        #expect(table.told.map { $0.contains("leak 1") } == [true])
    }

    @Test func `parts that outlive their owner are reported`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.alive = [2]
        table.run(to: 10_000)
        #expect(table.told == ["1900 leak 2 waited 1900 alive 1"])
    }

    @Test func `an object whose report was retracted is not reported again, and not when it is freed`() {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        table.expectations.retract("id2", of: table.identity(1))
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

    @Test func `an answer to the report of a freed object does not apply to the next object at its address`()
    {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        #expect(table.reports == 2)
        table.alive = []
        table.run(to: 5_000)
        table.expect(1, at: 5_000)
        table.run(to: 7_000)
        table.expectations.retract("id2", of: table.identity(1))
        #expect(table.expectations.counts.leaked == 2)
        #expect(table.expectations.counts.suppressed == 0)
        #expect(!table.expectations.isMuted("id2", of: table.identity(1)))
    }

    @Test func `ignoring an object silences no report of an earlier object at its address`() {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        #expect(table.reports == 2)
        table.alive = []
        table.run(to: 5_000)
        _ = table.expectations.ignore(1, table.identity(1), type: Page.self, at: 5_000)
        #expect(!table.expectations.isMuted("id2", of: table.identity(1)))
    }

    @Test func `the report of an ignored object is silenced`() {
        var table = Table()
        table.expect(1)
        table.run(to: 1_600)
        _ = table.expectations.ignore(1, table.identity(1), type: Page.self, at: 1_700)
        #expect(table.expectations.isMuted("id2", of: table.identity(1)))
        #expect(!table.expectations.isMuted("id1", of: table.identity(1)))
    }

    /// The owner of object 3 was deallocated, and object 2, a part of an object in use, has its address.
    @Test func `a part at the address of a freed owner inherits nothing from it`() {
        var table = Table()
        var page: Page? = Page()
        let gone = WeakSubject(page!)
        page = nil
        table.alive = [1, 2, 3]
        _ = table.expectations.expect(
            3, ExpectationContext(type: Page.self, owner: gone), identity: table.identity(3),
            owner: gone.identity, graceMilliseconds: 1_000, at: 0)
        _ = table.expectations.expect(
            2, ExpectationContext(type: Page.self, owner: WeakSubject(table.identities[1])),
            identity: gone.identity, owner: table.identity(1), graceMilliseconds: 1_000, at: 0)
        _ = table.expectations.use(table.identity(1), at: 100)
        #expect(table.expectations.counts.outstanding == 1)
        table.run(to: 10_000)
        #expect(table.told == ["1900 leak 3 waited 1900 alive 1"])
    }

    @Test func `an ignored object is never reported`() {
        var table = Table()
        _ = table.expectations.ignore(1, table.identity(1), type: Page.self, at: 0)
        for _ in 0..<3 { table.expect(1) }
        table.run(to: 100_000)
        #expect(table.told.isEmpty)
        #expect(table.expectations.counts.leaked == 0)
        #expect(table.expectations.counts.suppressed == 1)
        #expect(table.expectations.counts.checked == 1)
    }

    @Test func `a use of an object voids the expectations before it, and not those after it`() {
        var table = Table()
        table.expect(1)
        let none = table.expectations.use(table.identity(1), at: 700)
        #expect(none == nil)
        table.expect(1, at: 1_200)
        table.run(to: 2_600)
        #expect(table.told.isEmpty)
        table.run(to: 10_000)
        #expect(table.told == ["2700 leak 1 waited 1500 alive 1"])
        #expect(table.expectations.counts.checked == 1)
    }

    @Test func `the record that an object was used is removed when nothing is expected any more`() {
        var table = Table()
        table.expect(2)
        _ = table.expectations.use(table.identity(1), at: 0)
        #expect(table.expectations.wasUsed(table.identity(1)))
        table.alive = []
        table.run(to: 2_000)
        #expect(!table.expectations.wasUsed(table.identity(1)))
        _ = table.expectations.use(table.identity(1), at: 2_000)
        #expect(!table.expectations.wasUsed(table.identity(1)), "nobody waits")
    }

    @Test func `a part that came into use is not reported when its owner is freed`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.run(to: 3_000)
        #expect(table.expectations.counts.suppressed == 1)
        _ = table.expectations.use(table.identity(2), at: 3_000)
        table.alive = [2]
        table.run(to: 100_000)
        #expect(table.told.map { $0.contains("leak 2") } == [false, false])
        #expect(table.expectations.counts.suppressed == 0)
    }

    @Test func `parts of a part that waits for its owner are not reported`() {
        var table = Table()
        table.expect(3, owner: 2)
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.run(to: 20_000)
        #expect(table.told == ["1500 leak 1 waited 1500 alive 1"])
        #expect(table.expectations.counts.suppressed == 2)
        table.alive = [2, 3]
        table.run(to: 40_000)
        #expect(table.told.dropFirst().map { $0.contains("leak 2") } == [false, true])
        #expect(table.expectations.counts.suppressed == 1)
    }

    @Test func `parts of an owner that is never freed are never reported`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.run(to: 20_000_000)
        #expect(table.told.count == 2)
        #expect(table.told.last?.contains("forgotten 1") == true)
        #expect(table.expectations.nextDue == nil)
        // The first object, expected again an hour later, is still the reported object.
        table.expect(1, Sheet.self, at: 20_000_000)
        table.run(to: 20_100_000)
        #expect(table.told.count == 2)
    }

    /// Times at which the owner comes into use: in the grace period, before the second check, after the report, and long
    /// after it.
    @Test(arguments: [300, 1_200, 3_000, 200_000])
    func `parts of an owner that came into use are in use too, and so are their parts`(time: Int) {
        var table = Table()
        table.expect(1, Sheet.self)
        table.expect(2, owner: 1)
        table.expect(3, owner: 2)
        table.run(to: time)
        _ = table.expectations.use(table.identity(1), at: time)
        table.run(to: 10_000_000)
        #expect(table.told.filter { $0.contains("leak 2") || $0.contains("leak 3") } == [])
        #expect(table.expectations.counts.suppressed == 0)
        #expect(table.expectations.counts.outstanding == 0)
        // Expected again, it leaks again, behind its owner.
        table.expect(1, Sheet.self, at: 10_000_000)
        table.expect(2, owner: 1, at: 10_000_000)
        table.run(to: 10_010_000)
        #expect(table.told.last == "10001500 leak 1 waited 1500 alive 1")
        #expect(table.expectations.counts.suppressed == 1)
    }

    @Test func `parts of an owner that was used and then freed are not reported`() {
        var table = Table()
        table.expect(1, Sheet.self)
        table.expect(2, owner: 1)
        table.run(to: 30_000)
        _ = table.expectations.use(table.identity(1), at: 30_000)
        table.alive = [2]
        table.run(to: 1_000_000)
        #expect(table.told.count == 1, "the leak of the owner, whose return is not noted here")
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `the use of one owner does not affect parts of another`() {
        var table = Table()
        table.expect(1, Sheet.self)
        table.expect(2, owner: 1)
        table.expect(4, owner: 3)
        table.expect(3, Sheet.self)
        table.run(to: 3_000)
        _ = table.expectations.use(table.identity(1), at: 3_000)
        table.alive = [4]
        table.run(to: 100_000)
        #expect(table.told.last?.contains("leak 4") == true)
    }

    @Test func `a child waits for an owner with a longer grace period`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self, grace: 5_000)
        table.run(to: 60_000)
        #expect(table.told == ["5500 leak 1 waited 5500 alive 1"])
        table.alive = [2]
        table.run(to: 100_000)
        #expect(table.told.contains { $0.contains("leak 2") })
    }

    @Test func `an object that is expected twice with the same owner is suppressed once`() {
        var table = Table()
        table.expect(2, owner: 1)
        table.expect(2, owner: 1)
        table.expect(1, Sheet.self)
        table.run(to: 10_000)
        #expect(table.expectations.counts.suppressed == 1)
        table.alive = []
        table.run(to: 100_000)
        #expect(table.expectations.counts.suppressed == 0)
        #expect(table.expectations.counts.outstanding == 0)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `a muted object stays muted when it is used, until it is freed`() {
        var table = Table()
        _ = table.expectations.ignore(1, table.identity(1), type: Page.self, at: 0)
        _ = table.expectations.use(table.identity(1), at: 0)
        table.expect(1)
        table.run(to: 10_000)
        #expect(table.told.isEmpty)
        let result = table.expectations.end(of: table.identity(1), as: .gone, at: 10_000)
        #expect(result == nil)
        table.expect(1, at: 10_000)
        table.run(to: 20_000)
        #expect(table.told.count == 1, "another object has its place")
    }

    @Test func `an object that is ignored after its report is not reported again`() {
        var table = Table()
        table.expect(1)
        table.run(to: 2_000)
        let result = table.expectations.ignore(1, table.identity(1), type: Page.self, at: 2_000)
        #expect(result == .forgotten(reportID: "id2", isIgnored: true))
        #expect(table.expectations.counts.leaked == 1, "it was reported")
        table.alive = []
        table.run(to: 100_000)
        #expect(table.told.count == 1)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `objects that are not watched are still reported once`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 0
        var table = Table(limits)
        for object in 1...3 { table.expect(object) }
        table.run(to: 5_000)
        for object in 1...3 { table.expect(object, at: 5_000) }
        table.run(to: 20_000)
        #expect(table.told.count == 3)
        #expect(table.expectations.nextDue == nil)
    }

    @Test func `freed objects are found among many known objects`() {
        var table = KnownObjects<Int>()
        let pages = (0..<3_000).map { _ in Page() }
        for page in pages.prefix(1_023) {
            _ = table.insert(ObjectIdentifier(page), subject: 1, type: Page.self, state: .muted, at: 0)
        }
        #expect(table.scanCandidates.isEmpty)
        for page in pages.dropFirst(1_023) {
            _ = table.insert(ObjectIdentifier(page), subject: 1, type: Page.self, state: .muted, at: 0)
        }
        #expect(table.scanCandidates.count == 3_000)
        table.updateScanThreshold()
        #expect(table.scanCandidates.isEmpty, "not before there are twice as many")
    }

    /// Each object is due at a different time, and due objects are checked together.
    @Test func `a thousand survivors cause only a few wake-ups a minute`() {
        var table = Table()
        var random = SeededRandom(seed: 1)
        for object in 1..<90 { table.expect(object, grace: Int.random(in: 0...30_000, using: &random)) }
        table.run(to: 1_000_000)
        var wakes = 0
        while let due = table.expectations.nextDue, due < 1_600_000 {
            table.run(to: due)
            wakes += 1
        }
        #expect((1...12).contains(wakes))
    }

    @Test func `the object of a self-test is counted nowhere, and always watched`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 0
        limits.survivorMilliseconds = 0
        var table = Table(limits)
        let context = ExpectationContext(type: Page.self, isCounted: false)
        table.alive = [1]
        _ = table.expectations.expect(1, context, graceMilliseconds: 0, at: 0)
        table.run(to: 3_000)
        table.alive = []
        table.run(to: 10_000)
        #expect(table.told.map { $0.contains("freed 1") } == [false, true])
        #expect(table.expectations.counts == LeakDetector.Counts())
        #expect(table.expectations.takeChecks().isEmpty)
    }

    @Test func `parts of a checked object are counted as checks only if they stay`() {
        var table = Table()
        for object in 1...2 {
            table.alive.insert(object)
            let part = ExpectationContext(type: Page.self, isPart: true)
            _ = table.expectations.expect(object, part, graceMilliseconds: 0, at: 0)
        }
        table.alive = [2]
        table.run(to: 3_000)
        #expect(table.expectations.counts.checked == 1)
    }
}

import LeakSeededRandom
import Testing

@testable import LeakDetector

/// Tests the rules by which expected objects are checked and reported. The tests set the time. Objects are numbers, because
/// the rules never use an object itself.
@Suite struct ExpectationsTests {
    private final class Page {}
    private final class Sheet {}

    /// A model of a detector: takes due objects from the expectations, and evaluates simulated checks of them.
    private struct Model {
        var expectations: Expectations<Int>
        var alive: Set<Int> = []
        var inUse: Set<Int> = []
        var owners: [Int: Int] = [:]
        var results: [String] = []
        var reports = 0
        /// Objects whose addresses are the identities of the numbers.
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
                results.append("\(now) leak \(object) waited \(waited) alive \(alive)")
            case .freed(_, let lived, let alive):
                results.append("\(now) freed \(object) lived \(lived) alive \(alive)")
            case .cameBack(_, let lived, let alive):
                results.append("\(now) came back \(object) lived \(lived) alive \(alive)")
            case .forgotten: results.append("\(now) forgotten \(object)")
            }
        }
    }

    @Test func `an object freed within its grace period is not reported`() {
        var model = Model()
        let isTaken = model.expect(1)
        #expect(isTaken)
        model.alive.remove(1)
        model.run(to: 100_000)
        #expect(model.results.isEmpty)
        #expect(model.expectations.nextDue == nil, "no timer while nothing waits")
        #expect(model.expectations.counts.checked == 1)
        #expect(model.expectations.counts.outstanding == 0)
    }

    @Test func `an object freed before its second check is not reported`() {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 1_000)
        model.alive.remove(1)
        model.run(to: 100_000)
        #expect(model.results.isEmpty)
        #expect(model.expectations.counts.checked == 1)
    }

    @Test func `an object that stays is reported once, after a second check`() {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 1_499)
        #expect(model.results.isEmpty)
        model.run(to: 600_000)
        #expect(model.results == ["1500 leak 1 waited 1500 alive 1"])
    }

    @Test func `a reported object that is freed later is reported with the time since the first report`() {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 9_000)
        model.alive.remove(1)
        model.run(to: 20_000)
        #expect(model.results.count == 2)
        #expect(model.results.last == "10000 freed 1 lived 8500 alive 0")
        #expect(model.expectations.nextDue == nil)
    }

    /// The reported time from a report until the object is freed exceeds the real time by at most an eighth, or a second if
    /// that is longer, and a tick of 100 ms.
    @Test(arguments: [500, 2_000, 8_000, 60_000, 400_000, 3_000_000])
    func `the time until a reported object is freed is reported with a limited error`(age: Int) throws {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 1_500 + age)
        model.alive.remove(1)
        model.run(to: 10_000_000)
        let result = try #require(model.results.last)
        let lived = try #require(Int(result.split(separator: " ")[4]))
        #expect(result.contains("freed"))
        #expect(lived >= age && lived <= age + max(age / 8, 1_000) + 100)
    }

    @Test func `a reported object is not checked any more after an hour`() {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 10_000_000)
        model.alive.remove(1)
        model.run(to: 20_000_000)
        #expect(model.results.count == 2)
        #expect(model.results.last?.hasSuffix("forgotten 1") == true)
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `an object that is expected twice is one leak`() {
        var model = Model()
        _ = model.expect(1)
        _ = model.expect(1)
        _ = model.expect(1, grace: 50_000)
        model.run(to: 100_000)
        #expect(model.results == ["1500 leak 1 waited 1500 alive 1"])
        #expect(model.expectations.counts.checked == 1)
        #expect(model.expectations.counts.outstanding == 0)
    }

    @Test func `a report contains how many leaked instances of its type exist`() {
        var model = Model()
        for object in 1...3 { _ = model.expect(object) }
        _ = model.expect(4, Sheet.self)
        model.run(to: 2_000)
        #expect(model.results.map { $0.suffix(1) } == ["1", "2", "3", "1"])
        model.alive = [1]
        model.run(to: 5_000)
        // Two of the three pages and the sheet are freed.
        #expect(model.results.suffix(3).map { $0.suffix(1) } == ["2", "1", "0"])
        _ = model.expect(5, at: 5_000)
        model.run(to: 10_000)
        #expect(model.results.last?.hasSuffix("leak 5 waited 1500 alive 2") == true)
    }

    /// A new object, which leaks too, gets the memory of a leaked object that was freed.
    @Test func `a new leaked object at the address of a freed object is another leak`() {
        var model = Model()
        _ = model.expect(1)
        model.run(to: 1_500)
        let first = model.expectations.knownObjects[model.identity(1)]?.number
        let freed = model.expectations.end(of: model.identity(1), first, as: .gone, at: 1_500)
        #expect(freed != nil)
        _ = model.expect(1, at: 1_500)
        model.run(to: 3_000)
        #expect(model.results.count == 2)
        let late = model.expectations.end(of: model.identity(1), first, as: .gone, at: 3_000)
        #expect(late == nil, "the end of the first object does not apply to the second")
        #expect(model.expectations.knownObjects[model.identity(1)]?.number != first)
    }

    @Test func `objects above the limit of expected objects are rejected, and rejected objects are counted`()
    {
        var limits = LeakDetector.Limits()
        limits.outstanding = 3
        var model = Model(limits)
        let taken = (0..<5).map { model.expect($0) }
        #expect(taken == [true, true, true, false, false])
        #expect(model.expectations.counts.dropped == 2)
        model.alive = []
        model.run(to: 10_000)
        let again = model.expect(9, at: 10_000)
        #expect(again, "freed objects make room for new ones")
    }

    @Test func `above the limit of survivors, leaks are reported, but not that their objects are freed`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 2
        var model = Model(limits)
        for object in 0..<5 { _ = model.expect(object) }
        model.run(to: 2_000)
        #expect(model.results.count == 5)
        model.alive = []
        model.run(to: 10_000)
        #expect(model.results.count == 7)
    }

    @Test func `checks are counted by type, and returned once`() {
        var model = Model()
        for object in 0..<3 { _ = model.expect(object) }
        _ = model.expect(4, Sheet.self)
        model.alive = [2]
        model.run(to: 2_000)
        let checks = model.expectations.takeChecks()
        #expect(checks.first { $0.type == Page.self }?.checked == 3)
        #expect(checks.first { $0.type == Sheet.self }?.checked == 1)
        #expect(model.expectations.takeChecks().isEmpty)
    }

    private static let limits: [any WritableKeyPath<LeakDetector.Limits, Int> & Sendable] = [
        \.graceMilliseconds, \.secondCheckMilliseconds, \.outstanding, \.survivors, \.survivorMilliseconds,
        \.checkedTypes,
    ]

    /// Applies the extreme value to each limit alone, then to all limits together.
    @Test(arguments: [Int.max, .max - 1, -1, .min, 0])
    func `extreme values of limits do not crash the process`(extreme: Int) {
        for changed in Self.limits.map({ [$0] }) + [Self.limits] {
            var limits = LeakDetector.Limits()
            for limit in changed { limits[keyPath: limit] = extreme }
            var model = Model(limits)
            for object in 0..<3 { _ = model.expect(object, grace: limits.graceMilliseconds) }
            model.run(to: 200_000_000)
            model.alive = []
            model.run(to: 400_000_000)
            _ = model.expectations.takeChecks()
            #expect(model.expectations.counts.outstanding == 0)
            #expect(model.expectations.counts.freed <= model.expectations.counts.leaked)
        }
    }

    /// A negative grace period counts as 0, the longest grace period as a day; the second check adds 500 ms.
    @Test(arguments: [(-5, 500), (0, 500), (Int.max, 86_400_500)])
    func `an invalid grace period is corrected`(grace: Int, waited: Int) {
        var model = Model()
        _ = model.expect(1, grace: grace)
        model.run(to: 86_500_000)
        #expect(model.results.first == "\(waited) leak 1 waited \(waited) alive 1")
    }

    @Test func `an object that is used again before its second check is neither counted nor reported`() {
        var model = Model()
        model.expect(1)
        model.run(to: 1_000)
        model.inUse = [1]
        model.run(to: 100_000)
        #expect(model.results.isEmpty)
        #expect(model.expectations.counts.checked == 0)
        #expect(model.expectations.counts.outstanding == 0)
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `a reported object that is used again is reported as back in use, and may leak again`() {
        var model = Model()
        model.expect(1)
        model.run(to: 4_000)
        model.inUse = [1]
        model.run(to: 5_000)
        #expect(model.results.last == "5000 came back 1 lived 3500 alive 0")
        #expect(model.expectations.counts.cameBack == 1)
        model.inUse = []
        model.expect(1, at: 5_000)
        model.run(to: 7_000)
        #expect(model.results.last == "6500 leak 1 waited 1500 alive 1")
    }

    @Test(arguments: [ObjectState.gone, .inUse])
    func `a reported object that is freed or used again is reported as such immediately, and only once`(
        objectState: ObjectState
    ) throws {
        var model = Model()
        model.expect(1)
        model.run(to: 1_600)
        let identity = ObjectIdentifier(model.identities[1])
        let result = model.expectations.end(of: identity, as: objectState, at: 1_700)
        model.record(try #require(result), 1, at: 1_700)
        let word = objectState == .gone ? "freed" : "came back"
        #expect(model.results.last == "1700 \(word) 1 lived 200 alive 0")
        let again = model.expectations.end(of: identity, as: objectState, at: 1_700)
        #expect(again == nil)
        model.alive = []
        model.run(to: 100_000)
        #expect(model.results.count == 2)
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `parts of a reported owner are not reported until the owner is freed`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.run(to: 10_000)
        #expect(model.results == ["1500 leak 1 waited 1500 alive 1"])
        #expect(model.expectations.counts.suppressed == 1)
        model.alive = [2]
        model.run(to: 20_000)
        #expect(model.results.count == 3)
        #expect(model.results.last?.contains("leak 2") == true)
        #expect(model.expectations.counts.suppressed == 0)
    }

    /// The owner is expected at the same time as its part, or up to 250 ms later.
    @Test(arguments: [0, 50, 100, 250])
    func `if an owner and its part leak, only the owner is reported, even if it is expected later`(delay: Int)
    {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self, at: delay)
        model.run(to: 10_000)
        #expect(model.results.map { $0.contains("leak 1") } == [true])
    }

    @Test func `parts that outlive their owner are reported`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.alive = [2]
        model.run(to: 10_000)
        #expect(model.results == ["1900 leak 2 waited 1900 alive 1"])
    }

    @Test func `an object whose report was retracted is neither reported again nor reported as freed`() {
        var model = Model()
        model.expect(1)
        model.run(to: 1_600)
        model.expectations.retract("id2", of: model.identity(1))
        #expect(model.expectations.counts.leaked == 0)
        #expect(model.expectations.counts.suppressed == 1)
        model.expect(1, at: 2_000)
        model.expect(2, at: 2_000)
        model.run(to: 5_000)
        #expect(
            model.results.last == "3500 leak 2 waited 1500 alive 1",
            "the object of the retracted report is not counted as alive")
        model.alive = [2]
        model.run(to: 100_000)
        #expect(model.results.count == 2)
    }

    @Test func `an answer to the report of a freed object does not apply to the next object at its address`()
    {
        var model = Model()
        model.expect(1)
        model.run(to: 1_600)
        #expect(model.reports == 2)
        model.alive = []
        model.run(to: 5_000)
        model.expect(1, at: 5_000)
        model.run(to: 7_000)
        model.expectations.retract("id2", of: model.identity(1))
        #expect(model.expectations.counts.leaked == 2)
        #expect(model.expectations.counts.suppressed == 0)
        #expect(!model.expectations.isMuted("id2", of: model.identity(1)))
    }

    @Test func `ignoring an object does not silence the report of an earlier object at its address`() {
        var model = Model()
        model.expect(1)
        model.run(to: 1_600)
        #expect(model.reports == 2)
        model.alive = []
        model.run(to: 5_000)
        _ = model.expectations.ignore(1, model.identity(1), type: Page.self, at: 5_000)
        #expect(!model.expectations.isMuted("id2", of: model.identity(1)))
    }

    @Test func `the report of an ignored object is silenced`() {
        var model = Model()
        model.expect(1)
        model.run(to: 1_600)
        _ = model.expectations.ignore(1, model.identity(1), type: Page.self, at: 1_700)
        #expect(model.expectations.isMuted("id2", of: model.identity(1)))
        #expect(!model.expectations.isMuted("id1", of: model.identity(1)))
    }

    /// Object 2, a part of an object in use, has the address of the deallocated owner of object 3.
    @Test
    func `a part of a freed owner is reported, even if the owner's address now belongs to a part in use`() {
        var model = Model()
        var page: Page? = Page()
        let gone = WeakSubject(page!)
        page = nil
        model.alive = [1, 2, 3]
        _ = model.expectations.expect(
            3, ExpectationContext(type: Page.self, owner: gone), identity: model.identity(3),
            owner: gone.identity, graceMilliseconds: 1_000, at: 0)
        _ = model.expectations.expect(
            2, ExpectationContext(type: Page.self, owner: WeakSubject(model.identities[1])),
            identity: gone.identity, owner: model.identity(1), graceMilliseconds: 1_000, at: 0)
        _ = model.expectations.use(model.identity(1), at: 100)
        #expect(model.expectations.counts.outstanding == 1)
        model.run(to: 10_000)
        #expect(model.results == ["1900 leak 3 waited 1900 alive 1"])
    }

    @Test func `an ignored object is never reported`() {
        var model = Model()
        _ = model.expectations.ignore(1, model.identity(1), type: Page.self, at: 0)
        for _ in 0..<3 { model.expect(1) }
        model.run(to: 100_000)
        #expect(model.results.isEmpty)
        #expect(model.expectations.counts.leaked == 0)
        #expect(model.expectations.counts.suppressed == 1)
        #expect(model.expectations.counts.checked == 1)
    }

    @Test func `the use of an object ends its earlier expectations, and later expectations are checked`() {
        var model = Model()
        model.expect(1)
        let none = model.expectations.use(model.identity(1), at: 700)
        #expect(none == nil)
        model.expect(1, at: 1_200)
        model.run(to: 2_600)
        #expect(model.results.isEmpty)
        model.run(to: 10_000)
        #expect(model.results == ["2700 leak 1 waited 1500 alive 1"])
        #expect(model.expectations.counts.checked == 1)
    }

    @Test func `the record that an object was used is removed when nothing is expected any more`() {
        var model = Model()
        model.expect(2)
        _ = model.expectations.use(model.identity(1), at: 0)
        #expect(model.expectations.wasUsed(model.identity(1)))
        model.alive = []
        model.run(to: 2_000)
        #expect(!model.expectations.wasUsed(model.identity(1)))
        _ = model.expectations.use(model.identity(1), at: 2_000)
        #expect(!model.expectations.wasUsed(model.identity(1)), "no object is expected")
    }

    @Test func `a part that came into use is not reported when its owner is freed`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.run(to: 3_000)
        #expect(model.expectations.counts.suppressed == 1)
        _ = model.expectations.use(model.identity(2), at: 3_000)
        model.alive = [2]
        model.run(to: 100_000)
        #expect(model.results.map { $0.contains("leak 2") } == [false, false])
        #expect(model.expectations.counts.suppressed == 0)
    }

    @Test func `parts of a part that waits for its owner are not reported`() {
        var model = Model()
        model.expect(3, owner: 2)
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.run(to: 20_000)
        #expect(model.results == ["1500 leak 1 waited 1500 alive 1"])
        #expect(model.expectations.counts.suppressed == 2)
        model.alive = [2, 3]
        model.run(to: 40_000)
        #expect(model.results.dropFirst().map { $0.contains("leak 2") } == [false, true])
        #expect(model.expectations.counts.suppressed == 1)
    }

    @Test func `parts of an owner that is never freed are never reported`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.run(to: 20_000_000)
        #expect(model.results.count == 2)
        #expect(model.results.last?.contains("forgotten 1") == true)
        #expect(model.expectations.nextDue == nil)
        // After a new expectation the owner is not reported again, because it is the same object.
        model.expect(1, Sheet.self, at: 20_000_000)
        model.run(to: 20_100_000)
        #expect(model.results.count == 2)
    }

    /// Times at which the owner comes into use: in the grace period, before the second check, after the report, and long
    /// after it.
    @Test(arguments: [300, 1_200, 3_000, 200_000])
    func `if an owner is used again, neither its parts nor their parts are reported`(time: Int) {
        var model = Model()
        model.expect(1, Sheet.self)
        model.expect(2, owner: 1)
        model.expect(3, owner: 2)
        model.run(to: time)
        _ = model.expectations.use(model.identity(1), at: time)
        model.run(to: 10_000_000)
        #expect(model.results.filter { $0.contains("leak 2") || $0.contains("leak 3") } == [])
        #expect(model.expectations.counts.suppressed == 0)
        #expect(model.expectations.counts.outstanding == 0)
        // After new expectations the owner is reported again. Its part is not, because a part waits for its owner.
        model.expect(1, Sheet.self, at: 10_000_000)
        model.expect(2, owner: 1, at: 10_000_000)
        model.run(to: 10_010_000)
        #expect(model.results.last == "10001500 leak 1 waited 1500 alive 1")
        #expect(model.expectations.counts.suppressed == 1)
    }

    @Test func `parts of an owner that was used and then freed are not reported`() {
        var model = Model()
        model.expect(1, Sheet.self)
        model.expect(2, owner: 1)
        model.run(to: 30_000)
        _ = model.expectations.use(model.identity(1), at: 30_000)
        model.alive = [2]
        model.run(to: 1_000_000)
        #expect(model.results.count == 1, "only the leak of the owner; the result of `use` is not recorded")
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `if one owner is used again, the parts of another owner are still reported`() {
        var model = Model()
        model.expect(1, Sheet.self)
        model.expect(2, owner: 1)
        model.expect(4, owner: 3)
        model.expect(3, Sheet.self)
        model.run(to: 3_000)
        _ = model.expectations.use(model.identity(1), at: 3_000)
        model.alive = [4]
        model.run(to: 100_000)
        #expect(model.results.last?.contains("leak 4") == true)
    }

    @Test func `a part waits for an owner with a longer grace period`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self, grace: 5_000)
        model.run(to: 60_000)
        #expect(model.results == ["5500 leak 1 waited 5500 alive 1"])
        model.alive = [2]
        model.run(to: 100_000)
        #expect(model.results.contains { $0.contains("leak 2") })
    }

    @Test func `an object that is expected twice with the same owner is counted as suppressed once`() {
        var model = Model()
        model.expect(2, owner: 1)
        model.expect(2, owner: 1)
        model.expect(1, Sheet.self)
        model.run(to: 10_000)
        #expect(model.expectations.counts.suppressed == 1)
        model.alive = []
        model.run(to: 100_000)
        #expect(model.expectations.counts.suppressed == 0)
        #expect(model.expectations.counts.outstanding == 0)
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `an ignored object stays ignored when it is used, until it is freed`() {
        var model = Model()
        _ = model.expectations.ignore(1, model.identity(1), type: Page.self, at: 0)
        _ = model.expectations.use(model.identity(1), at: 0)
        model.expect(1)
        model.run(to: 10_000)
        #expect(model.results.isEmpty)
        let result = model.expectations.end(of: model.identity(1), as: .gone, at: 10_000)
        #expect(result == nil)
        model.expect(1, at: 10_000)
        model.run(to: 20_000)
        #expect(model.results.count == 1, "a new object at the same address is reported")
    }

    @Test func `an object that is ignored after its report is not reported again`() {
        var model = Model()
        model.expect(1)
        model.run(to: 2_000)
        let result = model.expectations.ignore(1, model.identity(1), type: Page.self, at: 2_000)
        #expect(result == .forgotten(reportID: "id2", isIgnored: true))
        #expect(model.expectations.counts.leaked == 1, "it was reported")
        model.alive = []
        model.run(to: 100_000)
        #expect(model.results.count == 1)
        #expect(model.expectations.nextDue == nil)
    }

    @Test func `if the limit of survivors is 0, each leaked object is still reported once`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 0
        var model = Model(limits)
        for object in 1...3 { model.expect(object) }
        model.run(to: 5_000)
        for object in 1...3 { model.expect(object, at: 5_000) }
        model.run(to: 20_000)
        #expect(model.results.count == 3)
        #expect(model.expectations.nextDue == nil)
    }

    @Test
    func `1,023 known objects are not scanned, and 3,000 are not scanned again until their number grows`() {
        var known = KnownObjects<Int>()
        let pages = (0..<3_000).map { _ in Page() }
        for page in pages.prefix(1_023) {
            _ = known.insert(ObjectIdentifier(page), subject: 1, type: Page.self, state: .muted, at: 0)
        }
        #expect(known.scanCandidates.isEmpty)
        for page in pages.dropFirst(1_023) {
            _ = known.insert(ObjectIdentifier(page), subject: 1, type: Page.self, state: .muted, at: 0)
        }
        #expect(known.scanCandidates.count == 3_000)
        known.updateScanThreshold()
        #expect(known.scanCandidates.isEmpty, "the next scan needs twice as many objects")
    }

    /// The objects leak at different times, and later checks of several objects share a wake-up.
    @Test func `checks of 89 reported objects cause at most twelve wake-ups in ten minutes`() {
        var model = Model()
        var random = SeededRandom(seed: 1)
        for object in 1..<90 { model.expect(object, grace: Int.random(in: 0...30_000, using: &random)) }
        model.run(to: 1_000_000)
        var wakes = 0
        while let due = model.expectations.nextDue, due < 1_600_000 {
            model.run(to: due)
            wakes += 1
        }
        #expect((1...12).contains(wakes))
    }

    @Test func `the object of a self-test is not counted, and is reported as freed despite all limits`() {
        var limits = LeakDetector.Limits()
        limits.survivors = 0
        limits.survivorMilliseconds = 0
        var model = Model(limits)
        let context = ExpectationContext(type: Page.self, isCounted: false)
        model.alive = [1]
        _ = model.expectations.expect(1, context, graceMilliseconds: 0, at: 0)
        model.run(to: 3_000)
        model.alive = []
        model.run(to: 10_000)
        #expect(model.results.map { $0.contains("freed 1") } == [false, true])
        #expect(model.expectations.counts == LeakDetector.Counts())
        #expect(model.expectations.takeChecks().isEmpty)
    }

    @Test func `parts of a checked object are counted as checks only if they stay`() {
        var model = Model()
        for object in 1...2 {
            model.alive.insert(object)
            let part = ExpectationContext(type: Page.self, isPart: true)
            _ = model.expectations.expect(object, part, graceMilliseconds: 0, at: 0)
        }
        model.alive = [2]
        model.run(to: 3_000)
        #expect(model.expectations.counts.checked == 1)
    }
}

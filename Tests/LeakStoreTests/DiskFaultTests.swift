import LeakSeededRandom
import CLeakSQLite
import Testing

@testable import LeakStore

/// A disk that fails once, or for a while: each call either succeeds, or fails with an error and has no effect. The store
/// continues when the disk works again, without a restart.
@Suite struct DiskFaultTests {
    private static let steps = 8
    private static let faultsPerSeed = 20

    /// Returns faults with the codes that SQLite's own VFS returns when a system call fails.
    private static func faults(of operation: FaultyDisk.Operation) -> [FaultyDisk.Fault] {
        switch operation {
        case .open: [.fail(SQLITE_CANTOPEN), .fail(ioError(1))]
        case .read: [.fail(ioError(1)), .fail(ioError(33))]
        case .write:
            [.fail(SQLITE_FULL), .fail(ioError(3)), .failHalfway(SQLITE_FULL), .failHalfway(ioError(3))]
        case .sync: [.fail(ioError(4)), .fail(ioError(5))]
        case .truncate: [.fail(ioError(6))]
        case .size: [.fail(ioError(7))]
        case .lock: [.fail(SQLITE_BUSY), .fail(ioError(15))]
        case .delete: [.fail(ioError(10))]
        case .access: [.fail(ioError(13))]
        case .map: [.fail(ioError(18)), .fail(ioError(21)), .fail(SQLITE_NOMEM)]
        case .lockMap: [.fail(SQLITE_BUSY), .fail(ioError(20))]
        }
    }

    /// https://www.sqlite.org/rescode.html
    private static func ioError(_ detail: Int32) -> Int32 { SQLITE_IOERR | detail << 8 }

    static func fault(of operation: FaultyDisk.Operation, _ random: inout SeededRandom) -> FaultyDisk.Fault {
        faults(of: operation).randomElement(using: &random) ?? .none
    }

    /// Returns the number of disk operations of a script.
    private static func operationCount(of script: StoreScript) -> Int {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        var play = StorePlay(in: disk.directory)
        for (step, now) in script.steps { try? play.play(step, now: now) }
        return disk.operationCount
    }

    @Test(arguments: PowerCutTests.seeds)
    func `a store call that fails once changes nothing, and succeeds when repeated`(seed: UInt64) throws {
        let script = StoreScript(seed: seed, length: Self.steps)
        let whole = Self.operationCount(of: script)
        var random = SeededRandom(seed: seed)
        var failures = 0
        for _ in 0..<Self.faultsPerSeed {
            let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
            let (at, dice) = (Int.random(in: 1...whole, using: &random), random)
            disk.follow { event in
                var dice = dice
                return event.number == at ? Self.fault(of: event.operation, &dice) : .none
            }
            var play = StorePlay(in: disk.directory)
            for (step, now) in script.steps {
                do {
                    try play.play(step, now: now)
                } catch {
                    failures += 1
                    // The disk works again.
                    #expect(try play.problems() == [], "seed \(seed), \(at) of \(whole): \(error)")
                    #expect(throws: Never.self, "seed \(seed), \(at) of \(whole), after \(error)") {
                        try play.play(step, now: now)
                    }
                }
            }
            #expect(try play.problems() == [], "seed \(seed), \(at) of \(whole)")
        }
        #expect(failures > 0)
    }

    /// All operations of one kind fail for a few steps. At the end the power fails as well.
    @Test(arguments: [FaultyDisk.Operation.write, .sync, .truncate, .read], PowerCutTests.seeds)
    func `after a disk has failed for a while, the store works again and has lost nothing`(
        operation: FaultyDisk.Operation, seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let script = StoreScript(seed: seed, length: Self.steps)
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let fault = Self.fault(of: operation, &random)
        let first = Int.random(in: 0..<Self.steps, using: &random)
        let last = Int.random(in: first..<Self.steps, using: &random)
        var play = StorePlay(in: disk.directory)
        for (number, (step, now)) in script.steps.enumerated() {
            if (first...last).contains(number) {
                disk.follow { $0.operation == operation ? fault : .none }
                try? play.play(step, now: now)
                disk.follow { _ in .none }
                #expect(try play.problems() == [], "seed \(seed), step \(number)")
            } else {
                try play.play(step, now: now)
            }
        }
        #expect(try play.problems() == [], "seed \(seed)")
        let cut = SeededRandom(seed: random.next())
        disk.follow { _ in .cutPower(cut) }
        try? play.play(.count([submission([Report(leak: leak("L1"))])]), now: play.now)
        #expect(try play.resume(in: disk.remains()) == [], "seed \(seed), after the power cut")
    }

    /// The power fails some time after a failed sync: bytes that the store wrote again after that sync must be on disk. In
    /// seed 48 the failed sync is the one that switches the database to a write-ahead log.
    @Test(arguments: Array(PowerCutTests.seeds) + [48])
    func `after a failed sync, nothing that is acknowledged later is lost`(seed: UInt64) throws {
        let script = StoreScript(seed: seed, length: Self.steps)
        let whole = Self.operationCount(of: script)
        var random = SeededRandom(seed: seed)
        for _ in 0..<Self.faultsPerSeed {
            let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
            let fault = Int.random(in: 1...whole, using: &random)
            let cut = Int.random(in: fault...(whole + 20), using: &random)
            let dice = SeededRandom(seed: random.next())
            disk.follow { event in
                if event.number == cut { return .cutPower(dice) }
                // Every sync among these twelve operations fails.
                let isNear = (fault..<(fault + 12)).contains(event.number)
                return isNear && event.operation == .sync ? .fail(Self.ioError(4)) : .none
            }
            var play = StorePlay(in: disk.directory)
            var rest = script.steps[...]
            while !disk.isOff, let (step, now) = rest.popFirst() {
                do {
                    try play.play(step, now: now)
                } catch {
                    if !disk.isOff { try? play.play(step, now: now) }
                }
            }
            #expect(
                try play.resume(in: disk.remains()) == [],
                "seed \(seed), fault \(fault), cut \(cut) of \(whole)")
        }
    }

    /// The ``StoreClock`` of a new database is stored with the first transaction that succeeds.
    @Test func `the first idempotency keys are known after a restart although the first expiry failed`()
        throws
    {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let batch = submission([Report(leak: leak("Page"))], key: "a")
        do {
            let store = try disk.directory.store(clock: ClockRule())
            disk.follow { $0.operation == .sync ? .fail(Self.ioError(4)) : .none }
            #expect(throws: StoreError.self) { try store.expire(now: noon - 100 * day) }
            disk.follow { _ in .none }
            #expect(try store.count([batch], now: noon - 100 * day) == [.counted])
        }
        let store = try disk.directory.store(clock: ClockRule())
        #expect(try store.count([batch], now: noon) == [.repeated(response: batch.response)])
    }

    /// A server opens its readers once and uses them until it ends.
    @Test func `a reader whose read has failed can read again`() throws {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let store = try disk.directory.store()
        store.damageMonitor.limitUnconfirmedSigns(to: .max)
        let reader = try store.makeReader()
        var at = 0
        var count = 0
        var failures = 0
        for operation in FaultyDisk.Operation.allCases {
            for fault in Self.faults(of: operation) where operation != .lock && operation != .lockMap {
                at = 0
                repeat {
                    at += 1
                    count += 1
                    // Forces the reader to read again.
                    _ = try store.count([submission([Report(leak: leak("A"))])], now: noon)
                    if at % 3 == 0 { _ = try store.checkpoint() }
                    let (number, dice) = (at, fault)
                    disk.follow { $0.number == number && $0.operation == operation ? dice : .none }
                    do {
                        let found = try reader.leak(leak("A").id, now: noon)?.row.reports
                        #expect(found == count, "\(operation) \(number)")
                    } catch {
                        failures += 1
                    }
                    let asked = disk.operationCount
                    disk.follow { _ in .none }
                    store.integrityCheck?()
                    #expect(try reader.leak(leak("A").id, now: noon)?.row.reports == count)
                    if at > asked { break }
                } while true
            }
        }
        #expect(failures > 0)
    }
}

import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

@Suite struct CountingModelTests {
    /// Compares a store with the model after calls of random size, repeats, reused keys, full disks and restarts.
    @Test(arguments: (1...12).map { UInt64($0) })
    func `after random calls, repeats, full disks and restarts a store has the totals of the model`(
        seed: UInt64
    ) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        var model = CountingModel()
        var store = try directory.store()
        var sent: [Submission] = []
        for _ in 0..<25 {
            var call: [Submission] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0, let again = sent.randomElement(using: &random)
                {
                    call.append(again)
                } else {
                    call.append(randomSubmission(&random, now: noon))
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                // The disk is full for a while: nothing may be counted, and no key may be remembered.
                try store.limitPages(to: 1)
                let large = call + [makeLargeSubmission(&random)]
                #expect(throws: StoreError.self) { try store.count(large, now: noon) }
                try store.limitPages(to: 1_000_000)
            }
            let expected = model.count(call, now: noon)
            #expect(try store.count(call, now: noon) == expected)
            sent += call
            if Int.random(in: 0..<6, using: &random) == 0 { store = try directory.store() }
        }
        #expect(try store.verify() == [])
        #expect(try model.differences(from: store, now: noon) == [])
    }

    /// Several stores use one file on a disk that sometimes fails. Failed calls are repeated; expiry, restarts and checkpoints
    /// happen in between.
    @Test(arguments: PowerCutTests.seeds)
    func `several stores on a disk that sometimes fails give the totals of the model, in any order of calls`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let dice = Guarded(SeededRandom(seed: seed))
        let rarely: FaultyDisk.Plan = { event in
            dice.with { dice in
                guard Int.random(in: 0..<300, using: &dice) == 0 else { return .none }
                return DiskFaultTests.fault(of: event.operation, &dice)
            }
        }
        disk.follow(rarely)
        var (failures, now) = (0, noon)
        var stores: [SQLiteStore] = []
        /// Retries a call at most 100 times, and runs the integrity checks of a server in between.
        func retry<Result>(_ body: () throws -> Result) throws -> Result {
            for _ in 0..<100 {
                do { return try body() } catch { failures += 1 }
                for store in stores { store.integrityCheck?() }
            }
            return try body()
        }
        func open() throws -> SQLiteStore {
            try retry {
                let store = try disk.directory.store()
                try store.setBusyTimeout(milliseconds: 20)
                try store.set("wal_autocheckpoint = 24")
                store.damageMonitor.limitUnconfirmedSigns(to: .max)
                store.limitWriteAheadLog(toBytes: 0)
                store.limitPendingLogs(toInstallSets: 12)
                return store
            }
        }
        var model = CountingModel()
        stores = try (0..<3).map { _ in try open() }
        var sent: [Submission] = []
        for _ in 0..<40 {
            now += Int64.random(in: 0..<hour, using: &random)
            let number = Int.random(in: 0..<stores.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: stores[number] = try open()
            case 1:
                now += Int64.random(in: 0...8, using: &random) * day
                try retry { _ = try stores[number].expire(now: now) }
            case 2: try retry { try stores[number].checkpointIfNeeded(now: now) }
            case 3: _ = try retry { try stores[number].checkpoint() }
            default:
                let call = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    let again = Int.random(in: 0..<3, using: &random) == 0
                    return (again ? sent.randomElement(using: &random) : nil)
                        ?? randomSubmission(&random, now: now)
                }
                #expect(
                    try retry { try stores[number].count(call, now: now) } == model.count(call, now: now))
                sent += call
            }
        }
        disk.follow { _ in .none }
        #expect(failures > 0)
        for store in stores {
            #expect(try store.verify() == [])
            #expect(try model.differences(from: store, now: now) == [])
        }
    }

    /// Two processes receive the same batches, as if reporters had sent each batch again because no response came.
    @Test func `a batch that two processes receive is counted once`() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        async let one: Void = Self.countInProcess(path: path, seed: 1)
        async let other: Void = Self.countInProcess(path: path, seed: 2)
        _ = await (one, other)
        let store = try directory.store()
        var model = CountingModel()
        _ = model.count(Self.batches, now: noon)
        #expect(try store.verify() == [])
        #expect(try model.differences(from: store, now: noon) == [])
    }

    private static let batches: [Submission] = {
        var random = SeededRandom(seed: 9)
        return (0..<80).map { number in
            var batch = randomSubmission(&random, now: noon)
            batch.idempotency = Submission.Idempotency(
                key: "batch \(number)", bodyHash: [UInt8](repeating: 1, count: 32))
            return batch
        }
    }()

    private static func countInProcess(path: String, seed: UInt64) async {
        await #expect(processExitsWith: .success) { [path = path as String, seed = seed as UInt64] in
            // An error that the closure throws would end the process without a message.
            do {
                try CountingModelTests.countBatches(path: path, seed: seed)
            } catch {
                Issue.record(error)
            }
        }
    }

    private static func countBatches(path: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try retryWhileLocked {
            let store = try SQLiteStore(
                path: path + "/leaks.sqlite", exclusive: false, clock: .unguarded)
            try store.set("wal_autocheckpoint = 30")
            return store
        }
        store.limitPendingLogs(toInstallSets: 12)
        for batch in batches.shuffled(using: &random) {
            _ = try retryWhileLocked { try store.count([batch], now: noon) }
        }
    }

    /// Retries a call. On a busy machine the other process may hold the lock for longer than this process waits. Then a server
    /// answers 503, and the reporter retries as often as necessary.
    private static func retryWhileLocked<Result>(_ body: () throws -> Result) throws -> Result {
        while true {
            do {
                return try body()
            } catch let error as StoreError where error.reason == .locked {
                continue
            }
        }
    }

    /// Returns reports of leaks not seen before, so large that the database file needs more pages.
    private func makeLargeSubmission(_ random: inout SeededRandom) -> Submission {
        submission(
            (0..<40).map { _ in
                Report(leak: leak("bulky \(random.next())"), body: String(repeating: "x", count: 4_000))
            })
    }
}

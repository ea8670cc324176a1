import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Acknowledged submissions are on disk and counted once, although the process is killed or the power fails at any call.
///
/// Each seed plays one script and ends it at several random moments. `make soak` plays more seeds (`FAULT_SEEDS`).
@Suite struct PowerCutTests {
    static let seeds = 1...(unsafe getenv("FAULT_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 1)
    private static let endsPerSeed = 20
    private static let steps = 14

    enum End: CaseIterable {
        case kill, powerCut
    }

    @Test(arguments: End.allCases, seeds)
    func `acknowledged reports are stored exactly once after a kill or a power cut`(end: End, seed: UInt64)
        throws
    {
        let whole = Self.operationCount(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<Self.endsPerSeed {
            let at = Int.random(in: 1...whole, using: &random)
            let problems = try Self.problems(after: end, at: at, seed: seed)
            #expect(problems == [], "seed \(seed), \(end) at \(at) of \(whole)")
        }
    }

    /// Proves that the test above finds errors: with these faulty disks and settings it must fail.
    @Test(arguments: [(true, []), (false, ["synchronous = off"]), (false, ["synchronous = normal"])])
    func `the power cut test detects a disk that ignores syncs, and a store that skips syncs`(
        ignoresSync: Bool, settings: [String]
    ) throws {
        // About one power cut in twelve reveals the fault.
        for part in 1...20 {
            for seed in Self.seeds.prefix(6) {
                let problems = try? Self.problems(
                    after: .powerCut, at: Self.operationCount(seed: seed) * part / 20, seed: seed,
                    settings: settings, ignoresSync: ignoresSync)
                if problems != [] { return }
            }
        }
        Issue.record("no power cut lost anything")
    }

    @Test
    func `the power cut scripts cause every kind of write, sync, truncation and deletion of database files`()
    {
        let seen = Guarded<Set<String>>([])
        for seed in Self.seeds.prefix(6) {
            let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
            disk.follow { event in
                seen.with {
                    _ = $0.insert("\(event.operation) \(event.file.split(separator: "-").last ?? "")")
                }
                return .none
            }
            var play = StorePlay(in: disk.directory)
            for (step, now) in StoreScript(seed: seed, length: Self.steps).steps {
                try? play.play(step, now: now)
            }
        }
        let expected: Set = [
            "write wal", "sync wal", "truncate wal", "delete wal", "write leaks.sqlite", "sync leaks.sqlite",
            "truncate leaks.sqlite", "write journal", "sync journal", "delete journal",
        ]
        #expect(expected.subtracting(seen.with { $0 }) == [])
    }

    /// Returns the number of disk operations of a whole script.
    private static func operationCount(seed: UInt64) -> Int {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        var play = StorePlay(in: disk.directory)
        for (step, now) in StoreScript(seed: seed, length: steps).steps { try? play.play(step, now: now) }
        play.close()
        return disk.operationCount
    }

    /// Plays a script up to the kill or power cut, continues after it, and plays the rest.
    private static func problems(
        after end: End, at: Int, seed: UInt64, settings: [String] = [], ignoresSync: Bool = false
    ) throws -> [String] {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true), ignoresSync: ignoresSync)
        disk.follow { event in
            guard event.number == at else { return .none }
            return end == .kill ? .kill : .cutPower(SeededRandom(seed: seed &* 1_000 &+ UInt64(at)))
        }
        var play = StorePlay(in: disk.directory, settings: settings)
        var rest = StoreScript(seed: seed, length: steps).steps[...]
        while !disk.isOff, let (step, now) = rest.popFirst() {
            // A step that fails is not acknowledged.
            try? play.play(step, now: now)
        }
        let next = disk.remains()
        var problems = try play.resume(in: next)
        // A sender without an answer repeats its request.
        if let (step, now) = play.uncertain { try play.play(step, now: now) }
        for (step, now) in rest { try play.play(step, now: now) }
        problems += try play.problems()
        play.close()
        return problems
    }
}

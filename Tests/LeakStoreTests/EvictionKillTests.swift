import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process that is killed while it evicts leaks.
@Suite struct EvictionKillTests {
    /// The time of the eviction. It is two days after the reports, because a version that several installs used in the last day is
    /// not evicted.
    private static let later = noon + 2 * day

    private static var limits: StoreLimits {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (80, 40)
        return limits
    }

    private static func fill(_ store: any Store) throws {
        for number in 0..<4 {
            let reports = (0..<80).map {
                Report(
                    leak: leak("L\($0)"), version: "1.\(($0 + number) % 40)", build: "\(number)",
                    install: UInt64($0 % 7), at: noon - 2 * day - Int64($0))
            }
            _ = try store.count([submission(reports)], now: noon)
        }
    }

    /// Begins to evict. Some steps later a thread kills the process, at a random time of the steps that follow.
    private static func evictUntilKilled(_ store: any Store, round: UInt64) throws {
        var random = SeededRandom(seed: round)
        let stepsBefore = Int.random(in: 0..<4, using: &random)
        let microseconds = UInt32.random(in: 0...5_000, using: &random)
        let reader = try store.makeReader()
        var steps = 0
        _ = try store.expire(now: later) {
            guard (try? reader.versions(app: "shop").contains("other")) == true else { return true }
            if steps == stepsBefore {
                _ = WorkerThread(name: "killer") {
                    usleep(microseconds)
                    kill(getpid(), SIGKILL)
                }
            }
            steps += 1
            // The eviction must not end before the kill.
            while steps > stepsBefore + 3 { sleep(1) }
            return true
        }
    }

    private static func check(_ store: any Store, round: UInt64) throws {
        let reports = { try store.makeReader().overview(app: "shop", now: later).reports }
        #expect(try store.makeReader().versions(app: "shop").count > 36, "round \(round) was killed too late")
        #expect(try store.verify() == [] && reports() == 320, "round \(round)")
        try store.expire(now: later)
        #expect(try store.verify() == [] && reports() == 320, "round \(round)")
        let reader = try store.makeReader()
        #expect(try reader.overview(app: "shop", now: later).leaks == 72)
        #expect(try reader.versions(app: "shop").count == 36)
    }

    @Test(arguments: KillRounds.all)
    func `after kill -9 during an eviction all totals are consistent, and the next one finishes it`(
        round: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        try Self.fill(directory.store(limits: Self.limits))
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, round = round as UInt64] in
            let store = try SQLiteStore(
                path: path + "/leaks.sqlite", exclusive: true, limits: Self.limits, clock: .unguarded)
            try store.set("wal_autocheckpoint = 20")
            try Self.evictUntilKilled(store, round: round)
        }
        try Self.check(directory.store(limits: Self.limits), round: round)
    }
}

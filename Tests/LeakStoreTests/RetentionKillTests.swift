import LeakPlatform
import LeakSeededRandom
import Testing

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process that is killed while it deletes old leaks and versions, and combines old days.
@Suite struct RetentionKillTests {
    private static let later = noon + 500 * day
    private static let leakCount = 160

    private static func fill(_ store: any Store) throws {
        for number in 0..<6 {
            let now = noon + Int64(number) * day
            let reports = (0..<leakCount).map {
                Report(
                    leak: leak("L\($0)"), version: "1.\(number == 0 ? 0 : ($0 + number) % 30)",
                    build: "\(number)",
                    install: UInt64($0 % 7), at: now)
            }
            _ = try store.count([submission(reports, at: now)], now: now)
        }
        // Half of the leaks are seen again, in a newer version.
        let reports = (0..<leakCount / 2).map { Report(leak: leak("L\($0)"), version: "2.0", at: later) }
        _ = try store.count([submission(reports, at: later)], now: later)
    }

    /// Deletes until a thread kills the process, shortly after the beginning of a random step.
    private static func expireUntilKilled(_ store: any Store, round: UInt64) throws {
        var random = SeededRandom(seed: round)
        let microseconds = UInt32.random(in: 0...3_000, using: &random)
        var stepsLeft = Int.random(in: 10...80, using: &random)
        var killer: WorkerThread?
        try store.expire(now: later) {
            stepsLeft -= 1
            if stepsLeft == 0 {
                killer = WorkerThread(name: "killer") {
                    usleep(microseconds)
                    kill(getpid(), SIGKILL)
                }
            }
            return true
        }
        if killer == nil { kill(getpid(), SIGKILL) }
        killer?.join()
    }

    /// Returns the numbers of leaks and versions, and the number of days that are not combined.
    private static func state(_ store: SQLiteStore) throws -> [Int64] {
        try store.writer.with { writer throws(StoreError) in
            [
                try writer.connection.number("select count(*) from leak") ?? 0,
                try writer.connection.number("select count(*) from release") ?? 0,
                try writer.connection.number(
                    "select count(*) from leak_day where (day + 3) % 7 <> 0 and day < 20800") ?? 0,
            ]
        }
    }

    @Test func `after kill -9 during a run all totals are consistent, and the next run finishes it`()
        async throws
    {
        var stateCounts: [[Int64]: Int] = [:]
        var (start, end): ([Int64], [Int64]) = ([], [])
        for round in KillRounds.all {
            let directory = TemporaryDirectory()
            try Self.fill(directory.store())
            start = try Self.state(directory.store())
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = directory.path as String, round = round as UInt64] in
                let store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true, clock: .unguarded)
                try store.set("wal_autocheckpoint = 20")
                try Self.expireUntilKilled(store, round: round)
            }
            let store = try directory.store()
            #expect(try store.verify() == [], "round \(round)")
            stateCounts[try Self.state(store), default: 0] += 1
            try store.expire(now: Self.later)
            #expect(try store.verify() == [], "round \(round)")
            let state = try Self.state(store)
            #expect(end.isEmpty || state == end, "round \(round)")
            end = state
            #expect(try store.makeReader().retentionCounts(by: RetentionRule(), now: Self.later) == [])
            #expect(try store.makeReader().overview(app: "shop", now: Self.later).leaks == Self.leakCount / 2)
        }
        let kills = stateCounts.filter { $0.key != start && $0.key != end }.values.reduce(0, +)
        #expect(kills > 0, "no kill fell into the work: \(stateCounts)")
    }
}

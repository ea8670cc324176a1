import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process that is killed while it deletes a leak, a version, an environment, an app, or what an ingest key made.
@Suite struct ForgetKillTests {
    private static let leakCount = 120

    private static func target(_ round: UInt64) -> ForgetTarget {
        switch round % 4 {
        case 0: .leak(leak("L0").id)
        case 1: .version("1.0", of: "shop")
        case 2: .environment("shop")
        default: .app("shop")
        }
    }

    private static func fill(_ store: any Store) throws {
        for number in 0..<4 {
            let reports = (0..<leakCount).map {
                Report(
                    leak: leak("L\($0)"), version: "1.\(number % 2)", build: "\(number)",
                    install: UInt64($0 % 7),
                    at: noon - Int64($0 % 50) * hour)
            }
            _ = try store.count([submission(reports)], now: noon)
        }
        _ = try store.decide(Decision(.resolve(.newestVersion), by: "ada"), about: leak("L0").id, now: noon)
    }

    /// Deletes until a thread kills the process; a quick deletion ends before that.
    private static func forgetUntilKilled(
        _ store: any Store, _ target: ForgetTarget, round: UInt64, within limit: UInt32 = 60_000
    ) throws {
        var random = SeededRandom(seed: round)
        let microseconds = UInt32.random(in: 0...limit, using: &random)
        let killer = WorkerThread(name: "killer") {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        _ = try store.forget(target)
        killer.join()
    }

    private static func check(_ store: any Store, round: UInt64) throws {
        #expect(try store.verify() == [], "round \(round)")
        _ = try store.forget(target(round))
        #expect(try store.verify() == [], "round \(round)")
        let reader = try store.makeReader()
        #expect(try reader.forgetCounts(of: target(round)) == nil)
        let left = round % 4 == 0 ? leakCount - 1 : round % 4 == 1 ? leakCount : 0
        #expect(try reader.overview(app: "shop", now: noon).leaks == left)
    }

    @Test(arguments: KillRounds.all)
    func `after kill -9 during a deletion all totals are consistent, and another call finishes the deletion`(
        round: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        try Self.fill(directory.store())
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, round = round as UInt64] in
            let store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true, clock: .unguarded)
            try store.set("wal_autocheckpoint = 20")
            try Self.forgetUntilKilled(store, Self.target(round), round: round)
        }
        try Self.check(directory.store(), round: round)
    }

    private static let stolenKey = ForgetTarget.key(2, since: nil)

    private static func fillWithMadeUpReports(_ store: any Store) throws {
        try fill(store)
        let reports = (0..<300).map {
            Report(
                leak: leak("Fake \($0)"), version: $0 % 2 == 0 ? "1.0" : "66.\($0 % 60)",
                install: UInt64($0 % 9))
        }
        _ = try store.count([submission(reports, keyID: 2)], now: noon)
    }

    @Test(arguments: KillRounds.all)
    func `after kill -9 while a key is undone all totals are consistent, and another call finishes it`(
        round: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        try Self.fillWithMadeUpReports(directory.store())
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, round = round as UInt64] in
            let store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true, clock: .unguarded)
            try store.set("wal_autocheckpoint = 20")
            try Self.forgetUntilKilled(store, Self.stolenKey, round: round, within: 150_000)
        }
        let store = try directory.store()
        #expect(try store.verify() == [], "round \(round)")
        _ = try store.forget(Self.stolenKey)
        #expect(try store.verify() == [], "round \(round)")
        let reader = try store.makeReader()
        #expect(try reader.forgetCounts(of: Self.stolenKey) == nil)
        #expect(try reader.overview(app: "shop", now: noon).leaks == Self.leakCount)
        #expect(try reader.versions(app: "shop") == ["1.1", "1.0"])
        #expect(try reader.overview(app: "shop", now: noon).reports == 4 * Self.leakCount)
    }
}

import LeakPlatform
import LeakSeededRandom
import Testing

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process that is killed while it merges leaks by hand and undoes the merges.
@Suite struct MergeKillTests {
    private static let (source, target) = (leak("Source"), leak("Target"))
    private static let reportCount = 400

    private static func fill(_ store: any Store) throws {
        for (number, leak) in [source, target].enumerated() {
            let reports = (0..<reportCount).map {
                Report(
                    leak: leak, version: "1.\($0 % 8)", build: "\($0 % 3)",
                    install: UInt64($0 % 50 + number * 30),
                    at: noon - Int64($0 % 60) * hour)
            }
            _ = try store.count([submission(reports)], now: noon)
        }
    }

    private static func mergeAndUndo(_ store: any Store) throws {
        guard let merge = try store.mergeByHand(source.id, into: target.id, by: "ada", audit: nil, now: noon)
        else {
            return
        }
        _ = try store.undoMerge(merge.number, by: "ada", audit: nil, now: noon)
    }

    /// Merges and undoes until a thread kills the process. The time of the kill is random: within twice the time that one merge and
    /// its undoing take on this machine.
    private static func runUntilKilled(_ store: any Store, round: UInt64) throws {
        var random = SeededRandom(seed: round)
        let start = ContinuousClock.now
        try mergeAndUndo(store)
        let longest = 2 * (start.duration(to: .now) / .microseconds(1))
        let microseconds = UInt32(Double.random(in: 0...longest, using: &random))
        let killer = WorkerThread(name: "killer") {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        while true { try mergeAndUndo(store) }
        killer.join()
    }

    @Test func `after kill -9 during merges and their undoing, both leaks are merged or separate`()
        async throws
    {
        var mergedCount = 0
        for round in KillRounds.all {
            let directory = TemporaryDirectory()
            try Self.fill(directory.store())
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = directory.path as String, round = round as UInt64] in
                let store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true, clock: .unguarded)
                try store.set("wal_autocheckpoint = 20")
                try Self.runUntilKilled(store, round: round)
            }
            let store = try directory.store()
            #expect(try store.verify() == [], "round \(round)")
            let merges = try store.makeReader().manualMerges(app: "shop")
            mergedCount += merges.count
            for merge in merges {
                #expect(
                    try store.undoMerge(merge.number, by: "ada", audit: nil, now: noon)?.reports
                        == Self.reportCount)
                #expect(try store.verify() == [], "round \(round)")
            }
            for leak in [Self.source, Self.target] {
                let row = try store.makeReader().leak(leak.id, now: noon)?.row
                #expect(row?.reports == Self.reportCount && row?.installs == 50, "round \(round)")
            }
        }
        // Some kills came between a merge and its undoing, and some did not. With few rounds this may be otherwise by chance.
        #expect(
            KillRounds.all.count < 40 || (1..<KillRounds.all.count).contains(mergedCount),
            "\(mergedCount) of \(KillRounds.all.count) rounds")
    }
}

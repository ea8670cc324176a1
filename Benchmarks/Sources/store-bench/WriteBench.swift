import Foundation
import LeakStore
import LoadTools

/// Measures the reports per second that the store counts without a server.
enum WriteBench {
    static func measure(seconds: Double) throws {
        let syncs = Disk.syncsPerSecond(in: NSTemporaryDirectory(), seconds: 1)
        print("baseline: \(Int(syncs)) syncs of 4 KiB per second, one after the other")
        print(
            "load: 1,000 leaks (Zipf), 50,000 installs of 12 versions, 40 models, 20 systems; "
                + "every batch with an idempotency key\n")
        print("| reports per batch | batches per commit | reports/s | × baseline | commits/s |")
        print("|---|---|---|---|---|")
        for batch in [1, 10, 100, 1_000] {
            for gathered in [1, 64] {
                let (reports, commits) = try rate(batch: batch, gathered: gathered, seconds: seconds)
                print(
                    "| \(batch) | \(gathered) | \(Int(reports)) | \(String(format: "%.2f", reports / syncs))"
                        + " | \(Int(commits)) |")
            }
        }
    }

    /// Makes a fixed number of commits, for callgrind. The difference between two runs is the cost of their additional commits,
    /// independent of other work on the machine.
    static func count(commits: Int, batch: Int) throws {
        let folder = try Folder()
        var load = Submissions(leaks: 1_000)
        let time: Int64 = 1_795_176_000_000
        for commit in 0..<commits {
            let batches = (0..<64).map { _ in load.batch(of: batch, at: time) }
            // 14 ms between two commits: about 70 commits a second.
            _ = try folder.store.count(batches, now: time + Int64(commit * 14))
        }
    }

    /// Returns reports and commits per second.
    private static func rate(
        batch: Int, gathered: Int, seconds: Double
    ) throws -> (reports: Double, commits: Double) {
        let folder = try Folder()
        var load = Submissions(leaks: 1_000)
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        // Every leak exists when the measurement starts.
        _ = try folder.store.count([load.batch(of: 1_000, ranks: 0..<1_000, at: time)], now: time)
        var (reports, commits, spent) = (0, 0, 0.0)
        while spent < seconds {
            // Prepared outside of the measured time.
            let prepared = (0..<gathered).map { _ in load.batch(of: batch, at: time) }
            let start = ContinuousClock.now
            var rest = prepared[...]
            while !rest.isEmpty {
                let receipts = try folder.store.count(Array(rest), now: time + Int64(spent * 1000))
                rest = rest.dropFirst(receipts.count)
                commits += 1
            }
            try folder.store.checkpointIfNeeded(now: time + Int64(spent * 1000))
            spent += (ContinuousClock.now - start) / .seconds(1)
            reports += batch * gathered
        }
        return (Double(reports) / spent, Double(commits) / spent)
    }
}

/// A store in a temporary folder, which is deleted with this object.
final class Folder {
    let path: String
    let store: SQLiteStore

    init() throws {
        path = NSTemporaryDirectory() + "store-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var limits = StoreLimits()
        limits.leaksPerApp = 1_000_000
        store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true, limits: limits)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

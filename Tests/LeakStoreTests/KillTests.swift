import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process that is killed while its threads count, expire, checkpoint and read at the same time, on a real disk.
///
/// `make soak` runs more rounds (`KILL_ROUNDS`).
@Suite struct KillTests {
    static let rounds =
        1...(unsafe getenv("KILL_ROUNDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 12)
    private static let senders = 3

    @Test(arguments: rounds)
    func `acknowledged reports are stored once after kill -9`(round: UInt64) async throws {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, round = round as UInt64] in
            try Self.work(in: path, round: round)
        }
        let acknowledged = Self.acknowledged(in: directory)
        // Uses the default clock rule, as the killed process did: one of its threads used a time 100 days before that of the
        // others.
        let store = try directory.store(clock: ClockRule())
        #expect(try store.verify() == [])
        var reports = 0
        for sender in 0..<Self.senders {
            // The batch after the last acknowledged batch may or may not be stored, because it was not answered. A sender
            // that repeats it learns which.
            let last = acknowledged[sender, default: 0]
            for number in 0...last {
                let sent = Self.batch(sender: sender, number: number)
                let receipt = try store.count([sent], now: noon)
                if number < last {
                    #expect(
                        receipt == [.repeated(response: sent.response)], "round \(round), \(sender)-\(number)"
                    )
                }
                reports += sent.sightings.count
            }
        }
        #expect(try store.makeReader().overview(app: nil, now: noon).reports == reports)
        #expect(try store.verify() == [])
    }

    private static func batch(sender: Int, number: Int) -> Submission {
        let reports = (0..<(number % 9 + 1)).map { report in
            Report(
                leak: leak("L\((number * 5 + report) % 200)"), version: "1.\(number % 3)",
                install: UInt64(sender * 100_000 + number))
        }
        return submission(reports, key: "\(sender)-\(number)")
    }

    /// Returns the number of answered batches of each sender, which each sender recorded right after the answer.
    private static func acknowledged(in directory: TemporaryDirectory) -> [Int: Int] {
        directory.read("answers").reduce(into: [:]) { $0[Int($1), default: 0] += 1 }
    }

    /// Runs the work of the process until it is killed.
    private static func work(in path: String, round: UInt64) throws {
        let store = try SQLiteStore(path: path + "/leaks.sqlite", exclusive: true)
        try store.set("wal_autocheckpoint = 50")
        store.limitWriteAheadLog(toBytes: 300_000)
        store.limitPendingLogs(toInstallSets: 100)
        let answers = unsafe open(path + "/answers", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var random = SeededRandom(seed: round)
        let microseconds = UInt32.random(in: 1_000...400_000, using: &random)
        let killer = WorkerThread(name: "killer") {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        let senders = (0..<Self.senders).map { sender in
            WorkerThread(name: "sender") {
                for number in 0... {
                    guard (try? store.count([batch(sender: sender, number: number)], now: noon)) == [.counted]
                    else { return }
                    var name = UInt8(sender)
                    unsafe write(answers, &name, 1)
                }
            }
        }
        let others = [
            WorkerThread(name: "clock") {
                // Stores keys with a time 100 days ago, and deletes expired keys.
                for number in 0... {
                    let old = noon - 100 * day - Int64(number % 40) * hour
                    _ = try? store.count([submission(key: "old \(number)", at: old)], now: old)
                    _ = try? store.expire(now: noon - 20 * day)
                    try? store.checkpointIfNeeded(now: noon + Int64(number) * 10_000)
                }
            },
            WorkerThread(name: "reader") {
                guard let reader = try? store.makeReader() else { return }
                while true { _ = try? reader.overview(app: nil, now: noon) }
            },
        ]
        for thread in [killer] + senders + others { thread.join() }
    }
}

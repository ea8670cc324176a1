import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakPlatform
import Testing

@testable import LeakCollector
@testable import LeakStore

/// Backups that a collector makes by itself, with a clock that the tests set.
@Suite struct BackupLoopTests {
    private static let noon: Int64 = 1_795_176_000_000
    private static let hour: Int64 = 3_600_000

    private let folder = NSTemporaryDirectory() + "backup-loop-\(UUID().uuidString)"
    private let clock = Guarded(noon)
    private let store: any Store

    init() throws {
        store = try Collector.openStore(folder: folder + "/data", isServer: true)
        try FileManager.default.createDirectory(
            atPath: folder + "/backups", withIntermediateDirectories: true)
    }

    private func loop(
        intervalHours: Int = 24, count: Int = 3, backups: String? = nil, freeBytes: UInt64? = nil
    )
        -> BackupLoop
    {
        BackupLoop(
            BackupLoop.Schedule(
                folder: backups ?? folder + "/backups", intervalHours: intervalHours, count: count),
            databasePath: folder + "/data/leaks.sqlite", freeBytes: { _ in freeBytes },
            log: Log(format: .text)
        ) { [clock] in clock.with { $0 } }
    }

    private func advance(hours: Double) { clock.with { $0 += Int64(hours * Double(Self.hour)) } }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/backups")) ?? []).sorted()
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `a backup is made at once, then once per interval, and only the newest are kept`() throws {
        defer { cleanUp() }
        let loop = loop()
        loop.runIfDue()
        #expect(files == ["leaks-2026-11-20T12-00-00Z.sqlite"])
        #expect(try SQLiteStore.verify(path: folder + "/backups/" + files[0]).problems == [])
        advance(hours: 23.9)
        loop.runIfDue()
        #expect(files.count == 1)
        for _ in 0..<4 {
            advance(hours: 24)
            loop.runIfDue()
        }
        #expect(
            files == [
                "leaks-2026-11-23T11-54-00Z.sqlite", "leaks-2026-11-24T11-54-00Z.sqlite",
                "leaks-2026-11-25T11-54-00Z.sqlite",
            ])
        #expect(loop.currentStatus.count == 3 && loop.currentStatus.failure == nil)
        #expect(loop.problem(now: clock.with { $0 }) == nil)
    }

    @Test func `after a restart the next backup is due one interval after the newest backup in the folder`()
        throws
    {
        defer { cleanUp() }
        loop().runIfDue()
        advance(hours: 20)
        loop().runIfDue()
        #expect(files.count == 1)
        advance(hours: 4)
        loop().runIfDue()
        #expect(files.count == 2)
    }

    @Test func `unfinished backups are deleted, but no other files in the folder`() throws {
        defer { cleanUp() }
        let others = [
            "notes.txt", "leaks.sqlite", "leaks-2026-11-20.sqlite", "leaks-2026-13-20T12-00-00Z.sqlite",
            "other.sqlite.partial-ff", "x-leaks-2026-11-20T12-00-00Z.sqlite",
        ]
        let unfinished = "leaks-2026-11-19T12-00-00Z.sqlite.partial-ff"
        for name in others + [unfinished, unfinished + "-journal"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/backups/\(name)"))
        }
        let loop = loop(count: 1)
        for _ in 0..<3 {
            loop.runIfDue()
            advance(hours: 24)
        }
        BackupFolder(path: folder + "/backups").removeUnfinished()
        #expect(files.filter { !others.contains($0) } == ["leaks-2026-11-22T12-00-00Z.sqlite"])
        #expect(Set(files).isSuperset(of: others))
    }

    @Test func `a failed backup deletes no older backup, is reported, and is tried again after ten minutes`()
        throws
    {
        defer { cleanUp() }
        let loop = loop(count: 1)
        loop.runIfDue()
        let good = files
        advance(hours: 24)
        let path = folder + "/data/leaks.sqlite"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        loop.runIfDue()
        #expect(files == good)
        let failure = try #require(loop.currentStatus.failure)
        #expect(loop.problem(now: clock.with { $0 }) == "the last backup failed: \(failure)")
        let shown = try #require(loop.publicProblem(now: clock.with { $0 }))
        #expect(shown == "the last backup failed; see the collector's log" && !shown.contains(folder))
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        advance(hours: 0.1)
        loop.runIfDue()
        #expect(loop.currentStatus.failure != nil && loop.currentStatus.failureCount == 1 && files == good)
        advance(hours: 0.1)
        loop.runIfDue()
        #expect(loop.currentStatus.failure == nil && files != good && files.count == 1)
    }

    @Test func `a copy with inconsistent totals has a name of its own and replaces no sound backup`() throws {
        defer { cleanUp() }
        let loop = loop(count: 1)
        loop.runIfDue()
        let good = files
        try SQLiteConnection(path: folder + "/data/leaks.sqlite", access: .readWrite).execute(
            "insert into app (name, environment, last_seen, reports) values ('x', 'production', 1, 7)")
        advance(hours: 24)
        loop.runIfDue()
        #expect(files == good + ["leaks-inconsistent.sqlite"])
        #expect(loop.currentStatus.failure?.contains("some totals are inconsistent") == true)
    }

    @Test func `backups made while the clock was ahead do not displace the backup that was just made`() throws
    {
        defer { cleanUp() }
        advance(hours: 1_000)
        loop(count: 1).runIfDue()
        let future = files
        advance(hours: -1_000)
        let loop = loop(count: 1)
        loop.runIfDue()
        #expect(files.count == 2 && Set(files).isSuperset(of: future))
        let both = files
        advance(hours: 1)
        loop.runIfDue()
        #expect(files == both && loop.currentStatus.failure == nil)
        advance(hours: 24)
        loop.runIfDue()
        #expect(files.count == 2 && Set(files).isSuperset(of: future) && files != both)
    }

    @Test func `after a backup with inconsistent totals, the next attempt is one interval later`() throws {
        defer { cleanUp() }
        let loop = loop()
        try SQLiteConnection(path: folder + "/data/leaks.sqlite", access: .readWrite).execute(
            "insert into app (name, environment, last_seen, reports) values ('x', 'production', 1, 7)")
        loop.runIfDue()
        #expect(files == ["leaks-inconsistent.sqlite"])
        try FileManager.default.removeItem(atPath: folder + "/backups/leaks-inconsistent.sqlite")
        advance(hours: 23)
        loop.runIfDue()
        #expect(files.isEmpty && loop.currentStatus.failure != nil)
        advance(hours: 1)
        loop.runIfDue()
        #expect(files == ["leaks-inconsistent.sqlite"])
    }

    @Test func `a backup that would leave less than 128 MiB free does not begin`() throws {
        defer { cleanUp() }
        let loop = loop(freeBytes: 128 << 20)
        loop.runIfDue()
        #expect(files.isEmpty)
        #expect(loop.currentStatus.failure?.contains("has 128 MiB free") == true)
    }

    @Test func `a backup fails if its folder cannot be read, and is tried again ten minutes later`() throws {
        defer { cleanUp() }
        let loop = loop(backups: folder + "/missing")
        loop.runIfDue()
        #expect(loop.currentStatus.failure == "the folder \(folder)/missing cannot be read")
        try FileManager.default.createDirectory(
            atPath: folder + "/missing", withIntermediateDirectories: true)
        loop.runIfDue()
        #expect(loop.currentStatus.failure != nil)
        advance(hours: 0.2)
        loop.runIfDue()
        #expect(loop.currentStatus.failure == nil && loop.currentStatus.count == 1)
    }

    @Test func `a backup is overdue after two intervals, and a backup of the far future does not count`()
        throws
    {
        defer { cleanUp() }
        let early = loop()
        #expect(early.problem(now: Self.noon + 48 * Self.hour) == nil)
        #expect(early.problem(now: Self.noon + 48 * Self.hour + 1) == "there is no backup yet")
        advance(hours: 1_000)
        loop().runIfDue()
        advance(hours: -1_000)
        let loop = loop()
        loop.runIfDue()
        #expect(files.count == 2)
        let last = Self.noon
        #expect(loop.problem(now: last + 48 * Self.hour) == nil)
        #expect(
            loop.problem(now: last + 49 * Self.hour)
                == "backups are overdue: the newest is of 2026-11-20 12:00 UTC")
    }

    @Test func `with PostgreSQL the setting of a backup folder is rejected, and the error names pg_dump`()
        throws
    {
        var settings = Settings()
        settings.backupFolder = "/backups"
        #expect(try settings.backupSchedule() == BackupLoop.Schedule(folder: "/backups"))
        settings.databaseURL = "postgres://db/leaks"
        #expect {
            try settings.backupSchedule()
        } throws: {
            "\($0)".contains("COLLECTOR_BACKUP is only for the database in the data folder")
                && "\($0)".contains("pg_dump")
        }
    }

    @Test func `a failed backup is visible to admins on every page, and to probes without its reason`() throws
    {
        defer { cleanUp() }
        let backups = folder + "/own"
        let running = try RunningCollector { $0.backupFolder = backups }
        func wait(until isTrue: () throws -> Bool) rethrows -> Bool {
            let deadline = ContinuousClock.now + .seconds(30)
            while try !isTrue() {
                guard ContinuousClock.now < deadline else { return false }
                Thread.sleep(forTimeInterval: 0.02)
            }
            return true
        }
        let loop = try #require(running.collector.backups)
        #expect(wait { loop.currentStatus.count == 1 })
        #expect(try running.get("/readyz", fields: []).text == "ready\n")
        #expect(try running.get("/access").text.contains("The newest was made"))
        #expect(try !running.get("/").text.contains("Attention"))
        try FileManager.default.removeItem(atPath: backups)
        loop.runIfDue()
        let ready = try running.get("/readyz", fields: [])
        #expect(ready.status == 200)
        #expect(ready.text == "ready\nwarning: the last backup failed; see the collector's log\n")
        for path in ["/", "/access", "/releases", "/causes"] {
            #expect(
                try running.get(path).text.contains(
                    "Attention: the last backup failed: the folder \(backups)"))
        }
        let viewer =
            try running.post(
                #"{"name":"v","role":"viewer"}"#, to: "/api/v1/tokens",
                fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
            ).json["secret"] as? String
        let page = try running.get(
            "/", fields: [HTTPField("Authorization", "Bearer \(try #require(viewer))")])
        #expect(page.status == 200 && !page.text.contains("Attention"))
    }
}

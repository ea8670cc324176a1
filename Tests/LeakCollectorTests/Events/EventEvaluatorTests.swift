import Foundation
import LeakCollectorSupport
import LeakPlatform
import LeakStatistics
import Testing

@testable import LeakCollector
@testable import LeakStore

/// Which events follow from stored data, under a scripted clock.
@Suite struct EventEvaluatorTests {
    private static let noon: Int64 = 1_795_176_000_000
    private let folder = NSTemporaryDirectory() + "events-\(UUID().uuidString)"
    private let store: any Store

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try SQLiteStore(path: folder + "/leaks.sqlite", exclusive: false)
    }

    // MARK: Data

    private static func identity(_ name: String, environment: String = "production") -> LeakIdentity {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in (environment + "/" + name).utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return LeakIdentity(
            id: LeakID(high: hash, low: hash &* 31), app: "shop", environment: environment, kind: "object",
            className: name, module: nil, title: name, stack: [name], children: [], cycle: [], quality: .full,
            groupingKey: GroupingKey(version: 1, className: name, stack: [name]))
    }

    /// Counts sessions, checks of classes, and reports of leaks of these classes, each evenly on some installs.
    private func count(
        _ version: String, reports: [String: Int] = [:], checks: [String: Int], leakySessions: Int = 0,
        installs: Int = 40, environment: String = "production", at time: Int64 = noon
    ) throws {
        let batches = (0..<installs).map { install in
            var batch = Submission(keyID: 1, receivedAt: time)
            for (name, total) in reports.sorted(by: { $0.key < $1.key }) where total / installs > 0 {
                batch.origins.append(
                    Submission.Origin(
                        app: "shop", environment: environment, version: version, build: nil, system: nil,
                        model: nil, installHash: UInt64(install) &* 0x9E37_79B9_7F4A_7C15,
                        install: "i\(install)"))
                let start = batch.body.count
                batch.body += Array("{}".utf8)
                batch.sightings.append(
                    Submission.Sighting(
                        leak: Self.identity(name, environment: environment),
                        originIndex: batch.origins.count - 1, isFreed: false, at: time,
                        count: total / installs, alive: nil, livedMilliseconds: nil,
                        jsonRange: start..<batch.body.count))
            }
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", environment: environment, version: version, build: nil,
                    installHash: UInt64(install) &* 0x9E37_79B9_7F4A_7C15, sessions: 10,
                    leakySessions: leakySessions, checks: checks.mapValues { $0 / installs })
            ]
            return batch
        }
        #expect(try store.count(batches, now: time).allSatisfy { $0 == .counted })
    }

    /// Runs all steps of a round.
    private func evaluate(
        at time: Int64 = noon, by evaluator: EventEvaluator? = nil, limit: Double? = nil
    ) throws {
        let evaluator =
            try evaluator
            ?? EventEvaluator(store: store, reader: store.makeReader(), leakFreeSessionsPercent: limit)
        while try evaluator.runStep(now: time) {}
    }

    private func events(_ kind: Event.Kind? = nil) throws -> [Event] {
        try store.makeReader().events(EventQuery(.after(0), filter: EventFilter(kind: kind), limit: 1_000))
    }

    private func texts() throws -> [String] {
        try events().map { "\($0.kind.rawValue): \($0.text.replacing("\u{A0}", with: " "))" }
    }

    // MARK: Kinds

    @Test
    func `new and more frequent leaks of the current release are events once, and unchanged leaks are not`()
        throws
    {
        let checks = ["Cart": 4_000, "Page": 4_000]
        try count("1.0", reports: ["Cart": 40, "Page": 400], checks: checks)
        try evaluate()
        #expect(try texts() == [])
        try count("1.1", reports: ["Cart": 1_200, "Page": 400], checks: checks)
        try count("1.1", reports: ["Fresh": 80], checks: [:])
        for _ in 0..<3 { try evaluate() }
        let expected = [
            "worse: Cart leaks more often in 1.1: 1,200 reports in 4,000 checks, after 40 reports in 4,000 checks in 1.0",
            "new_leak: Fresh leaks in 1.1: new, 80 reports, 40 installs",
        ]
        #expect(try texts() == expected)
        let worse = try #require(try events(.worse).first)
        #expect(worse.leak == Self.identity("Cart").id && worse.version == "1.1" && worse.hasLeak)
        let details = try #require(
            try JSONSerialization.jsonObject(with: Data(worse.details.utf8)) as? [String: Any])
        #expect(details["reports"] as? Int == 1_200 && details["baseline"] as? String == "1.0")
        #expect((details["probability"] as? Double ?? 1) < 0.01)
        // More data of the same release adds no second event, even in a new process and with a second collector.
        try count("1.1", reports: ["Cart": 1_200, "Page": 400, "Fresh": 80], checks: checks)
        let second = try SQLiteStore(path: folder + "/leaks.sqlite", exclusive: false)
        let other = EventEvaluator(
            store: second, reader: try second.makeReader(), leakFreeSessionsPercent: nil)
        try evaluate(by: other)
        try evaluate()
        #expect(try texts() == expected)
        // The same leak is more frequent again in the next release.
        try count("1.2", reports: ["Cart": 3_600, "Page": 400], checks: checks)
        try evaluate(at: Self.noon + 120_000)
        #expect(try events(.worse).map(\.version) == ["1.1", "1.2"])
    }

    @Test func `leaks below the limits of the release check are no events`() throws {
        let checks = ["Cart": 4_000]
        try count("1.0", reports: ["Cart": 80], checks: checks)
        try count("1.1", reports: ["Cart": 80], checks: checks)
        // One report on one install.
        try count("1.1", reports: ["Fresh": 1], checks: [:], installs: 1)
        try evaluate()
        #expect(try texts() == [])
    }

    @Test func `the first evaluation after an upgrade is silent, and the first one of a new app is not`()
        throws
    {
        let checks = ["Cart": 4_000]
        try count("1.0", reports: ["Cart": 40], checks: checks)
        try count("1.1", reports: ["Cart": 1_200], checks: checks)
        let connection = try SQLiteConnection(path: folder + "/leaks.sqlite", access: .readWrite)
        try connection.execute("insert into event_mark (app, state) select id, '' from app")
        try count("1.0", reports: ["Cart": 40], checks: checks, environment: "debug")
        try count("1.1", reports: ["Cart": 1_200], checks: checks, environment: "debug")
        try evaluate()
        #expect(try events().map { $0.app?.environment } == ["debug"])
        try count("1.2", reports: ["Cart": 3_600], checks: checks)
        try evaluate(at: Self.noon + 120_000)
        #expect(try events().map { $0.app?.environment } == ["debug", "production"])
    }

    @Test func `a proven fix and a leak that is back are events once for each decision`() throws {
        let checks = ["Cart": 1_000]
        try count("1.0", reports: ["Cart": 200], checks: checks)
        _ = try store.decide(
            Decision(.resolve(.version("1.1")), by: "ada"), about: Self.identity("Cart").id,
            now: Self.noon + 1)
        let later = Self.noon + 3_600_000
        try count("1.1", checks: ["Cart": 80], at: later)
        try evaluate(at: later)
        #expect(try texts() == [])
        try count("1.1", checks: ["Cart": 4_000], at: later)
        for _ in 0..<2 { try evaluate(at: later) }
        #expect(try texts() == ["fixed: Cart is fixed in 1.1: no report in 4,080 checks"])
        try count("1.2", reports: ["Cart": 200], checks: checks, at: 2 * later - Self.noon)
        for _ in 0..<2 { try evaluate(at: 2 * later - Self.noon) }
        #expect(
            try texts().dropFirst() == ["regressed: Cart is back in 1.2, resolved in 1.1"])
        #expect(try events(.regressed).map(\.leak) == [Self.identity("Cart").id])
    }

    @Test func `a class that the current release does not check is an event, if enough checks are missing`()
        throws
    {
        try count("1.0", checks: ["Cart": 4_000, "Page": 4_000])
        try count("1.1", checks: ["Page": 40])
        try evaluate()
        // By its share, Cart would have 20 of the 40 checks.
        #expect(try texts() == [])
        try count("1.1", checks: ["Page": 40])
        for _ in 0..<2 { try evaluate() }
        #expect(
            try texts() == [
                "no_longer_checked: Cart is not checked any more in 1.1, after 4,000 checks in 1.0"
            ])
    }

    @Test func `too few leak-free sessions are an event only below a limit that is set`() throws {
        // 40 installs with 10 sessions each, of which 2 have a leak.
        try count("1.0", checks: ["Cart": 400], leakySessions: 2)
        try evaluate(limit: 60)
        #expect(try texts() == [])
        try count("1.0", checks: ["Cart": 400], leakySessions: 2)
        try evaluate()
        #expect(try texts() == [])
        try count("1.0", checks: ["Cart": 400], leakySessions: 2)
        for _ in 0..<2 { try evaluate(limit: 95.5) }
        #expect(
            try texts() == [
                "leak_free_sessions_low: 80.0 % of 1,200 sessions of 1.0 are leak-free, below the limit of 95.5 %"
            ])
    }

    @Test func `a reached limit is an event once for each release`() throws {
        var limits = StoreLimits()
        limits.leaksPerApp = 1
        let small = try SQLiteStore(path: folder + "/small.sqlite", exclusive: false, limits: limits)
        for version in ["1.0", "1.1"] {
            for name in ["A", "B", "C"] {
                var batch = Submission(keyID: 1, receivedAt: Self.noon)
                batch.origins = [
                    Submission.Origin(
                        app: "shop", environment: "production", version: version, build: nil, system: nil,
                        model: nil, installHash: 1, install: "i")
                ]
                batch.body = Array("{}".utf8)
                batch.sightings = [
                    Submission.Sighting(
                        leak: Self.identity(name), originIndex: 0, isFreed: false, at: Self.noon, count: 1,
                        alive: nil, livedMilliseconds: nil, jsonRange: 0..<2)
                ]
                _ = try small.count([batch], now: Self.noon)
            }
            _ = try small.pin(
                version, of: AppKey("shop"), by: "ada", audit: nil, now: Self.noon)
            for _ in 0..<2 {
                let evaluator = EventEvaluator(
                    store: small, reader: try small.makeReader(), leakFreeSessionsPercent: nil)
                while try evaluator.runStep(now: Self.noon) {}
            }
        }
        let found = try small.makeReader().events(
            EventQuery(.after(0), filter: EventFilter(kind: .limitReached), limit: 100))
        #expect(found.map(\.version) == ["1.0", "1.1"])
        #expect(found.allSatisfy { $0.key == "leaks_per_app" })
        #expect(found.first?.text.hasPrefix("The limit leaks_per_app is reached") == true)
    }

    // MARK: Steps

    @Test func `a process that ends before the events are stored loses none of them`() throws {
        let checks = ["Cart": 4_000]
        try count("1.0", reports: ["Cart": 40], checks: checks)
        try count("1.1", reports: ["Cart": 1_200], checks: checks)
        let killed = EventEvaluator(
            store: store, reader: try store.makeReader(), leakFreeSessionsPercent: nil)
        #expect(try killed.runStep(now: Self.noon))
        #expect(try texts() == [])
        try evaluate()
        #expect(try events().map(\.kind) == [.worse])
    }

    @Test func `an app is evaluated again only if it changes, and at most once a minute`() throws {
        let checks = ["Cart": 4_000]
        try count("1.0", reports: ["Cart": 40], checks: checks)
        let evaluator = EventEvaluator(
            store: store, reader: try store.makeReader(), leakFreeSessionsPercent: nil)
        try evaluate(by: evaluator)
        func steps(_ time: Int64) throws -> Int {
            var count = 0
            while try evaluator.runStep(now: time) { count += 1 }
            return count
        }
        #expect(try steps(Self.noon + 60_000) == 0)
        try count("1.1", reports: ["Cart": 1_200], checks: checks)
        #expect(try steps(Self.noon + 119_999) == 0)
        #expect(try texts() == [])
        #expect(try steps(Self.noon + 120_000) == 2)
        #expect(try events().map(\.kind) == [.worse])
        // A clock that was set back does not stop the evaluation.
        try count("1.2", reports: ["Cart": 3_600], checks: checks)
        #expect(try steps(Self.noon) == 2)
        #expect(try events().map(\.version) == ["1.1", "1.2"])
    }

    @Test func `an app whose data cannot be read does not keep other apps from being evaluated`() throws {
        let checks = ["Cart": 4_000]
        for environment in ["a", "production"] {
            try count("1.0", reports: ["Cart": 40], checks: checks, environment: environment)
            try count("1.1", reports: ["Cart": 1_200], checks: checks, environment: environment)
        }
        let connection = try SQLiteConnection(path: folder + "/leaks.sqlite", access: .readWrite)
        try connection.execute(
            """
            update build set session_buckets = x'FF' where release in (select r.id from release r join app a on a.id = r.app
              where a.environment = 'a')
            """)
        let evaluator = EventEvaluator(
            store: store, reader: try store.makeReader(), leakFreeSessionsPercent: nil)
        #expect(throws: StoreError.self) { try evaluator.runStep(now: Self.noon) }
        try evaluate(by: evaluator)
        #expect(try events().map { $0.app?.environment } == ["production"])
    }

    @Test func `events in the queue are stored by the next call that succeeds`() throws {
        let queue = EventQueue()
        queue.add(Event(.diskLow, title: "Disk", text: "full", at: Self.noon))
        queue.add(Event(.diskLow, title: "Disk", text: "still full", at: Self.noon + 1))
        #expect(throws: StoreError.self) { try queue.store(in: FailingRecordStore(store: store)) }
        try queue.store(in: store)
        try queue.store(in: store)
        queue.add(Event(.diskLow, title: "Disk", text: "full", at: Self.noon + 86_400_000))
        try queue.store(in: store)
        #expect(try events(.diskLow).map(\.key) == ["2026-11-20", "2026-11-21"])
        for number in 0..<1_000 {
            queue.add(
                Event(.backupFailed, title: "\(number)", text: "", at: Self.noon + Int64(number) * 86_400_000)
            )
        }
        try queue.store(in: store)
        #expect(try events(.backupFailed).count == 100)
    }
}

/// A store that cannot add events.
private struct FailingRecordStore: ForwardingStore {
    let store: any Store

    func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
        throw StoreError(.diskFull, "no space")
    }
}

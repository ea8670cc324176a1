import LeakSeededRandom
import Testing

@testable import LeakStore

/// A database with flipped bits causes no crash, and every wrong total is reported.
@Suite struct DamageTests {
    private static let everythingKnown = KnownLeaks([
        knownLeakRule("L*"), knownLeakRule("P*", systems: [("iOS", "1", nil)]),
    ])

    /// Runs every query of pages and commands, and every scheduled write.
    private static func exercise(_ store: SQLiteStore, leaks: [LeakID]) {
        if let reader = try? store.makeReader(known: everythingKnown) {
            let apps = (try? reader.apps()) ?? []
            for app in apps.prefix(3).map({ AppScope($0) }) + [nil] {
                _ = try? reader.versions(app: app)
                for period in Period.allCases {
                    _ = try? reader.overview(app: app, period: period, now: noon)
                }
                _ = try? reader.leakClass("Page", app: app, now: noon)
                var query = LeakQuery()
                query.scope = app
                for state in LeakQuery.StateFilter.allCases {
                    query.state = state
                    for period in [nil, Period.day, .week] {
                        query.period = period
                        _ = try? reader.leaks(query, now: noon)
                    }
                }
            }
            for app in apps.prefix(3) {
                _ = try? reader.releases(app: AppKey(app))
                for version in ["1.0", "1.1"] {
                    _ = try? reader.releaseCheck(ReleaseCheckQuery(app: app, version: version), now: noon)
                }
            }
            for leak in leaks {
                _ = try? reader.leak(leak, now: noon)
                _ = try? reader.trend(of: leak, by: .hour, now: noon)
                _ = try? reader.trend(of: leak, by: .day, now: noon)
                _ = try? reader.samples(of: leak)
            }
            _ = try? reader.credentials(includingEnded: true, now: noon)
            _ = try? reader.changeCounter()
            try? reader.ping()
        }
        var random = SeededRandom(seed: 1)
        _ = try? store.count((0..<3).map { _ in randomSubmission(&random, now: noon) }, now: noon)
        for leak in leaks.prefix(2) {
            _ = try? store.decide(Decision(.resolve(.newestVersion), by: "b"), about: leak, now: noon)
        }
        _ = try? store.expire(now: noon + 2 * day)
        _ = try? store.expire(now: noon + 100 * day)
        try? store.checkpointIfNeeded(now: noon)
    }

    /// Creates a small database with rows in every table, and returns its contents.
    private static func fill(_ directory: TemporaryDirectory) throws -> CountingModel {
        var model = CountingModel()
        var random = SeededRandom(seed: 5)
        let store = try directory.store()
        for _ in 0..<12 {
            var call = (0..<4).map { _ in randomSubmission(&random, now: noon) }
            call[0].dropped = []
            let receipts = try store.count(call, now: noon)
            #expect(receipts == model.count(call, now: noon))
        }
        let actions: [Decision.Action] = [
            .resolve(.version("1.0")), .ignore(.nextReports(3)), .ignore(.until(milliseconds: noon + 1)),
            .reopen, .note,
        ]
        for (leak, action) in zip(model.leaks.keys.sorted(), actions) {
            _ = try store.decide(Decision(action, note: "n", by: "a"), about: leak, now: noon)
        }
        let more = (0..<4).map { _ in randomSubmission(&random, now: noon) }
        #expect(try store.count(more, now: noon) == model.count(more, now: noon))
        _ = try store.add(StorePlay.link([1]))
        model.add([1])
        #expect(try store.checkpoint())
        return model
    }

    /// Damage to names, times and other values of a single row cannot be detected. Damage to sums can.
    @Test func `flipped bits anywhere in the database file are reported, or change no total`() throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let model = try Self.fill(directory)
        let file = directory.read("leaks.sqlite")
        var (told, harmless) = (0, 0)
        for seed in 0..<(15 * PowerCutTests.seeds.upperBound) {
            var random = SeededRandom(seed: seed)
            var damaged = file
            var places: [Int] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<file.count, using: &random)
                places.append(place)
                damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let copy = TemporaryDirectory(isInMemory: true)
            copy.write(damaged, to: "leaks.sqlite")
            do {
                let store = try SQLiteStore(path: copy.database, exclusive: false, clock: .unguarded)
                if try store.verify() != [] {
                    told += 1
                } else {
                    harmless += 1
                    #expect(
                        try model.differences(from: store, now: noon, comparesOnlyCounts: true) == [],
                        "bits flipped at \(places)")
                }
                Self.exercise(store, leaks: Array(model.leaks.keys))
            } catch let error as StoreError {
                told += 1
                #expect(!error.description.contains("\n"))
            }
        }
        #expect(told > 0 && harmless > 0)
    }

    private static let values: [String] = [
        "null", "''", "x''", "x'00'", "x'ff'", "x'ffffffffffffffffffffffffffffffffffff'", "-1", "0", "1", "8",
        "9007199254740992", "9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "0.5", "'text'",
        "randomblob(40)", "randomblob(700)", "randomblob(5000)", "zeroblob(1024)", "zeroblob(100000)",
    ]

    /// Damage that SQLite cannot see: a column contains a value that was not written to it.
    @Test func `no value in any column causes a crash`() throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let model = try Self.fill(directory)
        let file = directory.read("leaks.sqlite")
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        let columns = try Self.texts(
            connection,
            """
            select m.name || '.' || p.name from sqlite_master m, pragma_table_info(m.name) p
            where m.type = 'table' and m.name not like 'sqlite%'
            """)
        #expect(columns.count > 80)
        let count = PowerCutTests.seeds.upperBound / 3
        for (number, column) in columns.enumerated() {
            let parts = column.split(separator: ".")
            // Tests a few values for each column, and all values in a long run.
            for offset in 0..<min(Int(count), Self.values.count) {
                let value = Self.values[(number * 7 + offset * 5) % Self.values.count]
                let copy = TemporaryDirectory(isInMemory: true)
                copy.write(file, to: "leaks.sqlite")
                let damaging = try SQLiteConnection(path: copy.database, access: .readWrite)
                try damaging.execute("pragma foreign_keys = off; pragma ignore_check_constraints = on")
                try? damaging.execute("update or ignore \(parts[0]) set \(parts[1]) = \(value)")
                guard let store = try? SQLiteStore(path: copy.database, exclusive: false, clock: .unguarded)
                else { continue }
                _ = try? store.verify()
                Self.exercise(store, leaks: Array(model.leaks.keys.prefix(2)))
            }
        }
    }

    private static func texts(_ connection: SQLiteConnection, _ sql: StaticString) throws -> [String] {
        let select = try connection.statement(sql)
        defer { select.reset() }
        var texts: [String] = []
        while try select.step() { texts.append(select.text(0)) }
        return texts
    }
}

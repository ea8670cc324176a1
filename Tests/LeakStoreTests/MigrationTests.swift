import Foundation
import Testing

@testable import LeakStore

@Suite struct MigrationTests {
    /// Returns a folder with a database of an earlier schema, as a released collector left it.
    private func database(schema: Int) throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        directory.write([], to: "leaks.sqlite")
        let file = try #require(
            Bundle.module.url(forResource: "Vectors/schema-\(schema)", withExtension: "sql"))
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute(try String(contentsOf: file, encoding: .utf8))
        try connection.execute(
            "pragma application_id = \(SQLiteConnection.applicationID); pragma user_version = \(schema)")
        return directory
    }

    @Test
    func `a database that another process is creating is not mistaken for a database of another program`()
        throws
    {
        for _ in 0..<100 {
            let directory = TemporaryDirectory(isInMemory: true)
            directory.write([], to: "leaks.sqlite")
            try SQLiteConnection(path: directory.database, access: .readWrite).execute(
                "pragma journal_mode = wal")
            _ = try runTogether(2) { number in
                let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
                if number == 0 { return try Migration.run(on: connection) }
                while try Migration.isNeeded(on: connection) {}
            }
        }
    }

    @Test(arguments: [1, 2])
    func `every released schema is upgraded, and new reports are counted`(schema: Int) throws {
        let directory = try database(schema: schema)
        let store = try directory.store()
        #expect(try store.verify() == [])
        let reader = try store.makeReader()
        var query = LeakQuery()
        (query.sort, query.state) = (.reports, .any)
        let page = try reader.leaks(query, now: noon)
        #expect(page.leaks.map(\.identity.title) == ["CheckoutViewController", "Größe"])
        #expect(page.leaks.map(\.reports) == [18, 0] && page.leaks.map(\.freed) == [0, 9])
        #expect(page.leaks.map(\.installs) == [3, 0])
        let overview = try reader.overview(app: "com.acme.shop", now: noon)
        #expect(overview.currentRelease?.version == "5.2.0" && overview.droppedTotal == 27)
        #expect(overview.overLimit == [])
        let found = try #require(
            try reader.leakClass("CheckoutViewController", app: "com.acme.shop", now: noon))
        #expect(found.total == 1 && found.reports == 18 && found.installs == 3)

        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        #expect(try connection.number("select cells from app") == 6)
        #expect(try connection.number("select sum(checks) from build_check where buckets = x''") == 360)
        #expect(try connection.number("select text_bytes from app") ?? 0 > 100)
        let elements = try connection.number("select count(*) from leak_element") ?? 0
        #expect(
            try connection.number("select max(length(grouped_stack)) from leak_text") == 0 || elements > 0)
        #expect(try connection.number("select sum(keys) from idempotency_use") == 9)
        // Counts that are still in the ten-minute slots are not in the daily counts.
        #expect(
            try connection.number("select sum(reports) from app_day") == (schema == 1 ? 18 : 14))
        #expect(try connection.number("select count(*) from leak where state <> 0") == 0)
        let more = submission([
            Report(leak: leak("Page", app: "com.acme.shop"), version: "5.2.0", build: "812")
        ])
        #expect(try store.count([more], now: noon) == [.counted])
        #expect(try store.verify() == [])
    }

    @Test func `a migration and a backup keep the counts that a killed earlier version left in its log`()
        throws
    {
        let directory = try database(schema: 13)
        #expect(try SQLiteStore.verify(path: directory.database).problems == [])
        let file = directory.path + "/backup"
        let backup = try SQLiteStore.backUp(path: directory.database, to: file, overwrites: false)
        #expect(backup.schema == 13 && backup.inconsistentTotals == [])
        let copy = TemporaryDirectory()
        copy.write(Array(try Data(contentsOf: URL(fileURLWithPath: file))), to: "leaks.sqlite")
        for folder in [directory, copy] {
            let store = try folder.store()
            #expect(try store.verify() == [])
            let now = Int64(1_795_874_764_116)
            let page = try store.makeReader().leaks(LeakQuery(), now: now)
            #expect(page.leaks.map(\.reports) == [80, 80, 80])
            #expect(page.leaks.map(\.installs) == [20, 20, 20])
            let connection = try SQLiteConnection(path: folder.database, access: .readWrite)
            #expect(try connection.number("select sum(checks) from build_check") == 480)
        }
    }

    @Test func `a migration adds up the newest 91 days of an app, and no earlier days`() throws {
        let directory = try database(schema: 2)
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        let today = Calendar.day(of: try #require(try connection.number("select last_seen from app")))
        for before in [90, 91, 500] {
            try connection.run(
                "insert into leak_day (leak, day, release, reports) values (1, ?, 1, ?)", today - before,
                before)
        }
        _ = try directory.store()
        #expect(try connection.number("select min(day) from app_day") == Int64(today - 90))
        #expect(try connection.number("select count(*) from app_day where reports = 90") == 1)
    }

    @Test func `after a migration, a version that only one device has used is not the current release`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let reports = [("1.0", 1), ("1.0", 2), ("9.0", 3)].map { version, install in
            Report(leak: leak("Page"), version: version, install: install)
        }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute(
            PastSchema.without14 + """
                update app set newest_release = (select max(id) from release);
                update leak set moving = 0, impact = 1, rank_impact = 1;
                alter table idempotency_use drop column text_bytes;
                alter table idempotency_use drop column detail_bytes;
                alter table leak drop column retained_bytes;
                drop table value_log; drop table key_log;
                pragma user_version = 3
                """)
        #expect(try SQLiteStore.verify(path: directory.database).problems == [])
        let migrated = try directory.store()
        #expect(try migrated.verify() == [])
        #expect(try migrated.makeReader().appSummaries().map(\.currentRelease) == ["1.0"])
    }

    @Test(arguments: [15, 16])
    func `a migration chooses the current release by the adoption in the last hours that are known`(
        schema: Int
    ) throws {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        for (version, reports, sessions) in [
            ("5.1", 0, 30), ("5.2", 50, 150), ("6.0", 50, 90), ("999.0-dev", 1, 1), ("unknown", 1, 0),
        ] {
            #expect(
                try store.count([usage(of: version, reports: reports, sessions: sessions)], now: noon)
                    == [.counted])
        }
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 102)
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute(
            PastSchema.without18 + """
                update app set newest_release = (select max(id) from release);
                update leak set impact = 1, rank_impact = 1;
                alter table app drop column pinned_by; alter table app drop column pinned_at;
                """)
        try connection.execute(
            schema == 16
                ? "alter table release_hour drop column bucket"
                : "alter table app drop column pinned_release; drop table release_hour")
        try connection.execute("pragma user_version = \(schema)")
        let migrated = try directory.store()
        #expect(try migrated.verify() == [])
        let releases = try migrated.makeReader().releases(app: "shop")
        #expect(releases.map(\.isCurrent) == [false, false, true, false, false])
        #expect(releases.map(\.adoption?.count) == [1, 90, 150, 30, 0])
    }

    @Test func `late reports do not contradict a decision that was stored with schema 18`() throws {
        let directory = TemporaryDirectory()
        let page = leak("Page")
        let store = try directory.store()
        _ = try store.count([submission([Report(leak: page, count: 5)])], now: noon)
        #expect(
            try store.decide(Decision(.resolve(.newestVersion), by: "a"), about: page.id, now: noon) != nil)
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            PastSchema.without19 + "pragma user_version = 18")
        #expect(try SQLiteStore.verify(path: directory.database).problems == [])
        let migrated = try directory.store()
        #expect(try migrated.verify() == [])
        for (age, state) in [(3 * day, LeakState.resolved), (-day, .regressed)] {
            let report = Report(leak: page, at: noon - age, count: 2)
            _ = try migrated.count([submission([report], at: noon + day)], now: noon + day)
            #expect(try migrated.makeReader().leak(page.id, now: noon + day)?.row.state == state)
        }
        #expect(try migrated.verify() == [])
    }

    @Test func `a decision that was stored with schema 19 holds for all builds of its version`() throws {
        let directory = TemporaryDirectory()
        try MigratedDecision.testDecisionAboutVersion(in: directory.store()) {
            try SQLiteConnection(path: directory.database, access: .readWrite).execute(
                PastSchema.without20OfSQLite + "pragma user_version = 19")
            #expect(try SQLiteStore.verify(path: directory.database).problems == [])
            return try directory.store()
        }
    }

    @Test
    func `after a decision that was stored with schema 20, the build in which the leak regressed is unknown`()
        throws
    {
        let directory = TemporaryDirectory()
        try MigratedDecision.testDecisionAboutBuild(in: directory.store()) {
            try SQLiteConnection(path: directory.database, access: .readWrite).execute(
                PastSchema.without21OfSQLite + "pragma user_version = 20")
            #expect(try SQLiteStore.verify(path: directory.database).problems == [])
            return try directory.store()
        }
    }

    @Test func `a migration finds the build in which each leak was first seen`() throws {
        let directory = TemporaryDirectory()
        try MigratedLeak.testFirstBuild(in: directory.store()) {
            try SQLiteConnection(path: directory.database, access: .readWrite).execute(
                PastSchema.without22OfSQLite + "pragma user_version = 21")
            #expect(try SQLiteStore.verify(path: directory.database).problems == [])
            return try directory.store()
        }
    }

    @Test func `a migration gives access tokens their roles`() throws {
        let directory = TemporaryDirectory()
        try MigratedRoles.test(in: directory.store()) {
            try SQLiteConnection(path: directory.database, access: .readWrite).execute(
                MigratedRoles.checkPurposeSQL + ";" + PastSchema.without23OfSQLite
                    + "pragma user_version = 22")
            #expect(try SQLiteStore.verify(path: directory.database).problems == [])
            return try directory.store()
        }
    }

    @Test func `a migration adds the log of counts, and new reports are counted`() throws {
        let directory = TemporaryDirectory()
        let report = Report(leak: leak("Page"), install: 1)
        _ = try directory.store().count([submission([report])], now: noon)
        try SQLiteConnection(path: directory.database, access: .readWrite)
            .execute(
                PastSchema.without14 + """
                    drop table count_log; alter table idempotency_use drop column detail_bytes;
                    pragma user_version = 11
                    """)
        #expect(try SQLiteStore.verify(path: directory.database).problems == [])
        let store = try directory.store()
        store.limitPendingLogs(toInstallSets: 100)
        _ = try store.count([submission([report])], now: noon)
        #expect(try store.verify() == [])
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.reports == 2)
        #expect(try store.verify() == [])
    }

    @Test
    func `a migration adds the count of bytes of samples and other details, and new reports are counted`()
        throws
    {
        let directory = TemporaryDirectory()
        let report = Report(leak: leak("Page"), body: #"{"m":"0123456789"}"#)
        _ = try directory.store().count([submission([report], key: "a")], now: noon)
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute(
            PastSchema.without14
                + "alter table idempotency_use drop column detail_bytes; pragma user_version = 12")
        #expect(try SQLiteStore.verify(path: directory.database).problems == [])
        let store = try directory.store()
        #expect(try connection.number("select sum(detail_bytes) from idempotency_use") == 0)
        _ = try store.count([submission([report], key: "b")], now: noon)
        // The second report replaces the newest sample, which is as long, and is also stored as a random sample.
        #expect(
            (82..<200).contains(try connection.number("select sum(detail_bytes) from idempotency_use") ?? 0))
        #expect(try store.verify() == [])
    }

    /// Schema 5 and earlier schemas stored each text three times.
    @Test(arguments: [4, 5])
    func `a migration stores once each text that earlier schemas stored three times`(schema: Int) throws {
        let directory = TemporaryDirectory()
        let long = (0..<100).map { "Frame\($0)" + String(repeating: "x", count: 280) }
        let leaks = [leak("Page", stack: ["Root"]), leak("Größe", stack: long)]
        do {
            let store = try directory.store()
            _ = try store.count([submission(leaks.map { Report(leak: $0) }, key: "k")], now: noon)
            let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
            for leak in leaks {
                let search = ([leak.title, leak.module ?? "", leak.stack.joined(separator: " › ")])
                    .joined(separator: "\n").lowercased()
                try connection.run(
                    "update leak_text set grouped_stack = ?, search = ? where title = ?",
                    PackedWriter.pack(leak.groupingKey.stack), search, leak.title)
            }
            try connection.execute(
                PastSchema.without14 + """
                    update app set text_bytes = 200000;
                    alter table idempotency_use drop column text_bytes;
                    alter table idempotency_use drop column detail_bytes;
                    alter table leak drop column retained_bytes; drop table value_log; drop table key_log;
                    pragma user_version = \(schema)
                    """)
            if schema < 5 { try connection.execute("drop table clock") }
        }
        let store = try directory.store()
        #expect(try store.verify() == [])
        let reader = try store.makeReader()
        for leak in leaks {
            let read = try #require(try reader.leak(leak.id, now: noon)).row.identity
            #expect(read.stack == leak.stack && read.groupingKey == leak.groupingKey)
        }
        for (text, found) in [("frame42x", "Größe"), ("root", "Page"), ("größe", "Größe")] {
            var query = LeakQuery()
            query.search = text
            #expect(try reader.leaks(query, now: noon).leaks.map(\.identity.title) == [found])
        }
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        #expect(
            (29_000..<32_000).contains(
                try connection.number(
                    "select sum(length(stack) + length(grouped_stack) + length(search)) from leak_text") ?? 0)
        )
        #expect((29_000..<32_000).contains(try connection.number("select text_bytes from app") ?? 0))
        #expect(try connection.number("select count(*) from clock") == 1)
        #expect(try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
        #expect(try reader.leak(leaks[1].id, now: noon)?.row.reports == 2)
        #expect(try store.verify() == [])
    }

    @Test func `a command does not upgrade a database that a server of an earlier version has open`() throws {
        let directory = try database(schema: 1)
        func schema(_ path: String) throws -> Int64? {
            try SQLiteConnection(path: path, access: .readOnly).number("pragma user_version")
        }
        do {
            let server = try LockFile(beside: directory.database)
            defer { withExtendedLifetime(server) {} }
            let failure = try #require(throws: StoreError.self) { try directory.store() }
            #expect(
                failure.reason == .locked && failure.description.contains("an earlier collector serves it"))

            // Read-only commands work with the old schema.
            #expect(try SQLiteStore.verify(path: directory.database).problems == [])
            let file = directory.path + "/backup"
            let backup = try SQLiteStore.backUp(path: directory.database, to: file, overwrites: false)
            #expect(backup.schema == 1 && backup.inconsistentTotals == [])
            #expect(try schema(directory.database) == 1)
            #expect(try schema(file) == 1)
        }
        #expect(try directory.store().verify() == [])
        #expect(try schema(directory.database) == Int64(Migration.newestVersion))
        #expect(try schema(directory.path + "/backup") == 1)
    }

    @Test func `undoing an ingest key keeps apps, versions and leaks that were stored without keys`()
        throws
    {
        let directory = TemporaryDirectory()
        try MigratedIngestKeys.test(in: directory.store()) {
            let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
            try connection.execute("begin; \(PastSchema.without25OfSQLite) pragma user_version = 24; commit")
            return try directory.store()
        }
    }

    @Test func `the first events of apps from before events were stored are not listed`() throws {
        let directory = TemporaryDirectory()
        try MigratedEvents.test(in: directory.store()) {
            let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
            try connection.execute(
                "drop table channel; drop table event; drop table event_mark; pragma user_version = 28")
            return try directory.store()
        }
    }

    @Test func `a database with a later schema is backed up without a check of its totals`() throws {
        let directory = TemporaryDirectory()
        _ = try directory.store()
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute("create table later (id integer); pragma user_version = 99")
        let file = directory.path + "/backup"
        let backup = try SQLiteStore.backUp(path: directory.database, to: file, overwrites: false)
        #expect(backup.schema == 99 && !backup.areTotalsChecked)
    }

    @Test
    func `a server writes nothing more after a later version of the collector has upgraded its database`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store(exclusive: true)
        #expect(try store.count([submission([Report(leak: leak("A"))])], now: noon) == [.counted])
        let later = Migration.newestVersion + 1
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "pragma user_version = \(later)")
        for _ in 0..<2 {
            for write in [
                { _ = try store.count([submission([Report(leak: leak("A"))])], now: noon) },
                { _ = try store.erase(install: 1) }, { try store.expire(now: noon) },
            ] {
                let failure = try #require(throws: StoreError.self) { try write() }
                #expect(failure.reason == .newerSchema(found: later, known: Migration.newestVersion))
            }
        }
    }
}

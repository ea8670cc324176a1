import CLeakSQLite
import Testing

@testable import LeakStore

@Suite struct ManyVersionsTests {
    private let directory = TemporaryDirectory(isInMemory: true)

    /// Returns the number of steps that SQLite takes to choose the current release.
    private func steps(ofVersions count: Int) throws -> Int32 {
        var database: OpaquePointer?
        let opened = unsafe sqlite3_open(":memory:", &database)
        try #require(opened == SQLITE_OK)
        defer { unsafe sqlite3_close(database) }
        let tables = """
            create table app (id integer primary key, pinned_release integer, newest_release integer);
            insert into app values (1, null, null);
            create table release (id integer primary key, app integer, version text, order_key blob);
            create table release_hour (app, hour, release, sessions, reports, bucket, primary key (app, hour, release))
              without rowid;
            with recursive n (i) as (select 1 union all select i + 1 from n where i < \(count))
              insert into release select i, 1, i, cast(x'02' || printf('%05d', i) as blob) from n;
            insert into release_hour select 1, 1, id, 10, 10, -1 from release;
            """
        let filled = unsafe sqlite3_exec(database, tables, nil, nil, nil)
        try #require(filled == SQLITE_OK)
        var statement: OpaquePointer?
        let sql = "select (\(CurrentRelease.rowIDSQL)) from app a"
        let prepared = unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        try #require(prepared == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        let stepped = unsafe sqlite3_step(statement)
        try #require(stepped == SQLITE_ROW)
        let chosen = unsafe sqlite3_column_int(statement, 0)
        #expect(chosen == Int32(count))
        return unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0)
    }

    @Test
    func `the number of steps to choose the current release grows in proportion to the number of versions`()
        throws
    {
        #expect(try steps(ofVersions: 800) < 6 * steps(ofVersions: 200))
    }

    /// Returns the number of steps that SQLite takes to read the evidence for a fix in a version with many builds, all of which
    /// have the leak.
    private func fixSteps(ofBuilds count: Int) throws -> Int32 {
        let directory = TemporaryDirectory(isInMemory: true)
        let store = try directory.store()
        let reports = (1...count).map { Report(leak: leak("Page"), build: "\($0)") }
        _ = try store.count([submission(Array(reports.prefix(count / 2)))], now: noon)
        let decision = Decision(.resolve(.version("1.0", build: "\(count / 2 + 1)")), by: "ada")
        _ = try store.decide(decision, about: leak("Page").id, now: noon)
        _ = try store.count([submission(reports)], now: noon)
        #expect(try store.makeReader().leak(leak("Page").id, now: noon)?.row.state == .regressed)
        var database: OpaquePointer?
        let opened = unsafe sqlite3_open(directory.database, &database)
        try #require(opened == SQLITE_OK)
        defer { unsafe sqlite3_close(database) }
        var steps: Int32 = 0
        for part in FixHistory.Part.allCases {
            var statement: OpaquePointer?
            let sql = SQLDialect.sqlite.sql(FixHistory.selectSQL(part, of: .current, from: "leak l"))
            let prepared = unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil)
            try #require(prepared == SQLITE_OK)
            defer { unsafe sqlite3_finalize(statement) }
            while unsafe sqlite3_step(statement) == SQLITE_ROW {}
            steps += unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0)
        }
        return steps
    }

    @Test
    func `the number of steps to read the evidence for a fix grows in proportion to the number of builds`()
        throws
    {
        #expect(try fixSteps(ofBuilds: 400) < 6 * fixSteps(ofBuilds: 100))
    }

    @Test func `a log of counts with many versions and builds of a leak gives the right counts`() throws {
        let store = try directory.store()
        store.limitPendingLogs(toInstallSets: 10_000)
        let page = leak("Page")
        let reports = ["a", "b", "a"].flatMap { build in
            (0..<40).map { Report(leak: page, version: "1.\($0)", build: build, install: UInt64($0)) }
        }
        for call in 1...3 {
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            #expect(try store.verify() == [], "call \(call), in the log")
        }
        // A new store has empty caches, so it reads the log.
        let other = try directory.store()
        #expect(try other.verify() == [])
        #expect(try other.makeReader().leak(page.id, now: noon)?.row.reports == 360)
        #expect(try other.verify() == [])
        let counts = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try counts.number("select min(reports) from leak_release") == 9)
        #expect(try counts.number("select max(reports) from leak_release") == 9)
        #expect(try counts.number("select max(installs) from leak_release") == 1)
        #expect(try counts.number("select sum(reports) from leak_hour") == 360)
    }

    @Test func `one transaction counts a leak in many versions and builds`() throws {
        let store = try directory.store()
        let page = leak("Page")
        // The reports of one version are not next to each other.
        let reports = ["a", "b", "a"].flatMap { build in
            (0..<40).map { Report(leak: page, version: "1.\($0)", build: build, install: UInt64($0)) }
        }
        for call in 1...2 {
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            #expect(try store.verify() == [])
            let counts = try SQLiteConnection(path: directory.database, access: .readOnly)
            #expect(try counts.number("select count(*) from leak_release") == 40)
            #expect(try counts.number("select min(reports) from leak_release") == Int64(3 * call))
            #expect(try counts.number("select max(reports) from leak_release") == Int64(3 * call))
            #expect(try counts.number("select max(installs) from leak_release") == 1)
        }
    }
}

import CSQLite
import Testing
import Threads

@testable import LeakStore

/// The file system that joins writes to the log: other connections see each commit whole, and no call more than needed is made.
@Suite struct BufferedLogTests {
    @Test(arguments: ["full", "normal", "off"], 1...6)
    func `readers see each commit and nothing else, however it is synced`(mode: String, seed: Int) throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let path = directory.path + "/log.sqlite"
        try DatabaseFile.create(at: path)
        var random = Seeded(state: UInt64(seed))
        var model: [Int64: Int64] = [:]
        var writer = try open(path, mode)
        try writer.execute("create table note (id integer primary key, size integer, bytes blob)")
        let reader = try Connection(path: path, access: .readOnly)
        for round in 0..<60 {
            var draft = model
            try writer.execute("begin immediate")
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let id = Int64.random(in: 0..<200, using: &random)
                if Int.random(in: 0..<5, using: &random) == 0 {
                    try writer.run("delete from note where id = ?", id)
                    draft[id] = nil
                } else {
                    let size = Int64.random(in: 0..<20_000, using: &random)
                    try writer.run(
                        "insert or replace into note (id, size, bytes) values (?, ?, randomblob(?))", id,
                        size, size)
                    draft[id] = size
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try writer.execute("rollback")
            } else {
                try writer.execute("commit")
                model = draft
            }
            #expect(try rows(of: reader) == model, "round \(round)")
            switch Int.random(in: 0..<12, using: &random) {
            case 0: _ = try writer.truncateLog()
            case 1: writer = try open(path, mode)
            default: break
            }
        }
        #expect(try text(of: "pragma integrity_check", on: reader) == "ok")
    }

    @Test func `a commit of a thousand pages takes a write for every thirty of them`() throws {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let path = disk.directory.path + "/log.sqlite"
        try DatabaseFile.create(at: path)
        let writer = try open(path, "full")
        try writer.execute("create table note (bytes blob)")
        let writes = Guarded(0)
        disk.follow { event in
            if event.operation == .write, event.file.hasSuffix("-wal") { writes.with { $0 += 1 } }
            return .none
        }
        try writer.execute("insert into note values (zeroblob(4096000))")
        #expect((30...60).contains(writes.with { $0 }))
    }

    @Test func `a write that fails takes the transaction back, and the next one is sound`() throws {
        for failing in 1...8 {
            let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
            let path = disk.directory.path + "/log.sqlite"
            try DatabaseFile.create(at: path)
            let writer = try open(path, "full")
            try writer.execute("create table note (id integer primary key, size integer, bytes blob)")
            let writes = Guarded(0)
            disk.follow { event in
                guard event.operation == .write, event.file.hasSuffix("-wal") else { return .none }
                let number = writes.with { writes -> Int in
                    writes += 1
                    return writes
                }
                return number == failing ? .failHalfway(SQLITE_FULL) : .none
            }
            let insert = "insert into note values (1, 900000, randomblob(900000))"
            #expect(throws: StoreError.self, "write \(failing)") { try writer.execute(insert) }
            let reader = try Connection(path: path, access: .readOnly)
            #expect(try rows(of: reader) == [:])
            try writer.execute(insert)
            #expect(try rows(of: reader) == [1: 900_000])
            #expect(try text(of: "pragma integrity_check", on: reader) == "ok")
        }
    }

    /// A small cache, so that pages of a transaction go to the log before its end and are written there again.
    private func open(_ path: String, _ mode: String) throws -> Connection {
        let writer = try Connection(path: path, access: .readWrite)
        #expect(try text(of: "pragma journal_mode = wal", on: writer) == "wal")
        try writer.execute(
            "pragma synchronous = \(mode); pragma cache_size = 10; pragma wal_autocheckpoint = 300")
        return writer
    }

    private func rows(of reader: Connection) throws -> [Int64: Int64] {
        var rows: [Int64: Int64] = [:]
        let select = try reader.statement("select id, size, length(bytes) from note")
        defer { select.reset() }
        while try select.step() {
            #expect(select.int64(1) == select.int64(2))
            rows[select.int64(0)] = select.int64(1)
        }
        return rows
    }

    private func text(of sql: StaticString, on connection: Connection) throws -> String {
        let select = try connection.statement(sql)
        defer { select.reset() }
        return try select.step() ? select.text(0) : ""
    }
}

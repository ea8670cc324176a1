import Foundation
import Testing

@testable import LeakStore

@Suite struct MigrationTests {
    /// A database as a released collector left it.
    private func database(schema: Int) throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        directory.write([], to: "leaks.sqlite")
        let file = try #require(
            Bundle.module.url(forResource: "Vectors/schema-\(schema)", withExtension: "sql"))
        let connection = try Connection(path: directory.database, access: .readWrite)
        try connection.execute(try String(contentsOf: file, encoding: .utf8))
        try connection.execute(
            "pragma application_id = \(Migration.applicationID); pragma user_version = \(schema)")
        return directory
    }

    @Test(arguments: [1])
    func `every released schema is brought up to date, and counts go on`(schema: Int) throws {
        let directory = try database(schema: schema)
        let store = try directory.store()
        #expect(try store.verify() == [])
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.sort = .reports
        let page = try reader.leaks(query, now: noon)
        #expect(page.leaks.map(\.identity.title) == ["CheckoutViewController", "Größe"])
        #expect(page.leaks.map(\.reports) == [18, 0] && page.leaks.map(\.freed) == [0, 9])
        #expect(page.leaks.map(\.installs) == [3, 0])
        let overview = try reader.overview(app: "com.acme.shop", now: noon)
        #expect(overview.newest?.version == "5.2.0" && overview.droppedTotal == 27)
        #expect(overview.beyond == [])
        let found = try #require(
            try reader.leakClass("CheckoutViewController", app: "com.acme.shop", now: noon))
        #expect(found.total == 1 && found.reports == 18 && found.installs == 3)

        let connection = try Connection(path: directory.database, access: .readWrite)
        #expect(try connection.number("select cells from app") == 6)
        #expect(try connection.number("select text_bytes from app") ?? 0 > 100)
        #expect(try connection.number("select sum(keys) from idempotency_use") == 9)
        let more = submission([
            Report(leak: leak("Page", app: "com.acme.shop"), version: "5.2.0", build: "812")
        ])
        #expect(try store.count([more], now: noon) == [.counted])
        #expect(try store.verify() == [])
    }
}

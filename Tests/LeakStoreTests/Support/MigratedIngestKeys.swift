import Testing

@testable import LeakStore

/// Apps, versions and leaks that were stored without the ingest keys that made them.
enum MigratedIngestKeys {
    /// - Parameter migrate: brings the database to the last schema without these keys, and opens it again.
    static func test(in store: any Store, migrate: () throws -> any Store) throws {
        _ = try store.count([submission([Report(leak: leak("Old"))], keyID: 2)], now: noon)
        let migrated = try migrate()
        #expect(try migrated.makeReader().forgetCounts(of: .key(2, since: nil)) == nil)
        let reports = [Report(leak: leak("Old")), Report(leak: leak("New"), version: "2.0")]
        _ = try migrated.count([submission(reports, keyID: 2)], now: noon + hour)
        let counts = try migrated.forget(.key(2, since: nil))
        #expect(counts.environments == 0 && counts.versions == 1 && counts.leaks == 1 && counts.reports == 1)
        let reader = try migrated.makeReader()
        #expect(try reader.leak(leak("Old").id, now: noon)?.row.reports == 2)
        #expect(try reader.leak(leak("New").id, now: noon) == nil)
        #expect(try migrated.verify() == [])
    }
}

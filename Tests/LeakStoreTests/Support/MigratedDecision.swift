import LeakStore
import Testing

/// Decisions that were stored with an earlier schema: the same expectations for both stores.
enum MigratedDecision {
    /// Expects that a decision about a build, which does not know which builds were in use, and a later decision work.
    ///
    /// - Parameter migrate: brings the database back to the schema in which a decision does not know the newest build, and
    ///   opens it again.
    static func testBuild(in store: any Store, migrate: () throws -> any Store) throws {
        let page = leak("Page")
        func count(_ build: String, in store: any Store) throws {
            _ = try store.count([submission([Report(leak: page, build: build)])], now: noon)
        }
        func resolve(_ build: String, in store: any Store) throws {
            let decision = Decision(.resolve(.version("1.0", build: build)), by: "a")
            #expect(try store.decide(decision, about: page.id, now: noon) != nil)
        }
        try count("892", in: store)
        try count("895", in: store)
        try resolve("895", in: store)
        let migrated = try migrate()
        #expect(try migrated.verify() == [])
        func status() throws -> DecisionStatus? {
            try migrated.makeReader().leak(page.id, now: noon)?.row.decisionStatus
        }
        #expect(try status()?.regressedIn == nil)
        try count("896", in: migrated)
        // The decision does not know that build 896 is new, so the new report may be of either build.
        #expect(try status()?.regressedIn == "1.0" && status()?.regressedInBuild == nil)
        try resolve("896", in: migrated)
        try count("897", in: migrated)
        #expect(try status()?.regressedIn == "1.0" && status()?.regressedInBuild == "897")
        #expect(try migrated.verify() == [])
    }
}

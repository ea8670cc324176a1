import LeakStore
import Testing

/// Decisions that were stored with an earlier schema: the same expectations for both stores.
enum MigratedDecision {
    /// Expects that a decision about a version, stored without a column for a build, holds for all builds of the version, and
    /// that a later decision about a build works.
    ///
    /// - Parameter migrate: brings the database back to the schema in which decisions have no build, and opens it again.
    static func testDecisionAboutVersion(in store: any Store, migrate: () throws -> any Store) throws {
        let page = leak("Page")
        let report = Report(leak: page, build: "892")
        _ = try store.count([submission([report])], now: noon)
        #expect(
            try store.decide(Decision(.resolve(.version("1.0")), by: "a"), about: page.id, now: noon) != nil)
        let migrated = try migrate()
        #expect(try migrated.verify() == [])
        func row() throws -> LeakRow { try #require(try migrated.makeReader().leak(page.id, now: noon)).row }
        #expect(try row().state == .resolved)
        _ = try migrated.count([submission([report])], now: noon)
        #expect(try row().decisionStatus?.decision.action == .resolved(version: "1.0", isAfter: false))
        #expect(try row().state == .regressed)
        let decision = Decision(.resolve(.version("1.0", build: "895")), by: "a")
        #expect(try migrated.decide(decision, about: page.id, now: noon) != nil)
        #expect(try row().state == .resolved)
        #expect(try migrated.verify() == [])
    }

    /// Expects that a decision about a build works if it was stored without the newest build of its time, and a later decision
    /// too.
    ///
    /// - Parameter migrate: brings the database back to the schema in which decisions are stored without the newest build, and
    ///   opens it again.
    static func testDecisionAboutBuild(in store: any Store, migrate: () throws -> any Store) throws {
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
        // It is not stored that build 896 is newer than the decision, so the new report may be of either build.
        #expect(try status()?.regressedIn == "1.0" && status()?.regressedInBuild == nil)
        try resolve("896", in: migrated)
        try count("897", in: migrated)
        #expect(try status()?.regressedIn == "1.0" && status()?.regressedInBuild == "897")
        #expect(try migrated.verify() == [])
    }
}

/// Leaks that were stored with an earlier schema: the same expectations for both stores.
enum MigratedLeak {
    /// Expects that a migration finds the build in which each leak was first seen, as counting does.
    ///
    /// - Parameter migrate: brings the database back to the schema before it stored that build, and opens it again.
    static func testFirstBuild(in store: any Store, migrate: () throws -> any Store) throws {
        for (name, version, build) in [
            ("Old", "5.3.0", "800"), ("Old", "5.4.0", "896"), ("First", "5.4.0", "892"),
            ("New", "5.4.0", "1000"), ("New", "5.4.0", "895"), ("Local", "5.5.0", "local"),
        ] {
            let report = Report(leak: leak(name), version: version, build: build)
            _ = try store.count([submission([report])], now: noon)
        }
        let builds = ["Old": nil, "First": nil, "New": "895", "Local": nil]
        func newInBuild(_ store: any Store) throws -> [String: String?] {
            let reader = try store.makeReader()
            return try builds.reduce(into: [:]) { found, entry in
                let row = try #require(try reader.leak(leak(entry.key).id, now: noon)).row
                found.updateValue(row.newInBuild, forKey: entry.key)
            }
        }
        #expect(try newInBuild(store) == builds)
        let migrated = try migrate()
        #expect(try migrated.verify() == [])
        #expect(try newInBuild(migrated) == builds)
    }
}

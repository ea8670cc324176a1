import Testing

@testable import LeakStore

/// The test of a migration that adds the table of events.
enum MigratedEvents {
    /// - Parameter migrate: brings the database back to the schema before events, and migrates it again.
    static func test(in store: any Store, migrate: () throws -> any Store) throws {
        _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
        let migrated = try migrate()
        let new = submission([Report(leak: leak("Page", app: "new"))])
        _ = try migrated.count([new], now: noon)
        let marks = try migrated.makeReader().eventMarks(after: 0, limit: 10)
        #expect(marks.map(\.app.name) == ["shop", "new"])
        #expect(marks.map(\.recordedState) == ["", nil])
        for mark in marks {
            let event = Event(
                at: noon, kind: .newLeak, app: mark.app, version: "1.0", key: "k", title: "t", text: "t")
            #expect(try migrated.record([event], mark: mark) == 1)
        }
        let listed = try migrated.makeReader().events(EventQuery(.after(0), limit: 10))
        #expect(listed.map { $0.app?.name } == ["new"])
        #expect(try migrated.verify() == [])
    }
}

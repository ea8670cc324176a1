import LeakStatistics
import Testing

@testable import LeakStore

/// Events in SQLite or in PostgreSQL: each is stored once, and readers with a cursor get each once.
@Suite struct StoreEventTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private static let shop = AppKey("shop")

    private func event(
        _ kind: Event.Kind = .newLeak, _ name: String = "Page", version: String? = "1.0",
        app: AppKey? = StoreEventTests.shop, key: String? = nil, at time: Int64 = noon
    ) -> Event {
        let id = leak(name, app: app?.name ?? "", environment: app?.environment ?? "production").id
        return Event(
            at: time, kind: kind, app: app, version: version, leak: app == nil ? nil : id,
            key: key ?? id.description, title: name, text: "\(name) happened", details: #"{"reports":1}"#)
    }

    private func events(
        _ range: EventQuery.Range = .after(0), _ filter: EventFilter = EventFilter(), limit: Int = 1_000
    ) throws -> [Event] {
        try store.makeReader().events(EventQuery(range, filter: filter, limit: limit))
    }

    private func count(_ names: [String], version: String = "1.0", environment: String = "production") throws
    {
        let reports = names.map { Report(leak: leak($0, environment: environment), version: version) }
        _ = try store.count([submission(reports)], now: noon)
    }

    private func mark(_ app: AppKey = StoreEventTests.shop) throws -> EventMark {
        try #require(
            try store.makeReader().eventMarks(after: 0, limit: 100).first { $0.app == app })
    }

    @Test func `an event is stored once, by whichever collector and however often it is recorded`() throws {
        #expect(try store.record([event(), event(.worse), event()], mark: nil) == 2)
        let other = try place.store()
        #expect(try other.record([event(at: noon + 1), event(.worse)], mark: nil) == 0)
        #expect(try other.record([event(version: "1.1"), event(.newLeak, "Other")], mark: nil) == 2)
        let debug = AppKey("shop", environment: "debug")
        #expect(try other.record([event(app: debug)], mark: nil) == 1)
        let found = try events()
        #expect(found.map(\.kind) == [.newLeak, .worse, .newLeak, .newLeak, .newLeak])
        #expect(found[0].at == noon && found[0].text == "Page happened" && found[0].title == "Page")
        #expect(found[0].details == #"{"reports":1}"# && found[0].leak == leak("Page").id)
        #expect(found[0].version == "1.0" && found[0].build == nil && !found[0].hasLeak)
        #expect(found[4].app == debug)
        try count(["Page"])
        #expect(try events().map(\.hasLeak) == [true, true, true, false, false])
        #expect(try store.verify() == [])
    }

    @Test func `a cursor reads each event once, in both directions and with filters`() throws {
        for number in 0..<7 {
            _ = try store.record(
                [event(number % 2 == 0 ? .newLeak : .worse, "L\(number)", version: "\(number)")], mark: nil)
        }
        _ = try store.record([event(.diskLow, "Disk", version: nil, app: nil)], mark: nil)
        var read: [String] = []
        var cursor: Int64 = 0
        while let last = try events(.after(cursor), limit: 3).last {
            read += try events(.after(cursor), limit: 3).map(\.title)
            cursor = last.id
        }
        #expect(read == (0..<7).map { "L\($0)" } + ["Disk"])
        #expect(try events(.after(cursor)).isEmpty)
        #expect(try events(.before(.max), limit: 2).map(\.title) == ["Disk", "L6"])
        let sixth = try events(.before(.max), limit: 2)[1].id
        #expect(try events(.before(sixth), limit: 2).map(\.title) == ["L5", "L4"])
        #expect(try events(.after(0), EventFilter(kind: .worse)).map(\.title) == ["L1", "L3", "L5"])
        #expect(try events(.after(0), EventFilter(app: "shop")).count == 7)
        #expect(try events(.after(0), EventFilter(app: "shop", environment: "debug")).isEmpty)
        #expect(try events(.after(0), EventFilter(app: "other")).isEmpty)
    }

    @Test func `the mark changes with reports, sessions and checks, and is stored with the events`() throws {
        try count(["Page"])
        var mark = try mark()
        #expect(mark.recordedState == nil && mark.currentRelease == "1.0")
        #expect(try store.record([event()], mark: mark) == 1)
        let state = mark.state
        mark = try self.mark()
        #expect(mark.state == state && mark.recordedState == state)
        for batch in [usage(of: "1.0", reports: 0, sessions: 3), usage(of: "1.0", reports: 2, sessions: 0)] {
            let former = try self.mark().state
            _ = try store.count([batch], now: noon)
            #expect(try self.mark().state != former)
        }
        #expect(try self.mark().recordedState == state)
        mark.app.name = "gone"
        #expect(try store.record([event(.worse)], mark: mark) == 0)
        #expect(try events().count == 1)
    }

    @Test func `the first events of an app that is older than the table of events are not listed`() throws {
        try count(["Page", "Other"])
        try place.execute("insert into event_mark (app, state) select id, '' from app")
        #expect(try mark().recordedState == "")
        #expect(try store.record([event()], mark: mark()) == 1)
        #expect(try events().isEmpty)
        // Another collector that has read the mark before finds the same events.
        #expect(try store.record([event()], mark: mark()) == 0)
        #expect(try store.record([event(), event(.newLeak, "Other")], mark: mark()) == 1)
        #expect(try events().map(\.title) == ["Other"])
    }

    @Test func `a merged leak has no second event of the same kind and version`() throws {
        try count(["Page", "Other", "Third"])
        _ = try store.record([event(.newLeak, "Page")], mark: nil)
        _ = try store.mergeByHand(
            leak("Page").id, into: leak("Other").id, by: "ada", audit: nil, now: noon)
        #expect(try events().map(\.hasLeak) == [true])
        #expect(try store.record([event(.newLeak, "Other")], mark: nil) == 0)
        #expect(try store.record([event(.newLeak, "Other", version: "1.1")], mark: nil) == 1)
        #expect(try store.record([event(.newLeak, "Third")], mark: nil) == 1)
    }

    @Test
    func
        `deleting a leak, a version, an environment or an app deletes its events, and ids are not used again`()
        throws
    {
        try count(["Page", "Other"])
        try count(["Other", "Third"], version: "2.0")
        try count(["Page"], environment: "debug")
        let debug = AppKey("shop", environment: "debug")
        _ = try store.record(
            [
                event(.newLeak, "Page"), event(.newLeak, "Other"), event(.worse, "Third", version: "2.0"),
                event(app: debug), event(.diskLow, "Disk", version: nil, app: nil),
            ], mark: nil)
        #expect(try store.record([], mark: mark()) == 0)
        #expect(try place.rowCount(of: "event_mark") == 1)
        let last = try #require(try events().last).id
        _ = try store.forget(.leak(leak("Page").id))
        #expect(try events().map(\.title) == ["Other", "Third", "Page", "Disk"])
        _ = try store.forget(.version("2.0", of: Self.shop))
        #expect(try events().map(\.title) == ["Other", "Page", "Disk"])
        _ = try store.forget(.environment(debug))
        #expect(try events().map(\.title) == ["Other", "Disk"])
        _ = try store.forget(.app("shop"))
        #expect(try events().map(\.title) == ["Disk"])
        #expect(try place.rowCount(of: "event_mark") == 0)
        try place.execute("delete from event")
        try count(["Page"])
        #expect(try store.record([event()], mark: mark()) == 1)
        #expect(try #require(try events().first).id > last)
        #expect(try store.verify() == [])
    }

    @Test func `undoing a key deletes the events of what it made`() throws {
        let batch = submission([Report(leak: leak("Page"))], keyID: 7)
        _ = try store.count([batch], now: noon)
        _ = try store.record([event(), event(.diskLow, "Disk", version: nil, app: nil)], mark: nil)
        _ = try store.forget(.key(7, since: nil))
        #expect(try events().map(\.title) == ["Disk"])
    }

    @Test
    func `events expire after 400 days, except those that the next evaluation would add again`() throws {
        try count(["Page", "Other", "Merged"])
        try count(["Page"], version: "0.9")
        #expect(try store.pin("1.0", of: Self.shop))
        _ = try store.mergeByHand(
            leak("Merged").id, into: leak("Other").id, by: "ada", audit: nil, now: noon)
        let old = noon - Int64(Event.maxDays + 1) * day
        _ = try store.record(
            [
                event(.newLeak, "Page", version: "0.9", at: old),
                event(.newLeak, "Page", version: "1.0", at: old),
                event(.fixed, "Other", version: "0.9", at: old),
                event(.fixed, "Merged", version: "0.8", at: old),
                event(.fixed, "Gone", version: "0.9", at: old),
                event(.diskLow, "Disk", version: nil, app: nil, at: old),
                event(.worse, "Page", version: "0.9", at: noon - day),
            ], mark: nil)
        try store.expire(now: noon)
        #expect(try events().map(\.title) == ["Page", "Other", "Merged", "Page"])
        #expect(try events().map(\.kind) == [.newLeak, .fixed, .fixed, .worse])
    }

    @Test
    func `the oldest events of an app beyond the limit are deleted, except those of the current release`()
        throws
    {
        try count(["Page"], version: "2.0")
        #expect(try store.pin("2.0", of: Self.shop))
        _ = try store.record([event(version: "2.0")], mark: nil)
        let batch = 2_000
        for start in stride(from: 0, through: Event.maxPerApp, by: batch) {
            let part = (start..<start + batch).map { event(.worse, "L\($0)") }
            _ = try store.record(part, mark: nil)
        }
        _ = try store.record([event(app: AppKey("other"))], mark: nil)
        let count = try place.rowCount(of: "event")
        #expect(count == Event.maxPerApp + 2)
        #expect(try events(limit: 2).map(\.title) == ["Page", "L\(batch)"])
    }

    @Test func `texts of events that are too long or contain U+0000 are stored shortened`() throws {
        var long = event()
        long.text = "\u{0}" + String(repeating: "é", count: 1_000)
        _ = try store.record([long], mark: nil)
        let text = try #require(try events().first).text
        #expect(text.hasPrefix("\u{2400}é") && text.hasSuffix("é…") && text.utf8.count <= 600)
    }

    // MARK: Resolved leaks

    private func countChecks(_ version: String, reports: Int, of checks: Int, at: Int64 = noon) throws {
        let installs = 20
        let batches = (0..<installs).map { install in
            var batch = submission(
                reports == 0
                    ? []
                    : [
                        Report(
                            leak: leak("Page"), version: version, install: UInt64(install), at: at,
                            count: reports / installs)
                    ])
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, installHash: UInt64(install), sessions: 1,
                    leakySessions: 0, checks: ["Page": checks / installs])
            ]
            return batch
        }
        _ = try store.count(batches, now: at)
    }

    private func resolvedLeaks() throws -> [ResolvedLeak] {
        try store.makeReader().resolvedLeaks(withoutEventOf: Self.shop, after: 0, limit: 10)
    }

    @Test
    func
        `a resolved leak is read until its fix has an event, and again after it regressed or a new decision`()
        throws
    {
        try countChecks("1.0", reports: 200, of: 1_000)
        #expect(try resolvedLeaks().isEmpty)
        func resolve(_ version: String, at time: Int64) throws {
            _ = try #require(
                try store.decide(
                    Decision(.resolve(.version(version)), by: "ada"), about: leak("Page").id, now: time))
        }
        try resolve("2.0", at: noon + hour)
        #expect(try resolvedLeaks().map(\.fix.progress.stage) == [.proving])
        try countChecks("2.0", reports: 0, of: 4_000, at: noon + 2 * hour)
        let fixed = try #require(try resolvedLeaks().first)
        #expect(fixed.fix.progress.stage == .fixed && fixed.id == leak("Page").id && fixed.title == "Page")
        _ = try store.record([event(.fixed, version: "2.0", at: noon + 3 * hour)], mark: nil)
        #expect(try resolvedLeaks().isEmpty)
        try countChecks("2.1", reports: 200, of: 1_000, at: noon + 4 * hour)
        #expect(try resolvedLeaks().map(\.decisionStatus.regressedIn) == ["2.1"])
        _ = try store.record([event(.regressed, version: "2.1", at: noon + 5 * hour)], mark: nil)
        #expect(try resolvedLeaks().isEmpty)
        try resolve("3.0", at: noon + 6 * hour)
        #expect(try resolvedLeaks().map(\.decisionStatus.regressedIn) == [nil])
        #expect(
            try store.makeReader().resolvedLeaks(
                withoutEventOf: Self.shop, after: fixed.leakRowID, limit: 10
            ).isEmpty)
        // The event of a merged leak counts for its target.
        try count(["Other"])
        _ = try store.record([event(.fixed, version: "3.0", at: noon + 7 * hour)], mark: nil)
        #expect(try resolvedLeaks().isEmpty)
        _ = try store.mergeByHand(
            leak("Page").id, into: leak("Other").id, by: "ada", audit: nil, now: noon + 8 * hour)
        #expect(try resolvedLeaks().isEmpty)
    }
}

import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakPlatform
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@testable import LeakCollector
@testable import LeakStore

/// Events over real sockets: as JSON for programs that poll, as a page, and as a feed.
@Suite struct EventsServedTests {
    private static let bearer = HTTPField("Authorization", "Bearer \(RunningCollector.token)")

    private static func event(
        _ number: Int, _ kind: Event.Kind = .newLeak, app: String? = "shop",
        environment: String = "production", leak: LeakID? = nil, text: String? = nil
    ) -> Event {
        Event(
            at: 1_795_176_000_000 + Int64(number) * 1_000, kind: kind,
            app: app.map { AppKey($0, environment: environment) }, version: app == nil ? nil : "1.0",
            leak: leak, key: "\(number)", title: "Class\(number)", text: text ?? "Class\(number) leaks",
            details: #"{"reports":\#(number)}"#)
    }

    private func page(_ running: RunningCollector, _ query: String) throws -> (ids: [String], next: String) {
        let json = try running.json("/api/v1/events?\(query)")
        let events = try #require(json["events"] as? [[String: Any]])
        return (events.compactMap { $0["title"] as? String }, try #require(json["next"] as? String))
    }

    @Test func `a program that polls gets each event once, and the same cursor if nothing is new`() throws {
        let running = try RunningCollector()
        #expect(try page(running, "") == ([], "0"))
        _ = try running.store.record((1...5).map { Self.event($0) }, mark: nil)
        let first = try page(running, "limit=3")
        #expect(first.ids == ["Class1", "Class2", "Class3"])
        let second = try page(running, "limit=3&since=\(first.next)")
        #expect(second.ids == ["Class4", "Class5"])
        #expect(try page(running, "limit=3&since=\(second.next)") == ([], second.next))
        let answer = try running.get("/api/v1/events?since=\(second.next)")
        let etag = try #require(answer.field("ETag"))
        #expect(
            try running.get(
                "/api/v1/events?since=\(second.next)",
                fields: [Self.bearer, HTTPField("If-None-Match", etag)]
            ).status == 304)
        _ = try running.store.record(
            [Self.event(6, .worse), Self.event(7, environment: "debug"), Self.event(8, .diskLow, app: nil)],
            mark: nil)
        #expect(try page(running, "since=\(second.next)").ids == ["Class6", "Class7", "Class8"])
        #expect(try page(running, "since=\(second.next)&kind=worse").ids == ["Class6"])
        #expect(try page(running, "since=\(second.next)&environment=debug&app=shop").ids == ["Class7"])
        for wrong in ["kind=x", "since=x", "since=-1", "limit=0", "limit=1001", "before=3"] {
            #expect(try running.get("/api/v1/events?\(wrong)").status == 400, "\(wrong)")
        }
    }

    @Test func `the cursor of a program goes back with the database when a backup is restored`() throws {
        let running = try RunningCollector()
        #expect(try page(running, "since=40") == ([], "0"))
        _ = try running.store.record([Self.event(1), Self.event(2)], mark: nil)
        #expect(try page(running, "since=40") == ([], "2"))
        #expect(try page(running, "since=40&kind=worse") == ([], "2"))
        _ = try running.store.record([Self.event(3)], mark: nil)
        #expect(try page(running, "since=2").ids == ["Class3"])
    }

    @Test func `an event leads to its leak, also after the leak was merged, else to the releases of its app`()
        throws
    {
        let running = try RunningCollector()
        let batch = #"{"app":{"id":"shop","version":"1.0"},"reports":[{"class":"A"},{"class":"B"}]}"#
        #expect(try running.post(batch).status == 200)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        let ids = leaks.compactMap { ($0["id"] as? String).flatMap { LeakID($0) } }
        let gone = try #require(LeakID(String(repeating: "1", count: 32)))
        _ = try running.store.record(
            [
                Self.event(1, leak: ids[0]), Self.event(2, leak: gone),
                Self.event(3, .diskLow, app: nil),
            ], mark: nil)
        func links() throws -> [String] {
            let events = try #require(try running.json("/api/v1/events")["events"] as? [[String: Any]])
            return events.compactMap { $0["url"] as? String }
        }
        let expected = ["/leaks/\(ids[0])", "/releases?app=shop", "/events?kind=disk_low"].map {
            "http://localhost:\(running.port)\($0)"
        }
        #expect(try links() == expected)
        _ = try running.store.mergeByHand(ids[0], into: ids[1], by: "ada", audit: nil, now: 0)
        #expect(try links() == expected)
        let moved = try running.get("/leaks/\(ids[0])")
        #expect(moved.status == 303 && moved.field("Location") == "/leaks/\(ids[1])")
        let page = try running.get("/events").text
        #expect(page.contains(#"href="/leaks/\#(ids[0])""#) && page.contains(#"href="/releases?app=shop""#))
        let events = try #require(try running.json("/api/v1/events")["events"] as? [[String: Any]])
        #expect(events[0]["leak"] as? String == ids[0].description)
        #expect((events[1]["details"] as? [String: Any])?["reports"] as? Int == 2)
        #expect(events[2]["app"] is NSNull && events[2]["version"] is NSNull)
    }

    @Test func `the page shows the newest events first, page by page, and keeps its filter`() throws {
        let running = try RunningCollector()
        #expect(try running.get("/events").text.contains("There is no event yet"))
        _ = try running.store.record((1...150).map { Self.event($0) } + [Self.event(151, .worse)], mark: nil)
        let first = try running.get("/events").text
        #expect(first.contains(">Class151 leaks<") && first.contains(">Class52 leaks<"))
        #expect(!first.contains(">Class51 leaks<"))
        let next = try #require(first.firstMatch(of: /rel="next" href="([^"]+)"/)).output.1
        let second = try running.get(String(next)).text
        #expect(second.contains(">Class51 leaks<") && !second.contains(">Class52 leaks<"))
        #expect(second.contains("First page"))
        let filtered = try running.get("/events?kind=new_leak&app=shop").text
        #expect(!filtered.contains(">Class151 leaks<") && filtered.contains(">Class150 leaks<"))
        #expect(filtered.contains("/events?app=shop&amp;kind=new_leak&amp;before="))
        #expect(try running.get("/events?kind=fixed").text.contains("no event that matches the filter"))
        #expect(try running.get("/").text.contains(#"href="/events""#))
    }

    @Test func `a token that is limited to an app reads only the events of this app`() throws {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"t","role":"viewer","app":"shop"}"#, to: "/api/v1/tokens", fields: [Self.bearer]
        ).json
        let field = HTTPField("Authorization", "Bearer \(try #require(made["secret"] as? String))")
        _ = try running.store.record(
            [Self.event(1), Self.event(2, app: "bank"), Self.event(3, .diskLow, app: nil)], mark: nil)
        for path in ["/api/v1/events", "/api/v1/events?app=shop", "/events", "/api/v1/events.atom"] {
            let text = try running.get(path, fields: [field]).text
            #expect(text.contains("Class1 leaks"), "\(path)")
            #expect(!text.contains("Class2") && !text.contains("bank") && !text.contains("Class3"), "\(path)")
        }
        #expect(try running.get("/api/v1/events?app=bank", fields: [field]).status == 403)
    }

    // MARK: Feed

    /// The texts of a feed's elements, by their paths.
    private final class FeedReader: NSObject, XMLParserDelegate {
        var texts: [String: [String]] = [:]
        var links: [String] = []
        private var path: [String] = []

        func parser(
            _: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            path.append(name)
            texts[path.joined(separator: "/"), default: []].append("")
            if name == "link", let link = attributes["href"] { links.append(link) }
        }

        func parser(_: XMLParser, foundCharacters text: String) {
            let key = path.joined(separator: "/")
            guard let count = texts[key]?.count else { return }
            texts[key]?[count - 1] += text
        }

        func parser(
            _: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?
        ) { path.removeLast() }
    }

    private func read(_ bytes: [UInt8]) throws -> FeedReader {
        let parser = XMLParser(data: Data(bytes))
        let reader = FeedReader()
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return reader
    }

    @Test func `the feed is valid Atom with the newest events first, also with hostile texts`() throws {
        let running = try RunningCollector()
        let empty = try running.get("/api/v1/events.atom")
        #expect(empty.status == 200 && empty.field("Content-Type") == "application/atom+xml; charset=utf-8")
        #expect(try read(empty.body).texts["feed/updated"] == ["1970-01-01T00:00:00Z"])
        let hostile = "<b>&amp; \"'\u{1}\u{FFFF}\u{FFFE}]]> é 😀"
        _ = try running.store.record(
            [Self.event(1), Self.event(2, environment: "debug", text: hostile)]
                + (3...120).map { Self.event($0) }, mark: nil)
        let answer = try running.get("/api/v1/events.atom")
        let feed = try read(answer.body)
        let base = "http://localhost:\(running.port)"
        for name in ["id", "title", "updated", "author/name"] {
            #expect(feed.texts["feed/\(name)"]?.count == 1, "\(name)")
        }
        #expect(feed.texts["feed/id"] == ["\(base)/events"])
        #expect(feed.texts["feed/updated"] == ["2026-11-20T12:02:00Z"])
        let ids = try #require(feed.texts["feed/entry/id"])
        #expect(ids.count == EventsFeed.eventCount && Set(ids).count == ids.count)
        #expect(feed.texts["feed/entry/title"]?.first == "shop: Class120 leaks")
        #expect(feed.texts["feed/entry/updated"]?.count == ids.count && feed.links.count == ids.count + 1)
        #expect(feed.links.allSatisfy { $0.hasPrefix(base) })
        let debug = try read(running.get("/api/v1/events.atom?environment=debug").body)
        #expect(
            debug.texts["feed/entry/content"] == ["<b>&amp; \"'\u{FFFD}\u{FFFD}\u{FFFD}]]> é 😀"])
        let etag = try #require(answer.field("ETag"))
        #expect(
            try running.get(
                "/api/v1/events.atom", fields: [Self.bearer, HTTPField("If-None-Match", etag)]
            ).status == 304)
        #expect(try running.get("/api/v1/events.atom?since=1").status == 400)
        #expect(try running.get("/api/v1/events.atom", fields: []).status == 401)
    }

    // MARK: A running collector

    /// Waits until there is an event of a kind.
    private func wait(for kind: String, _ running: RunningCollector) throws -> [String: Any] {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            let events = try running.json("/api/v1/events?kind=\(kind)")["events"] as? [[String: Any]]
            if let event = events?.first { return event }
            Thread.sleep(forTimeInterval: 0.2)
        }
        Issue.record("there is no event \(kind)")
        return [:]
    }

    @Test func `a running collector records what follows from reports, and a failed release check once`()
        throws
    {
        let clock = Guarded(WallClock.milliseconds())
        let running = try RunningCollector(now: { clock.with { $0 } })
        for (version, leaks) in [("1.0", 1), ("1.1", 6)] {
            for install in 0..<60 {
                let batch = #"""
                    {"app":{"id":"shop","version":"\#(version)"},"install":"i\#(install)",
                     "sessions":[{"id":"s","checks":10,"leaks":1}],
                     "checks":[{"class":"Old","count":10}],"reports":[{"class":"Old","count":\#(leaks)}]}
                    """#
                #expect(try running.post(batch).status == 200)
            }
        }
        for _ in 0..<3 {
            #expect(
                try running.json("/api/v1/check?app=shop&version=1.1")["verdict"] as? String == "failed")
        }
        // A round of evaluations may have begun before all reports had arrived.
        clock.with { $0 += EventEvaluator.roundMilliseconds }
        let failed = try wait(for: "gate_failed", running)
        #expect(failed["version"] as? String == "1.1" && failed["title"] as? String == "1.1")
        let text = (failed["text"] as? String)?.replacing("\u{A0}", with: " ")
        #expect(text == "1.1 failed the release check against 1.0: 1 leak worse")
        #expect(try wait(for: "worse", running)["version"] as? String == "1.1")
        let all = try #require(try running.json("/api/v1/events?kind=gate_failed")["events"] as? [Any])
        #expect(all.count == 1)
    }

    @Test func `a failed backup is an event without the path of its folder`() throws {
        let folder = NSTemporaryDirectory() + "event-backups-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let running = try RunningCollector({ $0.backupFolder = folder })
        let backups = try #require(running.collector.backups)
        // The first backup must not be running when its folder is removed.
        while backups.currentStatus.count == 0 { Thread.sleep(forTimeInterval: 0.05) }
        // A file in place of the folder cannot be read as a folder.
        try FileManager.default.removeItem(atPath: folder)
        #expect(FileManager.default.createFile(atPath: folder, contents: Data()))
        backups.runIfDue()
        let event = try wait(for: "backup_failed", running)
        #expect(event["text"] as? String == "A backup failed; see the collector’s log")
        #expect(event["app"] is NSNull)
    }
}

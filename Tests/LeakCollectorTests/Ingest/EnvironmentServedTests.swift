import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Foundation
import Testing

@testable import LeakCollector

/// Tests of environments over real sockets and with a real store.
@Suite struct EnvironmentServedTests {
    private func report(_ environment: String?, version: String = "1.0", to running: RunningCollector) throws
    {
        let field = environment.map { #","environment":"\#($0)""# } ?? ""
        let body = #"{"class":"Cart","app":{"id":"shop","version":"\#(version)"\#(field)}}"#
        #expect(try running.post(body).status == 200)
    }

    private func leaks(_ query: String, _ running: RunningCollector) throws -> [[String: Any]] {
        try #require(try running.json("/api/v1/leaks?state=any" + query)["leaks"] as? [[String: Any]])
    }

    @Test func `reports without an environment are stored in production`() throws {
        let running = try RunningCollector()
        try report(nil, to: running)
        for query in ["", "&environment=", "&environment=production", "&environment=Production"] {
            let found = try leaks(query, running)
            #expect(found.map { $0["environment"] as? String } == ["production"], "\(query)")
        }
        #expect(try leaks("&environment=debug", running).isEmpty)
    }

    @Test func `the environment is read from a report of every form`() throws {
        let running = try RunningCollector()
        try report("debug", to: running)
        #expect(
            try running.post("Cart leaked", "text/plain", to: "/api/v1/reports?app=shop&environment=Debug")
                .status == 200)
        let batch =
            #"{"app":{"id":"shop","version":"1","environment":"DEBUG"},"reports":[{"class":"Menu"}],"sessions":[{"id":"s"}]}"#
        #expect(try running.post(batch).status == 200)
        let envelope = """
            {"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}
            {"type":"event"}
            {"environment":"debug","release":"shop@1.0","message":"List leaked","contexts":{"app":{"app_identifier":"shop"}}}
            """
        let sentry = try running.post(
            envelope, "application/x-sentry-envelope", to: "/api/1/envelope/",
            fields: [
                HTTPField("X-Sentry-Auth", "Sentry sentry_version=7, sentry_key=\(RunningCollector.key)")
            ])
        #expect(sentry.status == 200, "\(sentry.text)")
        #expect(try leaks("", running).isEmpty)
        let titles = try leaks("&environment=debug", running).compactMap { $0["title"] as? String }
        #expect(Set(titles) == ["Cart", "Menu", "List"])
        let apps = try running.json("/api/v1/apps?environment=debug")
        #expect(apps["environments"] as? [String] == ["debug"])
    }

    @Test(arguments: [
        (String(repeating: "e", count: 65), "app.environment is 65 bytes, the limit is 64"),
        (#"a\u0007"#, "app.environment has a control character"),
    ])
    func `an invalid name of an environment is refused`(name: String, reason: String) throws {
        let running = try RunningCollector()
        let answer = try running.post(#"{"class":"Cart","app":{"environment":"\#(name)"}}"#)
        #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
    }

    @Test func `pages show one environment, and their links lead to the same environment`() throws {
        let running = try RunningCollector()
        try report(nil, to: running)
        try report("debug", version: "2.0", to: running)
        let production = try running.get("/").text
        #expect(production.contains(#"<option>debug</option>"#))
        #expect(!production.contains("Environment <strong>"))
        let debug = try running.get("/?environment=debug").text
        #expect(debug.contains("Environment <strong>debug</strong>"))
        #expect(debug.contains("<option>2.0</option>") && !debug.contains("<option>1.0</option>"))
        #expect(debug.contains(#"href="/releases?environment=debug""#))
        #expect(try running.get("/releases?environment=debug").text.contains("2.0"))
        let id = try #require(try leaks("&environment=debug", running).first?["id"] as? String)
        let page = try running.get("/leaks/\(id)").text
        #expect(page.contains("Also reported from") && page.contains(">production</a> (1"))
    }

    @Test func `a decision about a leak applies in every environment`() throws {
        let running = try RunningCollector()
        try report(nil, to: running)
        try report("debug", version: "0.9", to: running)
        let id = try #require(try leaks("", running).first?["id"] as? String)
        let answer = try running.post(
            #"{"action":"ignore"}"#, to: "/api/v1/leaks/\(id)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 201)
        for environment in ["production", "debug"] {
            #expect(try leaks("&environment=\(environment)", running).first?["state"] as? String == "ignored")
        }
    }

    @Test func `the error about a version that exists only in another environment names that environment`()
        throws
    {
        let running = try RunningCollector()
        try report("debug", version: "2.0", to: running)
        let answer = try running.get("/api/v1/check?app=shop&version=2.0")
        #expect(answer.status == 404 && answer.text.contains("its environments are debug"), "\(answer.text)")
        #expect(
            try running.json("/api/v1/check?app=shop&version=2.0&environment=debug")["environment"] as? String
                == "debug")
    }

    @Test
    func `dropped reports and unchecked objects without an environment count for that of the ingest key`()
        throws
    {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ci","environments":"ci"}"#, to: "/api/v1/keys",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        let secret = try #require(try made.json["secret"] as? String)
        let batch =
            #"{"app":{"id":"shop","version":"1"},"dropped":{"budget":9},"sessions":[{"id":"s","unseen":50}]}"#
        #expect(
            try running.post(batch, fields: [HTTPField("Authorization", "Bearer \(secret)")]).status == 200)
        let dropped = try running.json("/api/v1/summary?environment=ci")["dropped"] as? [[String: Any]]
        #expect(Set(dropped?.compactMap { $0["count"] as? Int } ?? []) == [9, 50])
        #expect(try running.json("/api/v1/apps?environment=ci")["environments"] as? [String] == ["ci"])
    }

    @Test(arguments: ["/", "/releases", "/compare", "/causes"])
    func `if only the environment debug has reports, no page says that it waits for a report`(path: String)
        throws
    {
        let running = try RunningCollector()
        #expect(try running.get("/").text.contains("Waiting for the first report"))
        try report("debug", to: running)
        let page = try running.get(path).text
        #expect(!page.contains("Waiting for the first report"))
        if path == "/" || path == "/releases" { #expect(page.contains("<option>debug</option>")) }
    }

    @Test func `links on a page of an environment keep the environment, except the link to production`()
        throws
    {
        let running = try RunningCollector()
        for name in ["Cart", "Menu"] {
            let body = #"{"class":"\#(name)","app":{"id":"shop","version":"1.0","environment":"debug"}}"#
            #expect(try running.post(body).status == 200)
        }
        for path in ["/", "/releases", "/causes", "/classes?class=Cart", "/compare"] {
            let page = try running.get(path + (path.contains("?") ? "&" : "?") + "environment=debug").text
            let links = page.components(separatedBy: "href=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
            // One link leads to the same page in production, on purpose.
            let note = try #require(page.firstMatch(of: /<a href="([^"]+)">show production</)).output.1
            #expect(["/", "/releases", "/causes"].contains(note.prefix { $0 != "?" }))
            #expect(note.hasPrefix("\(path.prefix { $0 != "?" })") || path.hasPrefix("/c"), "\(note)")
            let lists = links.filter { $0 != note }.filter {
                $0.hasPrefix("/?") || $0.hasPrefix("/releases") || $0.hasPrefix("/causes")
                    || $0.hasPrefix("/classes") || $0.hasPrefix("/compare")
            }
            #expect(
                !lists.isEmpty && lists.allSatisfy { $0.contains("environment=debug") }, "\(path): \(lists)")
        }
    }

    @Test
    func `a report that names no environment has the environment of its batch, even if it names an app`()
        throws
    {
        let running = try RunningCollector()
        let batch =
            #"{"app":{"id":"a","version":"1","environment":"debug"},"reports":[{"class":"X","app":{"id":"b","version":"1"}},{"class":"Y","app":{"environment":"ci"}}]}"#
        #expect(try running.post(batch).status == 200)
        #expect(try leaks("", running).isEmpty)
        #expect(try leaks("&environment=debug", running).map { $0["app"] as? String } == ["b"])
        #expect(try leaks("&environment=ci", running).map { $0["app"] as? String } == ["a"])
    }

    @Test func `the commands on the page of a new key contain an environment of that key`() throws {
        let running = try RunningCollector()
        let signedIn = try running.post(
            "token=\(RunningCollector.token)", "application/x-www-form-urlencoded", to: "/sign-in", fields: []
        )
        let cookie = try #require(signedIn.field("Set-Cookie")?.split(separator: ";").first)
        let page = try running.post(
            "name=ci&environments=ci%2C%20debug%20", "application/x-www-form-urlencoded", to: "/access/keys",
            fields: [HTTPField("Cookie", String(cookie)), HTTPField("Origin", running.address)])
        #expect(page.status == 201 && page.text.contains("&amp;environment=ci&#39;"), "\(page.text)")
        #expect(page.text.contains("environment: &quot;ci&quot;"))
        #expect(try running.get("/access").text.contains("<small>ci, debug</small>"))
    }

    @Test func `an ingest key may write only for its environments`() throws {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ci","environments":"CI, debug"}"#, to: "/api/v1/keys",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json["environments"] as? String == "ci,debug")
        let secret = try #require(try made.json["secret"] as? String)
        let key = [HTTPField("Authorization", "Bearer \(secret)")]
        func status(_ environment: String) throws -> Int {
            let body = #"{"class":"Cart","app":{"id":"shop","environment":"\#(environment)"}}"#
            return try running.post(body, fields: key).status
        }
        for (environment, expected) in [("ci", 200), ("Debug", 200), ("production", 403)] {
            #expect(try status(environment) == expected, "\(environment)")
        }
        // A report without an environment belongs to production.
        #expect(try running.post(#"{"class":"Cart"}"#, fields: key).status == 403)
        let page = try running.get("/access").text
        #expect(page.contains("<small>ci, debug</small>"))
    }

    @Test(arguments: [
        ",", " , ", String(repeating: "e", count: 65), (0..<17).map(String.init).joined(separator: ","),
    ])
    func `a list of environments that is empty or over a limit creates no key`(list: String) throws {
        let running = try RunningCollector()
        let answer = try running.post(
            #"{"name":"ci","environments":"\#(list)"}"#, to: "/api/v1/keys",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 400, "\(answer.text)")
    }

    @Test func `reports without an environment get the environment of their key, if the key has only one`()
        throws
    {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ci","environments":"ci"}"#, to: "/api/v1/keys",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        let secret = try #require(try made.json["secret"] as? String)
        let answer = try running.post(
            #"{"class":"Cart"}"#, fields: [HTTPField("Authorization", "Bearer \(secret)")])
        #expect(answer.status == 200)
        #expect(try leaks("&environment=ci", running).count == 1)
    }

    private func key(_ environments: String, _ running: RunningCollector) throws -> String {
        let made = try running.post(
            #"{"name":"\#(environments)","environments":"\#(environments)"}"#, to: "/api/v1/keys",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        return try #require(try made.json["secret"] as? String)
    }

    /// A Sentry client report names no environment. It is counted in the environment of the last event of its ingest key. Without
    /// an event, it is counted in production if the key may write to it, otherwise in the first environment of the key.
    @Test(arguments: [
        ("ci", nil, "ci"), ("ci,debug", "debug", "debug"), ("ci,debug", nil, "ci"),
        ("debug,production", nil, "production"),
    ])
    func `a Sentry client report counts for the environment of the last event, or else of its ingest key`(
        environments: String, event: String?, expected: String
    ) throws {
        let running = try RunningCollector()
        let secret = try key(environments, running)
        let fields = [HTTPField("X-Sentry-Auth", "Sentry sentry_version=7, sentry_key=\(secret)")]
        func post(_ type: String, _ payload: String) throws -> Int {
            try running.post(
                "{}\n{\"type\":\"\(type)\"}\n\(payload)", "application/x-sentry-envelope",
                to: "/api/1/envelope/",
                fields: fields
            ).status
        }
        if let event {
            #expect(
                try post("event", #"{"environment":"\#(event)","release":"shop@1.0","message":"List"}"#)
                    == 200)
        }
        let report = #"{"discarded_events":[{"reason":"r","category":"error","quantity":4}]}"#
        #expect(try post("client_report", report) == 200)
        for environment in ["production", "ci", "debug"] {
            let summary = try running.json("/api/v1/summary?environment=\(environment)")
            let dropped = (summary["dropped"] as? [[String: Any]] ?? []).compactMap { $0["count"] as? Int }
            #expect(dropped == (environment == expected ? [4] : []), "\(environment)")
        }
    }

    @Test
    func `a batch with reports and sessions is rejected if its key may not write for its environment`()
        throws
    {
        let running = try RunningCollector()
        let batch =
            #"{"app":{"id":"shop","version":"1","environment":"debug"},"reports":[{"class":"Cart"}],"sessions":[{"id":"s","leaks":1}]}"#
        let field = HTTPField("Authorization", "Bearer \(try key("ci", running))")
        let answer = try running.post(batch, fields: [field])
        #expect(answer.status == 403, "\(answer.text)")
        #expect(try running.json("/api/v1/apps?environment=debug")["environments"] as? [String] == [])
        #expect(try running.post(batch).status == 200)
        let releases = try running.json("/api/v1/releases?app=shop&environment=debug")["releases"]
        #expect((releases as? [[String: Any]])?.map { $0["sessions"] as? Int } == [1])
    }

    /// Names are compared by their bytes, after ASCII letters were lowercased. Names that only look alike are different.
    @Test func `an environment whose name looks like production is another environment`() throws {
        let running = try RunningCollector()
        for name in ["pr\u{43E}duction", "production\u{200B}", "\u{FF50}roduction", "PRODUCTION"] {
            try report(name, to: running)
        }
        #expect(try leaks("", running).map { $0["reports"] as? Int } == [1])
        #expect((try running.json("/api/v1/apps")["environments"] as? [String])?.count == 4)
        let page = try running.get("/?environment=debug%E2%80%AE").text
        #expect(!page.unicodeScalars.contains("\u{202E}"))
    }

    @Test
    func `a leak that is reported from a further environment after a decision is open in that environment`()
        throws
    {
        let running = try RunningCollector()
        try report(nil, to: running)
        let id = try #require(try leaks("", running).first?["id"] as? String)
        let answer = try running.post(
            #"{"action":"ignore"}"#, to: "/api/v1/leaks/\(id)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 201)
        try report("debug", to: running)
        #expect(try leaks("&environment=debug", running).map { $0["state"] as? String } == ["open"])
    }

    @Test func `the page of a leak links to the leak into which it was merged in another environment`() throws
    {
        let running = try RunningCollector()
        try report(nil, to: running)
        try report("debug", to: running)
        #expect(
            try running.post(#"{"class":"Menu","app":{"id":"shop","version":"1.0","environment":"debug"}}"#)
                .status
                == 200)
        let page = "/leaks/\(try #require(try leaks("", running).first?["id"] as? String))"
        func id(_ title: String) throws -> String {
            let found = try leaks("&environment=debug", running).first { $0["title"] as? String == title }
            return try #require(found?["id"] as? String)
        }
        let (cart, menu) = (try id("Cart"), try id("Menu"))
        #expect(try running.get(page).text.contains("/leaks/\(cart)\""))
        let (source, targetID) = (try #require(LeakID(cart)), try #require(LeakID(menu)))
        let target = try #require(try running.store.makeReader().leak(targetID, now: 0)).row.identity
        _ = try running.store.merge(
            [source], into: target, by: "ada", now: WallClock.milliseconds(),
            note: { _ in "merged" })
        #expect(try running.get(page).text.contains("/leaks/\(menu)\""))
    }

    /// In each environment a leak has two ids: one computed with the module and one without.
    @Test
    func `a class sent with its module in one environment and without it in another is one leak`()
        throws
    {
        let running = try RunningCollector()
        for (environment, name) in [("production", "Shop.Cart"), ("debug", "Cart"), ("debug", "Shop.Cart")] {
            let body =
                #"{"class":"\#(name)","app":{"id":"shop","version":"1.0","module":"Shop","environment":"\#(environment)"}}"#
            #expect(try running.post(body).status == 200)
        }
        #expect(try leaks("&environment=debug", running).map { $0["reports"] as? Int } == [2])
        let id = try #require(try leaks("", running).first?["id"] as? String)
        #expect(try running.get("/leaks/\(id)").text.contains(">debug</a> (2"))
    }

    @Test func `the error of an export of an unknown environment lists the existing environments`() throws {
        let running = try RunningCollector()
        try report("debug", to: running)
        let export = try Export(
            store: running.store,
            publicFolder: try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil),
            environment: "ci")
        #expect {
            _ = try export.write(to: running.folder + "/export", app: nil)
        } throws: {
            "\($0)" == "there are no reports of the environment ci; the environments are debug"
        }
    }

    @Test func `the id of a leak in an environment and its id in production can be computed from each other`()
    {
        let id = LeakID(high: 1, low: 2)
        #expect(id.inEnvironment(AppKey.production) == id)
        let debug = id.inEnvironment("debug")
        #expect(debug != id && debug != id.inEnvironment("ci") && debug.inEnvironment("debug") == id)
    }
}

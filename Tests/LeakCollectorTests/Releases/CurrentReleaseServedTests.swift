import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The current release of an app, over real sockets and with a real store.
@Suite struct CurrentReleaseServedTests {
    /// Starts a collector with 200 sessions of 5.2 and 4 of 5.3. Half of the sessions have the same install, the others have no
    /// install.
    private func startCollector() throws -> RunningCollector {
        let running = try RunningCollector()
        for (version, sessions) in [("5.2", 100), ("5.3", 2)] {
            let sessionsJSON = repeatElement(#"{"checks":3,"leaks":0}"#, count: sessions).joined(
                separator: ",")
            for install in ["", #","install":"a""#] {
                let batch =
                    #"{"app":{"id":"shop","version":"\#(version)"}\#(install),"reports":[{"class":"Cart"}],"sessions":[\#(sessionsJSON)]}"#
                #expect(try running.post(batch).status == 200)
            }
        }
        return running
    }

    private func send(_ method: String, _ path: String, _ body: String?, to running: RunningCollector)
        async throws
        -> (status: Int, current: [String: Any]?)
    {
        var request = URLRequest(url: try #require(URL(string: running.address + path)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        request.setValue("Bearer \(RunningCollector.token)", forHTTPHeaderField: "Authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (try #require(answer as? HTTPURLResponse).statusCode, json?["current"] as? [String: Any])
    }

    @Test func `the API can pin and unpin the current release`() async throws {
        let running = try startCollector()
        let path = "/api/v1/releases/current"
        let pinned = try await send("PUT", path, #"{"app":"shop","version":"5.3"}"#, to: running)
        #expect(pinned.status == 200 && pinned.current?["version"] as? String == "5.3")
        #expect(pinned.current?["is_pinned"] as? Bool == true)
        let adoption = try #require(pinned.current?["adoption"] as? [String: Any])
        #expect(adoption["count"] as? Int == 4 && adoption["total"] as? Int == 204)
        #expect(adoption["unit"] as? String == "sessions")
        #expect(pinned.current?["pinned_by"] is String && pinned.current?["pinned_at"] is String)
        #expect(try currentVersion(running) == "5.3")
        let unpinned = try await send("DELETE", path + "?app=shop", nil, to: running)
        #expect(unpinned.status == 200 && unpinned.current?["version"] as? String == "5.2")
        #expect(unpinned.current?["pinned_by"] is NSNull && unpinned.current?["pinned_at"] is NSNull)
        #expect(try currentVersion(running) == "5.2")
    }

    @Test
    func
        `the current release is compared with its previous version even if over 25 versions are higher`()
        async throws
    {
        let running = try startCollector()
        for version in ["5.1"] + (1...30).map({ "9.\($0)" }) {
            let batch = #"{"app":{"id":"shop","version":"\#(version)"},"reports":[{"class":"Cart"}]}"#
            #expect(try running.post(batch).status == 200)
        }
        let releases = try #require(
            try running.json("/api/v1/releases?app=shop")["releases"] as? [[String: Any]])
        #expect(releases.count { $0["changes"] is [String: Any] } == 26)
        let current = try #require(releases.first { $0["is_newest"] as? Bool == true })
        #expect(current["version"] as? String == "5.2" && current["changes"] is [String: Any])
    }

    @Test(arguments: [
        (#"{"app":"shop","version":"9"}"#, 404), (#"{"app":"none","version":"5.3"}"#, 404),
        (#"{"app":"shop","environment":"ci","version":"5.3"}"#, 404), (#"{"app":"shop"}"#, 400),
        (#"{"version":"5.3"}"#, 400), (#"{"app":"shop","version":"5.3","x":1}"#, 400), ("[", 400),
        (#"{"app":"shop","version":5}"#, 400),
    ])
    func `an invalid request to pin a release, or a request to pin an unknown version, is refused`(
        body: String, status: Int
    ) async throws {
        let running = try startCollector()
        #expect(try await send("PUT", "/api/v1/releases/current", body, to: running).status == status)
        #expect(try currentVersion(running) == "5.2")
    }

    @Test func `the page of releases shows the current release and can pin another release`() throws {
        let running = try startCollector()
        #expect(
            try text(running).contains("Currentrelease5.2;98.0%ofthesessionsinthelast24hoursthathadsessions.")
        )
        let answer = try running.pinCurrentRelease("5.3", of: "shop")
        #expect(answer.status == 303 && answer.field("Location") == "/releases?app=shop#main")
        #expect(try text(running).contains(/Currentrelease5\.3,pinnedby.+on.+;2\.0%ofthesessions/))
        #expect(try running.get("/?app=shop").text.contains(" · pinned as current release"))
        #expect(try running.get("/releases?app=shop").text.contains(#"value="unpin""#))
        #expect(try post("do=unpin&app=shop", running).status == 303)
        #expect(try currentVersion(running) == "5.2")
    }

    @Test(arguments: [
        ("do=pin&app=shop&version=9", "shop has no version 9: choose one of the versions"),
        ("do=pin&app=shop&version=", "No version is chosen"), ("do=pin&app=shop", "No version is chosen"),
        ("do=pin&app=none&version=9", "There is no app none"), ("do=unpin&version=9", "No app is chosen"),
        ("app=shop&version=5.3", "This form is not from this collector"),
    ])
    func `the error about a form that pins a release says what to do, and links to the app's releases`(
        form: String, detail: String
    ) throws {
        let running = try startCollector()
        let answer = try post(form, running)
        #expect(answer.status == 400 && answer.text.contains(detail), "\(answer.text)")
        let app =
            form.contains("app=shop")
            ? "/releases?app=shop" : form.contains("none") ? "/releases?app=none" : "/releases"
        #expect(answer.text.contains(#"href="\#(app)">Back to releases"#), "\(answer.text)")
    }

    @Test
    func `a request to pin a release with an empty environment pins it in production, as form and as JSON`()
        async throws
    {
        let running = try startCollector()
        let body = #"{"app":"shop","environment":"","version":"5.3"}"#
        #expect(try await send("PUT", "/api/v1/releases/current", body, to: running).status == 200)
        #expect(try currentVersion(running) == "5.3")
        #expect(try post("do=pin&app=shop&environment=&version=5.2", running).status == 303)
        #expect(try currentVersion(running) == "5.2")
    }

    @Test func `sessions that began more than 30 days ago do not count as adoption`() throws {
        let running = try startCollector()
        let began = Date(timeIntervalSinceNow: -40 * 86_400).ISO8601Format()
        let sessionsJSON = repeatElement(#"{"started_at":"\#(began)","checks":3,"leaks":0}"#, count: 500)
            .joined(separator: ",")
        for install in ["b", "c"] {
            let batch =
                #"{"app":{"id":"shop","version":"6.0"},"install":"\#(install)","sessions":[\#(sessionsJSON)]}"#
            #expect(try running.post(batch).status == 200)
        }
        let releases = try running.json("/api/v1/releases?app=shop")["releases"] as? [[String: Any]]
        let totals = (releases ?? []).compactMap { ($0["adoption"] as? [String: Any])?["total"] as? Int }
        #expect(try totals == [204, 204, 204] && currentVersion(running) == "5.2")
    }

    @Test(arguments: [("Origin", "https://evil.example", 403), ("Sec-Fetch-Site", "same-origin", 303)])
    func `a cookie permits pinning a release only from a page of this collector`(
        name: String, value: String, status: Int
    ) throws {
        let running = try startCollector()
        let answer = try running.useSignInLink()
        let cookie = try #require(answer.field("Set-Cookie")).prefix { $0 != ";" }
        let fields = [HTTPField("Cookie", String(cookie)), HTTPField(name, value)]
        #expect(try post("do=pin&app=shop&version=5.3", running, fields: fields).status == status)
        #expect(try currentVersion(running) == (status == 303 ? "5.3" : "5.2"))
    }

    private func post(_ form: String, _ running: RunningCollector, fields: [HTTPField]? = nil) throws
        -> HTTPResponse
    {
        try running.post(
            form, "application/x-www-form-urlencoded", to: "/releases/current",
            fields: fields ?? [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
    }

    private func currentVersion(_ running: RunningCollector) throws -> String? {
        let summary = try running.json("/api/v1/summary?app=shop")
        return (summary["newest"] as? [String: Any])?["version"] as? String
    }

    private func text(_ running: RunningCollector) throws -> String {
        try Markup(running.get("/releases?app=shop").body).texts.joined().filter { !$0.isWhitespace }
    }
}

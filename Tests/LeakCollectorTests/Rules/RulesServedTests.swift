import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakPlatform
import LeakStore
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector

/// Grouping rules of an app, by the API and by the pages.
@Suite struct RulesServedTests {
    private static let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
    private static let form = "application/x-www-form-urlencoded"
    private static let reports = [
        #"{"class":"Shop.CartModel","stack":["Root","CheckoutScreen","Shop.CartModel"]}"#,
        #"{"class":"Shop.CartModel","stack":["Root","HomeScreen","Shop.CartModel"]}"#,
        #"{"class":"Shop.CartView","stack":["Root","CheckoutScreen","Shop.CartView"]}"#,
        #"{"class":"Shop.Other"}"#, #"{"message":"Timer 12 was kept"}"#,
        #"{"class":"Shop.Sent","fingerprint":["CartModel"]}"#,
    ]

    private let running: RunningCollector

    init() throws {
        running = try RunningCollector()
        #expect(try send() == 200)
    }

    private func send(app: String = "a.b", environment: String = "production") throws -> Int {
        let batch = """
            {"app":{"id":"\(app)","version":"1.0","environment":"\(environment)"},"install":"i",
             "reports":[\(Self.reports.joined(separator: ","))]}
            """
        return Int(try running.post(batch).status)
    }

    /// Sends JSON with a method that the client of the collector lacks.
    private func put(
        _ json: [String: Any], to path: String, token: String = RunningCollector.token
    ) async throws -> (status: Int, json: [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: running.address + path)))
        request.httpMethod = "PUT"
        request.httpBody = try JSONSerialization.data(withJSONObject: json)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        return (
            try #require(answer as? HTTPURLResponse).statusCode,
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        )
    }

    private func preview(_ text: String, app: String = "a.b") throws -> HTTPResponse {
        let body = try JSONSerialization.data(withJSONObject: ["text": text])
        return try running.post(
            Array(body), to: "/api/v1/rules/preview?app=\(app)", fields: Self.token)
    }

    /// Returns the reports of each leak of an app, by id.
    private func counts(app: String = "a.b") throws -> [String: Int] {
        let leaks =
            try running.json("/api/v1/leaks?state=any&limit=200&app=\(app)")["leaks"] as? [[String: Any]]
        return Dictionary(
            try #require(leaks).map { ($0["id"] as? String ?? "", $0["reports"] as? Int ?? 0) },
            uniquingKeysWith: { one, _ in one })
    }

    private func leakID(_ title: String, app: String = "a.b") throws -> String {
        let leaks =
            try running.json("/api/v1/leaks?state=any&limit=200&app=\(app)")["leaks"] as? [[String: Any]]
        return try #require(leaks?.first { $0["title"] as? String == title }?["id"] as? String, "\(title)")
    }

    @Test(arguments: [
        "class:Cart* stack:Checkout* -> \"Carts of the checkout\"", "class:*Model -> {class}",
        "stack:HomeScreen -> Home",
        "text:Timer* -> Timers\nclass:No* -> No", "class:* -> All\ntext:* -> All", "",
    ])
    func `a preview says exactly what happens when the same reports arrive after saving`(text: String)
        async throws
    {
        // The rules that are replaced have named groups, too.
        for (round, rules) in ["", "class:CartView -> Views\nclass:Other -> All", text].enumerated() {
            let previewed = try preview(rules).json
            let groups = try #require(previewed["groups"] as? [[String: Any]])
            var moved: [String: Set<String>] = [:]
            for group in groups {
                for leak in try #require(group["leaks"] as? [[String: Any]]) {
                    moved[try #require(group["id"] as? String), default: []].insert(
                        try #require(leak["id"] as? String))
                    #expect(leak["reports_7d"] as? Int == leak["reports"] as? Int)
                    #expect(leak["installs"] as? Int == 1)
                }
            }
            let before = try counts()
            for group in groups {
                let id = try #require(group["id"] as? String)
                #expect(group["reports"] as? Int == before[id], "\(group)")
            }
            let saved = try await put(["text": rules], to: "/api/v1/rules?app=a.b")
            #expect(saved.status == 200 && saved.json["text"] as? String == rules)
            #expect(try send() == 200)
            let after = try counts()
            let grown = Set(after.keys.filter { after[$0] != before[$0] })
            #expect(Set(moved.keys).isSubset(of: grown), "round \(round): \(moved) \(grown)")
            #expect(
                Set(after.keys).subtracting(before.keys)
                    == Set(groups.filter { $0["reports"] is NSNull }.compactMap { $0["id"] as? String }),
                "round \(round)")
            // Each report of the batch has made one leak grow. The others had their reports under earlier rules.
            #expect(grown.reduce(0) { $0 + (after[$1] ?? 0) - (before[$1] ?? 0) } == Self.reports.count)
            #expect(previewed["leaks"] as? Int == before.count)
            // Once saved, the same text changes nothing more.
            #expect(try (preview(rules).json["groups"] as? [Any])?.isEmpty == true, "round \(round)")
        }
        #expect(try running.store.verify() == [])
    }

    @Test func `rules apply to later reports of all environments, and only of their app`() async throws {
        #expect(try send(environment: "debug") == 200 && send(app: "c.d") == 200)
        let saved = try await put(["text": "class:* -> All"], to: "/api/v1/rules?app=a.b")
        #expect(saved.status == 200 && saved.json["version"] as? Int == 1)
        let before = try counts()
        #expect(try send() == 200 && send(environment: "debug") == 200 && send(app: "c.d") == 200)
        let after = try counts()
        #expect(after.count == before.count + 1)
        let all = try leakID("All")
        #expect(after[all] == 4)
        #expect(try counts(app: "c.d").values.allSatisfy { $0 == 2 })
        let debug = try #require(
            try running.json("/api/v1/leaks?state=any&app=a.b&environment=debug&q=All")["leaks"]
                as? [[String: Any]])
        #expect(debug.contains { $0["title"] as? String == "All" && $0["reports"] as? Int == 4 })
    }

    @Test func `versions are listed, replaced only by their successor, and in the audit log`() async throws {
        let path = "/api/v1/rules?app=a.b"
        let none = try running.json(path)
        #expect(none["version"] as? Int == 0 && none["text"] as? String == "" && none["at"] is NSNull)
        #expect(
            try await put(["text": "class:A -> B\n", "version": 0], to: path).json["version"] as? Int == 1)
        #expect(try await put(["text": "class:A -> B"], to: path).json["version"] as? Int == 1)
        let late = try await put(["text": "class:A -> C", "version": 0], to: path)
        #expect(late.status == 409 && (late.json["detail"] as? String)?.contains("version 1") == true)
        #expect(try await put(["text": "", "version": 1], to: path).json["version"] as? Int == 2)
        let current = try running.json(path)
        #expect(current["text"] as? String == "" && current["version"] as? Int == 2)
        #expect((current["versions"] as? [[String: Any]])?.map { $0["version"] as? Int } == [2, 1])
        #expect(try running.json(path + "&version=1")["text"] as? String == "class:A -> B")
        #expect(try running.get(path + "&version=9").status == 404)
        let audit = try #require(try running.json("/api/v1/audit?limit=2")["entries"] as? [[String: Any]])
        #expect(audit.map { $0["action"] as? String } == ["change_rules", "change_rules"])
        #expect(audit.map { $0["details"] as? String } == ["version 2", "version 1"])
        #expect(audit.allSatisfy { $0["object"] as? String == "a.b" })
    }

    @Test func `the API rejects what it cannot save, and says why`() async throws {
        let path = "/api/v1/rules?app=a.b"
        let wrong = try await put(["text": "# ok\nclass:A B"], to: path)
        #expect(wrong.status == 400 && wrong.json["line"] as? Int == 2 && wrong.json["column"] as? Int == 9)
        #expect(try preview("class:A").status == 400)
        for (body, text) in [
            (["x": 1], "no other field"), ([:], "text"), (["text": 7], "a string"),
            (["text": "", "version": "1"], "version"),
        ] as [([String: Any], String)] {
            let answer = try await put(body, to: path)
            #expect(
                answer.status == 400 && (answer.json["detail"] as? String)?.contains(text) == true,
                "\(answer)")
        }
        #expect(try await put(["text": ""], to: "/api/v1/rules").status == 400)
        #expect(try await put(["text": ""], to: "/api/v1/rules?app=none").status == 404)
        #expect(try preview("", app: "none").status == 404)
        // A whole number in JSON Schema.
        let whole = try running.post(
            #"{"text":"","version":0.0}"#, to: "/api/v1/rules/preview?app=a.b", fields: Self.token)
        #expect(whole.status == 200)
        #expect(try running.get("/api/v1/rules").status == 400)
        #expect(try running.json(path)["version"] as? Int == 0)
    }

    @Test func `the page suggests a rule for a leak, previews it, and saves it`() throws {
        let leak = try leakID("CartView")
        let detail = try running.get("/leaks/\(leak)").text
        #expect(detail.contains(#"href="/rules?app=a.b&amp;leak=\#(leak)""#))
        let page = try running.get("/rules?app=a.b&leak=\(leak)").text
        #expect(page.contains("class:CartView stack:CheckoutScreen"))
        let text = "class:CartView+stack:CheckoutScreen+-%3E+Views%0D%0A"
        func post(_ path: String, _ text: String, version: Int) throws -> HTTPResponse {
            try running.post(
                "app=a.b&version=\(version)&text=\(text)", Self.form, to: path, fields: Self.token)
        }
        let preview = try post("/rules/preview", text, version: 0)
        #expect(
            preview.status == 200 && preview.text.contains("Views") && preview.text.contains("rule in line 1")
        )
        let wrong = try post("/rules/saved", "class:A", version: 0)
        #expect(
            wrong.status == 400 && wrong.text.contains("line 1, column 8") && wrong.text.contains("class:A"))
        let saved = try post("/rules/saved", text, version: 0)
        #expect(saved.status == 303 && saved.field("Location")?.hasPrefix("/rules?app=a.b") == true)
        #expect(
            try running.json("/api/v1/rules?app=a.b")["text"] as? String
                == "class:CartView stack:CheckoutScreen -> Views")
        let late = try post("/rules/saved", "class:A+-%3E+B", version: 0)
        #expect(late.status == 400 && late.text.contains("version 1 of the rules was saved by"))
        #expect(late.text.contains(#"name="version" value="1""#) && late.text.contains("class:A"))
        // A preview of an outdated text, and one with a mistake, do not accept the newer version.
        for text in ["class:A+-%3E+B", "class:A"] {
            let outdated = try post("/rules/preview", text, version: 0)
            #expect(outdated.text.contains(#"name="version" value="0""#))
        }
        #expect(try running.get("/leaks/\(leak)").text.contains("later reports go to"))
        #expect(try send() == 200)
        let named = try running.get("/leaks/\(try leakID("Views"))").text
        #expect(named.contains("The rule in line 1 of") && named.contains("(version 1)"))
        #expect(try running.get("/rules").text.contains(#"href="/rules?app=a.b""#))
        #expect(try running.get("/rules?app=a.b&version=1").text.contains("(shown)"))
    }

    @Test func `leaks of one text that a rule gives one group are one report`() async throws {
        let saved = try await put(["text": "class:Many* -> Many"], to: "/api/v1/rules?app=a.b")
        #expect(saved.status == 200)
        let batch = #"{"app":{"id":"a.b"},"reports":[{"message":"Leaked: ManyA x2, ManyB x3, Other x1"}]}"#
        #expect(try running.post(batch).status == 200)
        #expect(try counts()[try leakID("Many")] == 1)
    }

    @Test func `a viewer reads rules, and a triager of one app changes only its rules`() async throws {
        #expect(try send(app: "c.d") == 200)
        func token(_ role: String, _ app: String?) throws -> String {
            let limit = app.map { #","app":"\#($0)""# } ?? ""
            let made = try running.post(
                #"{"name":"\#(role)","role":"\#(role)"\#(limit)}"#, to: "/api/v1/tokens", fields: Self.token)
            return try #require(try made.json["secret"] as? String)
        }
        let (viewer, triager) = (try token("viewer", nil), try token("triager", "a.b"))
        let path = "/api/v1/rules?app=a.b"
        #expect(try await put(["text": "class:A -> B"], to: path, token: viewer).status == 403)
        #expect(try await put(["text": "class:A -> B"], to: path, token: triager).status == 200)
        #expect(
            try await put(["text": "class:A -> B"], to: "/api/v1/rules?app=c.d", token: triager).status == 403
        )
        let fields = [HTTPField("Authorization", "Bearer \(viewer)")]
        #expect(try running.get(path, fields: fields).json["text"] as? String == "class:A -> B")
        let page = try running.get("/rules?app=a.b", fields: fields).text
        #expect(page.contains("class:A") && !page.contains("<textarea"))
        let limited = [HTTPField("Authorization", "Bearer \(triager)")]
        #expect(try running.get("/api/v1/rules?app=c.d", fields: limited).status == 403)
        #expect(try running.get("/api/v1/rules", fields: limited).json["app"] as? String == "a.b")
    }

    @Test func `another collector on the same database groups by new rules soon`() async throws {
        let store = try SQLiteStore(path: running.folder + "/leaks.sqlite", exclusive: false)
        #expect(
            try store.saveRules("class:* -> All", of: "a.b", basedOn: nil, by: .commandLine, now: 1)
                == .saved(AppRules(app: "a.b", version: 1, text: "class:* -> All", by: "command line", at: 1))
        )
        let deadline = ContinuousClock.now + .seconds(60)
        var isGrouped = false
        while !isGrouped, ContinuousClock.now < deadline {
            #expect(try send() == 200)
            let leaks = try running.json("/api/v1/leaks?state=any&app=a.b&q=All")["leaks"] as? [[String: Any]]
            isGrouped = leaks?.contains { $0["title"] as? String == "All" } ?? false
        }
        #expect(isGrouped)
    }

    @Test func `deleting the last environment of an app deletes its rules`() async throws {
        #expect(try send(environment: "debug") == 200)
        #expect(try await put(["text": "class:* -> All"], to: "/api/v1/rules?app=a.b").status == 200)
        #expect(try running.delete("/api/v1/apps/a.b/environments/debug").status == 200)
        #expect(try running.json("/api/v1/rules?app=a.b")["version"] as? Int == 1)
        #expect(try running.delete("/api/v1/apps/a.b").status == 200)
        #expect(try running.json("/api/v1/rules?app=a.b")["version"] as? Int == 0)
        // The rules are gone from memory too, once the collector has noticed.
        let deadline = ContinuousClock.now + .seconds(60)
        var isGrouped = true
        while isGrouped, ContinuousClock.now < deadline {
            _ = try running.delete("/api/v1/apps/a.b")
            #expect(try send() == 200)
            let leaks = try running.json("/api/v1/leaks?state=any&app=a.b")["leaks"] as? [[String: Any]]
            isGrouped = leaks?.contains { $0["title"] as? String == "All" } ?? true
        }
        #expect(!isGrouped)
    }

    @Test func `regrouping leaves the leaks of rules alone, and those whose reports go to one`() async throws
    {
        #expect(
            try await put(
                ["text": "class:CartModel -> CartModel\nclass:CartView -> Views"], to: "/api/v1/rules?app=a.b"
            ).status == 200)
        #expect(try send() == 200)
        let planner = try RegroupPlanner(store: running.store, now: WallClock.milliseconds())
        let plan = try #require(try planner.plans(app: "a.b").first)
        #expect(plan.groups.isEmpty && plan.ambiguousLeaks.isEmpty)
    }

    @Test func `a preview counts the samples of a leak whose reports would be split`() throws {
        // System owners are in the path of the page, but not in the key.
        for owner in ["UINavigationController", "UITabBarController"] {
            let report = #"{"class":"Shop.Split","stack":["\#(owner)","Home","Shop.Split"]}"#
            #expect(
                try running.post(#"{"app":{"id":"s","version":"1"},"reports":[\#(report),\#(report)]}"#)
                    .status == 200)
        }
        #expect(try counts(app: "s").count == 1)
        let groups = try #require(
            try preview("stack:UITab* -> Tabs", app: "s").json["groups"] as? [[String: Any]])
        let leak = try #require((groups.first?["leaks"] as? [[String: Any]])?.first)
        let (samples, moved) = (leak["samples"] as? Int ?? 0, leak["moved_samples"] as? Int ?? 0)
        #expect(groups.count == 1 && samples > moved && moved > 0)
    }
}

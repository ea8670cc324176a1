import LeakDetectorTexts
import LeakSeededRandom
import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// A whole collector over real sockets: libcurl sends reports and reads the results, SQLite stores the reports.
@Suite struct CollectorTests {
    @Test func `each detector text in the test vectors gives the expected leak and counts`() throws {
        let running = try RunningCollector()
        for (number, vector) in DetectorText.all.enumerated() {
            // Each text is sent for a separate app, so that its leak can be identified.
            let app = "vector-\(number)"
            let answer = try running.post(
                vector.message, "text/plain", to: "/api/v1/reports?app=\(app)&version=1")
            #expect(answer.status == 200, "\(answer.text)")
            let leaks = try #require(
                try running.json("/api/v1/leaks?app=\(app)&state=any")["leaks"] as? [[String: Any]])
            let leak = try #require(leaks.first)
            #expect(leaks.count == 1)
            let name = leak["class"] as? String
            let module = leak["module"] as? String
            let full = [module, name].compactMap { $0 }.joined(separator: ".")
            // The vectors name classes without generic arguments.
            #expect(vector.className == (full.isEmpty ? nil : TypeName(full).text))
            #expect(leak["freed"] as? Int == (vector.isFreed ? 1 : 0))
            #expect(leak["reports"] as? Int == (vector.isFreed ? 0 : 1))
            if let stack = vector.stack, let shown = leak["stack"] as? [String] {
                #expect(
                    shown.map { $0.split(separator: ".").last } == stack.map { $0.split(separator: ".").last }
                )
            }
            if let children = vector.children, let shown = leak["children"] as? [String] {
                #expect(shown == children.map { String($0.split(separator: ".").last ?? "") })
            }
            if let cycle = vector.cycle { #expect(leak["cycle"] as? [String] == cycle) }
        }
    }

    @Test func `a thousand messages of twenty leaks give twenty groups with exact counts`() throws {
        let running = try RunningCollector()
        var random = SeededRandom(seed: 77)
        var variants = MessageVariants(random: random)
        var expected = [Int](repeating: 0, count: 20)
        for _ in 0..<100 {
            let messages = (0..<10).map { _ -> String in
                let leak = random.below(20)
                expected[leak] += 1
                return variants.text("Screen\(Character(UnicodeScalar(UInt8(65 + leak))))Controller")
            }
            let reports = try messages.map { message -> String in
                let text = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
                return #"{"message":\#(text),"type":"leak"}"#
            }
            let batch =
                #"{"app":{"id":"a","module":"MyApp","version":"1"},"reports":[\#(reports.joined(separator: ","))]}"#
            #expect(
                try running.post(batch).text
                    == #"{"accepted":10,"duplicate":false,"rejected":[],"rejected_count":0}"#)
        }
        let page = try running.json("/api/v1/leaks?app=a&limit=200")
        let leaks = try #require(page["leaks"] as? [[String: Any]])
        #expect(page["total"] as? Int == 20)
        #expect(leaks.compactMap { $0["reports"] as? Int }.sorted() == expected.sorted())
    }

    @Test func `reports are accepted as JSON object, JSON array, batch, NDJSON and text`() throws {
        let running = try RunningCollector()
        let bodies = [
            (#"{"class":"One"}"#, "application/json"),
            (#"[{"class":"One"},{"class":"One"}]"#, "application/json"),
            (#"{"reports":[{"class":"One"}]}"#, "application/json; charset=utf-8"),
            ("{\"class\":\"One\"}\n\n{\"class\":\"One\"}\n", "application/x-ndjson"),
            ("Expected deallocation of One", "Text/Plain; charset=UTF-8"),
        ]
        for (body, type) in bodies { #expect(try running.post(body, type).status == 200, "\(type)") }
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        #expect(leaks.count == 1)
        #expect(leaks.first?["reports"] as? Int == 7)
    }

    @Test func `a repeated batch is counted once, and its idempotency key is refused for another batch`()
        throws
    {
        let running = try RunningCollector()
        let fields = [HTTPField("X-Leak-Key", RunningCollector.key), HTTPField("Idempotency-Key", "batch-1")]
        let body = #"[{"class":"One"},{"class":""}]"#
        let first = try running.post(body, fields: fields)
        let again = try running.post(body, fields: fields)
        #expect(first.text.hasPrefix(#"{"accepted":1,"duplicate":false,"rejected":[{"index":1,"#))
        #expect(again.status == 200)
        #expect(again.text == first.text.replacingOccurrences(of: "false", with: "true"))
        #expect(try running.post(#"[{"class":"Two"}]"#, fields: fields).status == 422)
        #expect(
            try running.post(#"[{"class":"One"}]"#, to: "/api/v1/reports?app=b", fields: fields).status == 422
        )
        #expect(try running.json("/api/v1/summary")["reports"] as? Int == 1)
    }

    @Test func `reading requires an access token, and sending reports requires an ingest key`() throws {
        let running = try RunningCollector()
        _ = try running.post(#"{"class":"One"}"#)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        let id = try #require(leaks.first?["id"] as? String)
        let key = [HTTPField("Authorization", "Bearer \(RunningCollector.key)")]
        let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
        let wrong = [HTTPField("Authorization", "Bearer \(String(RunningCollector.token.dropLast()))1")]
        for path in [
            "leaks", "leaks/\(id)", "leaks/\(id)/reports", "leaks/\(id)/trend", "summary", "releases", "apps",
        ] {
            #expect(try running.get("/api/v1/\(path)").status == 200, "\(path)")
            for fields in [[], key, wrong] {
                let answer = try running.get("/api/v1/\(path)", fields: fields)
                #expect(answer.status == 401, "\(path)")
                #expect(answer.field("Content-Type") == "application/problem+json")
                #expect(answer.field("WWW-Authenticate") != nil)
            }
        }
        for path in ["/", "/leaks/\(id)", "/leaks/\(id)/reports", "/releases"] {
            #expect(try running.get(path).status == 200, "\(path)")
            let answer = try running.get(path, fields: [])
            #expect(answer.status == 303)
            #expect(answer.field("Location")?.hasPrefix("/sign-in") == true)
            #expect(try running.get(path, fields: key).status == 401)
        }
        for fields in [[], token, wrong] {
            #expect(try running.post(#"{"class":"Two"}"#, fields: fields).status == 401)
        }
        #expect(try running.json("/api/v1/summary")["reports"] as? Int == 1)
    }

    @Test func `a restricted ingest key may send only reports of its app, and a revoked key may send none`()
        throws
    {
        let running = try RunningCollector()
        let credentials = Credentials(store: running.store)
        let (credential, secret) = try credentials.create(
            .keys, name: "shop", app: "shop", now: WallClock.milliseconds())
        let fields = [HTTPField("Authorization", "bearer \(secret)")]
        try Self.eventually { try running.post(#"{"class":"One"}"#, fields: fields).status == 200 }
        #expect(try running.post(#"{"class":"One","app":{"id":"other"}}"#, fields: fields).status == 403)
        #expect(try credentials.revoke(.keys, credential.id, now: WallClock.milliseconds()))
        try Self.eventually { try running.post(#"{"class":"One"}"#, fields: fields).status == 403 }
        #expect(try credentials.revoke(.keys, credential.id, now: WallClock.milliseconds()) == false)
    }

    @Test func `the sign-in link works once, and signing out ends the session`() throws {
        let running = try RunningCollector()
        let answer = try running.useSignInLink()
        #expect(answer.status == 303)
        #expect(answer.field("Location") == "/")
        let cookie = try #require(answer.field("Set-Cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"))
        let session = [HTTPField("Cookie", String(cookie.prefix { $0 != ";" }))]
        #expect(try running.get("/", fields: session).status == 200)
        #expect(try running.get("/api/v1/leaks", fields: session).status == 200)

        let second = try running.useSignInLink()
        #expect(second.status == 403)
        #expect(second.text.contains("was used before"))

        let foreign = session + [HTTPField("Origin", "https://evil.example")]
        #expect(
            try running.post("", "application/x-www-form-urlencoded", to: "/sign-out", fields: foreign).status
                == 403)
        #expect(try running.get("/", fields: session).status == 200)
        #expect(
            try running.post(
                "", "application/x-www-form-urlencoded", to: "/sign-out",
                fields: session + [HTTPField("Origin", running.address)]
            ).status == 303)
        #expect(try running.get("/", fields: session).status == 303)
    }

    @Test func `the sign-in form accepts an access token, and never redirects to another site`() throws {
        let running = try RunningCollector()
        let form = "application/x-www-form-urlencoded"
        let wrong = try running.post("token=nope", form, to: "/sign-in", fields: [])
        #expect(wrong.status == 403 && wrong.field("Set-Cookie") == nil)
        let right = try running.post(
            "token=\(RunningCollector.token)&to=%2Freleases", form, to: "/sign-in", fields: [])
        #expect(right.status == 303)
        #expect(right.field("Location") == "/releases")
        #expect(right.field("Set-Cookie") != nil)
        let away = try running.post(
            "token=\(RunningCollector.token)&to=%2F%2Fevil.example", form, to: "/sign-in", fields: [])
        #expect(away.field("Location") == "/")
    }

    @Test(arguments: [
        ("{", "application/json", 400, "line"), ("nope", "application/json", 400, "not JSON"),
        ("", "application/json", 400, "ends too early"), (#"{"class":""}"#, "application/json", 400, "class"),
        ("x", "image/png", 415, "Content-Type"), ("\u{1F}", "application/xml", 415, "Content-Type"),
    ])
    func `an invalid request body gets an error status and a reason`(
        body: String, type: String, status: Int, words: String
    ) throws {
        let running = try RunningCollector()
        let answer = try running.post(body, type)
        #expect(answer.status == status)
        #expect(answer.field("Content-Type") == "application/problem+json")
        #expect(answer.text.contains(words), "\(answer.text)")
        #expect(try running.post(#"{"class":"One"}"#).status == 200, "a valid report is still accepted")
    }

    @Test(arguments: [
        ("/api/v1/leaks?sort=size", 400), ("/api/v1/leaks?limit=0", 400), ("/api/v1/leaks?limit=201", 400),
        ("/api/v1/leaks?state=gone", 400), ("/api/v1/leaks?kind=zzz", 400),
        ("/api/v1/leaks?period=1d", 400), ("/?period=7", 400), ("/api/v1/summary?period=ever", 400),
        ("/api/v1/summary?period=90d", 200), ("/?period=", 200), ("/api/v1/leaks?period=24h", 200),
        ("/api/v1/leaks?cursor=nope", 400), ("/?sort=size", 400),
        ("/api/v1/leaks?order=up", 400), ("/?sort=name&order=desc", 200),
        ("/api/v1/leaks/00000000000000000000000000000000", 404), ("/api/v1/leaks/x", 404),
        ("/api/v1/nope", 404),
        ("/leaks/00000000000000000000000000000000", 404), ("/nope", 404), ("/api/v1/reports", 405),
        ("/api/v1/leaks?q=%25_%27", 200), ("/healthz", 200), ("/readyz", 200), ("/style.css", 200),
        ("/openapi.json", 200), ("/favicon.ico", 200), ("/sign-in", 200), ("/../Package.swift", 404),
    ])
    func `each path and query gets a response with the expected status`(path: String, status: Int) throws {
        let running = try RunningCollector()
        #expect(try running.get(path).status == status)
    }

    @Test func `reports are rejected while the data folder is missing, and accepted when it is back`()
        throws
    {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"One"}"#).status == 200)
        #expect(try running.get("/readyz").status == 200)
        try FileManager.default.moveItem(atPath: running.folder, toPath: running.folder + "-away")
        defer { try? FileManager.default.removeItem(atPath: running.folder + "-away") }
        try Self.eventually { try running.get("/readyz").status == 503 }
        let refused = try running.post(#"{"class":"One"}"#)
        #expect(
            refused.status == 503 && refused.text.contains("restarted") && refused.field("Retry-After") != nil
        )
        #expect(try running.get("/healthz").status == 200)
        try FileManager.default.moveItem(atPath: running.folder + "-away", toPath: running.folder)
        try Self.eventually { try running.post(#"{"class":"One"}"#).status == 200 }
    }

    @Test func `a collector whose database is truncated accepts no more reports`() throws {
        let running = try RunningCollector()
        for number in 0..<40 { #expect(try running.post(#"{"class":"C\#(number)"}"#).status == 200) }
        let file = try #require(FileHandle(forWritingAtPath: Collector.databasePath(in: running.folder)))
        try file.truncate(atOffset: 4_096)
        try file.close()
        #expect(try running.post(#"{"class":"Two"}"#).status == 503)
        try Self.eventually {
            try running.get("/readyz").text.contains("keep leaks.sqlite-wal")
        }
        let refused = try running.post(#"{"class":"Two"}"#)
        #expect(refused.status == 503 && refused.field("Retry-After") == "60")
        #expect(try running.get("/healthz").status == 200)
    }

    // MARK: Support

    /// Waits until `condition` is true, and records an issue after 30 seconds. The server needs a second or two to
    /// notice a change by itself.
    private static func eventually(_ condition: () throws -> Bool) throws {
        for _ in 0..<600 {
            if try condition() { return }
            usleep(50_000)
        }
        Issue.record("the condition did not become true within 30 seconds")
    }
}

import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStatistics
import LeakStore
import Testing

@testable import LeakCollector

/// The release check over real sockets, and directly on the same database.
@Suite struct CheckServedTests {
    /// In version 1.0, one of ten checked objects leaks. In 1.1, six of ten leak, and there is a new leak. 1.2 has too few
    /// checks.
    private static func startCollector() throws -> RunningCollector {
        let running = try RunningCollector()
        for (version, leaks, checks) in [
            ("1.0", ["Old": 1], 10), ("1.1", ["Old": 6, "New": 4], 10), ("1.2", [:], 1),
        ]
            as [(String, [String: Int], Int)]
        {
            for install in 0..<60 {
                let reports = leaks.sorted { $0.key < $1.key }.map {
                    #"{"class":"Shop.\#($0)","count":\#($1)}"#
                }
                let batch = #"""
                    {"app":{"id":"a b","module":"Shop","version":"\#(version)","build":"7"},"install":"i\#(install)",
                     "sessions":[{"id":"s","checks":\#(checks),"leaks":\#(leaks.count)}],
                     "checks":[{"class":"Shop.Old","count":\#(checks)}],"reports":[\#(reports.joined(separator: ","))]}
                    """#
                #expect(try running.post(batch).status == 200)
            }
        }
        return running
    }

    private static func path(
        _ version: String, baseline: String? = nil, build: String? = nil
    ) -> String {
        ReleaseCheckRequest(
            ReleaseCheckQuery(app: "a b", version: version, build: build, baseline: baseline)
        ).path
    }

    @Test
    func `a release check fails for a version that leaks more, and cannot judge a version with few checks`()
        throws
    {
        let running = try Self.startCollector()
        let failed = try running.json(Self.path("1.1"))
        #expect(failed["verdict"] as? String == "failed" && failed["baseline"] as? String == "1.0")
        #expect((failed["worse_count"] as? Int, failed["new_count"] as? Int) == (1, 1))
        let leaks = try #require(failed["leaks"] as? [[String: Any]])
        #expect(leaks.map { $0["result"] as? String } == ["worse", "new"])
        #expect((leaks[0]["version"] as? [String: Any])?["reports"] as? Int == 360)
        #expect((leaks[1]["leak"] as? [String: Any])?["class"] as? String == "New")
        let few = try running.get(Self.path("1.2"))
        #expect(try ReleaseCheckResult(json: few.body).verdict == .cannotTell)
        #expect(few.field("ETag") != nil)
        let wider = try running.json(Self.path("1.2", baseline: "1.0"))
        #expect(wider["baseline"] as? String == "1.0")
        // A baseline may be written like the tag of a release: v1.0.0 is 1.0.
        #expect(try running.get(Self.path("1.2", baseline: "v1.0.0")).status == 200)
        #expect(try running.json(Self.path("1.1", build: "7"))["build"] as? String == "7")
    }

    @Test(arguments: [("1.1", "failed"), ("1.2", "cannot tell yet")])
    func `the Markdown of a release check is what collector check prints, and begins with the verdict`(
        version: String, verdict: String
    ) throws {
        let running = try Self.startCollector()
        let json = try running.get(Self.path(version))
        let markdown = try running.get(
            Self.path(version).replacing("/api/v1/check?", with: "/api/v1/check/markdown?"))
        #expect(markdown.status == 200)
        #expect(markdown.field("Content-Type") == "text/markdown; charset=utf-8")
        #expect(markdown.text.hasPrefix("### Release check: \(verdict)\n"))
        let address = running.collector.address
        #expect(markdown.text == (try ReleaseCheckResult(json: json.body).markdown(address: address)))
        #expect(markdown.text.contains("](\(address)/leaks/"))
    }

    @Test func `two versions are compared on a page, in either order`() throws {
        let running = try Self.startCollector()
        let page = try running.get("/compare?app=a%20b&from=1.0&to=1.1")
        #expect(page.status == 200 && page.text.contains("Worse (1)") && page.text.contains("New (1)"))
        #expect(page.text.contains("/api/v1/check?app=a%20b&amp;version=1.1&amp;baseline=1.0"))
        #expect(try running.get("/compare?app=a%20b&from=1.1&to=1.0").text.contains("Worse (1)"))
        // If the request does not name the first version, the second version is compared with the version before it.
        #expect(try running.get("/compare?app=a%20b&to=1.1").text.contains("compared with 1.0"))
        // If the request names nothing, the current release of the most recently seen app is compared.
        #expect(try running.pinCurrentRelease("1.1", of: "a+b").status == 303)
        #expect(try running.get("/compare").text.contains("<title>1.0 and 1.1"))
        for target in ["/compare?app=a%20b&to=9", "/compare?app=a%20b&from=8&to=1.1", "/compare?app=c&to=1"] {
            #expect(try running.get(target).status == 404, "\(target)")
        }
        #expect(try running.get("/compare?app=a%20b&from=1.1&to=1.1").status == 400)
        #expect(try running.get("/releases?app=a%20b").text.contains("/compare?app=a%20b&amp;to=1.1"))
        #expect(try RunningCollector().get("/compare").text.contains("No versions yet"))
    }

    @Test func `each release is compared with the previous version, or the page says why not`() throws {
        let running = try Self.startCollector()
        let releases = try #require(
            running.json("/api/v1/releases?app=a%20b")["releases"] as? [[String: Any]])
        let changes = releases.map { $0["changes"] as? [String: Any] }
        #expect(changes.map { $0?["baseline"] as? String } == ["1.1", "1.0", nil])
        #expect(changes.map { $0?["enough_data"] as? Bool } == [false, true, nil])
        for (name, number) in [("worse", 1), ("new", 1), ("better", 0), ("fixed", 0), ("back", 0)] {
            #expect(changes[1]?[name] as? Int == number, "\(name)")
        }
        // Version 1.0 has 60 reports in 600 checks.
        let interval = try #require(releases[2]["leaks_per_check_interval"] as? [String: Any])
        let bounds = try (#require(interval["from"] as? Double), #require(interval["to"] as? Double))
        #expect(bounds.0 > 0.07 && bounds.0 < 0.1 && bounds.1 > 0.1 && bounds.1 < 0.13)
        #expect(releases[0]["leak_free_interval"] is [String: Any])
        let page = try running.get("/releases?app=a%20b").text
        for target in ["1.1#worse\">1</a>", "1.1#new\">1</a>", "1.2#cannot-tell\">cannot tell</a>"] {
            #expect(page.contains("to=" + target), "\(target)")
        }
    }

    @Test func `a request for a release check can set the limits above which a new leak fails it`() throws {
        let running = try Self.startCollector()
        for query in ["min_devices=61", "min_reports=241", "max_rate=0.99"] {
            // The class New has no checks, so its rate is unknown and counts as 1.
            let count = try running.json(Self.path("1.1") + "&" + query)["new_count"] as? Int
            #expect(count == (query.hasPrefix("max") ? 1 : 0), "\(query)")
        }
        for query in [
            "min_devices=x", "min_reports=-1", "max_rate=1", "max_rate=0", "max_rate=", "baseline_build=7",
        ] {
            let status = try running.get(Self.path("1.1") + "&" + query).status
            #expect(status == (query == "max_rate=" ? 200 : 400), "\(query)")
        }
    }

    @Test
    func `a version passes if its new and worse leaks are ignored, and fails if a resolved leak returns`()
        throws
    {
        let running = try Self.startCollector()
        let leaks = try #require(try running.json(Self.path("1.1"))["leaks"] as? [[String: Any]])
        let token = HTTPField("Authorization", "Bearer \(RunningCollector.token)")
        func decide(_ body: String, _ place: Int) throws {
            let leak = try #require((leaks[place]["leak"] as? [String: Any])?["id"] as? String)
            let path = "/api/v1/leaks/\(leak)/decisions"
            #expect(try running.post(body, to: path, fields: [token]).status == 201)
        }
        try decide(#"{"action":"ignore"}"#, 0)
        try decide(#"{"action":"ignore"}"#, 1)
        let aside = try running.json(Self.path("1.1"))
        #expect(aside["verdict"] as? String == "passed" && aside["set_aside"] as? Int == 2)
        try decide(#"{"action":"resolve","in":"1.2"}"#, 1)
        let batch = #"{"app":{"id":"a b","module":"Shop","version":"1.2"},"reports":[{"class":"Shop.New"}]}"#
        #expect(try running.post(batch).status == 200)
        let regressed = try running.json(Self.path("1.2"))
        #expect(regressed["back_count"] as? Int == 1 && regressed["verdict"] as? String == "failed")
    }

    @Test func `a release check that reads the database directly gives the same bytes as the API`() throws {
        let running = try Self.startCollector()
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        for version in ["1.0", "1.1", "1.2"] {
            let checkRequest = ReleaseCheckRequest(ReleaseCheckQuery(app: "a b", version: version))
            let bytes = try checkRequest.responseJSON(
                from: running.store, publicFolder: publicFolder, now: WallClock.milliseconds())
            #expect(try running.get(checkRequest.path).body == bytes)
        }
    }

    @Test(arguments: [
        ("?app=a", 400, "missing parameter: app or version"),
        ("?version=1", 400, "missing parameter: app or version"),
        ("?app=a%20b&version=", 400, "missing parameter: app or version"),
        ("?app=c&version=1.0", 404, "there is no app c"),
        (
            "?app=a%20b&version=9", 404,
            "there are no reports of version 9 of a b: run it once with a reporter that counts sessions, or name another "
                + "version; its versions are 1.2, 1.1, 1.0"
        ),
        ("?app=a%20b&version=1.1&build=8", 404, "there are no reports of build 8 of a b 1.1: run it once"),
        ("?app=a%20b&version=1.1&baseline=1.2", 400, "older"),
        (
            "?app=a%20b&version=1.2&baseline=1.0.9", 404,
            "there are no reports of version 1.0.9 of a b: compare with a version that has reports; its versions are 1.2, 1.1, 1.0"
        ),
        ("?app=a%20b&version=1.2&baseline=main", 404, "there are no reports of version main of a b: compare"),
        ("?app=a%20b&version=9&baseline=8", 404, "there are no reports of version 9 of a b: run it once"),
    ])
    func `an error of a release check says what is wrong, and lists no other apps`(
        query: String, status: Int, words: String
    ) throws {
        let answer = try Self.startCollector().get("/api/v1/check" + query)
        #expect(answer.status == status)
        #expect(try (answer.json["detail"] as? String)?.contains(words) == true, "\(answer.text)")
        // A token for release checks may be on a build server of another team, so the error does not list all apps.
        #expect(!answer.text.contains("the apps are"))
    }

    @Test func `a release check of a collector without reports says that the app is unknown`() throws {
        let answer = try RunningCollector().get("/api/v1/check?app=a&version=1")
        #expect(answer.text.contains("\"there is no app a\""))
    }
}

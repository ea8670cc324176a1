import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// Known leaks and classes over real sockets: as JSON, and as pages.
@Suite struct KnownServedTests {
    private let running: RunningCollector
    private let path = NSTemporaryDirectory() + "known-\(UUID().uuidString).json"

    init() throws {
        let own = #"""
            {"known_leaks": [{"id": "sheet", "class": "TermsSheet", "kind": "view_controller",
              "systems": [{"os": "iOS", "from": "16.0", "before": "17.0"}],
              "reason": "iOS 16 keeps a sheet with a <grabber>.", "source": "https://example.com/sheet"}]}
            """#
        try own.write(toFile: path, atomically: true, encoding: .utf8)
        let path = path
        running = try RunningCollector { $0.knownLeaksFile = path }
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (version, count) in [("16.4.1", 5), ("11.2", 1)] {
            let batch = #"""
                {"app":{"id":"a","module":"Shop","version":"1"},"device":{"os":"iOS","os_version":"\#(version)"},"reports":[
                {"class":"Shop.TermsSheet","kind":"view_controller","stack":["Shop.Root","Shop.TermsSheet"],"count":\#(count)},
                {"class":"UITextField","stack":["Login\#(version)","UITextField"]},{"class":"Shop.Cart.TermsSheet"}]}
                """#
            #expect(try running.post(batch).status == 200)
        }
    }

    private func leaks(_ query: String) throws -> [[String: Any]] {
        try #require(
            try running.json("/api/v1/leaks?app=a&sort=reports\(query)")["leaks"] as? [[String: Any]])
    }

    @Test
    func `the JSON of a known leak has its rule and reports, and the leaks to fix exclude known leaks`()
        throws
    {
        let known = try leaks("&state=known")
        #expect(known.map { $0["class"] as? String } == ["UITextField"])
        #expect(known.allSatisfy { $0["state"] as? String == "known" })
        let entry = try #require(known.first?["known"] as? [String: Any])
        #expect(entry["id"] as? String == "uitextfield-ios-11-2")
        #expect((entry["reports"] as? Int, entry["elsewhere"] as? Int) == (1, 0))
        let list = try running.json("/api/v1/leaks?app=a")
        #expect(list["total"] as? Int == 3)
        #expect((list["known"] as? [String: Int]) == ["leaks": 1, "reports": 1])
        let sheet = try #require(try leaks("").first)
        #expect(sheet["state"] as? String == "open")
        let partly = try #require(sheet["known"] as? [String: Any])
        #expect((partly["reports"] as? Int, partly["elsewhere"] as? Int) == (5, 1))
        #expect(
            partly["systems"] as? [[String: String]] == [["os": "iOS", "from": "16.0", "before": "17.0"]])
        #expect(try leaks("&state=any").count == 4)
        #expect(
            try running.get("/api/v1/leaks?state=nope").text.contains(
                "to_fix, new, open, regressed, slow, resolved, ignored, known, any"))
        let summary = try running.json("/api/v1/summary?app=a")
        #expect(
            summary["leaks"] as? Int == 4 && summary["known"] as? [String: Int] == ["leaks": 1, "reports": 1])
    }

    @Test func `pages show known leaks collapsed, and the reason on the page of the leak`() throws {
        let summary = try running.get("/?app=a").text
        #expect(summary.contains("<summary>1\u{A0}known system leak, 1\u{A0}report</summary>"))
        #expect(summary.contains(" · Hidden: 1\u{A0}leak"))
        let id = try #require(try leaks("").first?["id"] as? String)
        let page = try running.get("/leaks/\(id)").text
        #expect(page.contains("Partly a known system leak"))
        #expect(page.contains("iOS 16 keeps a sheet with a &lt;grabber&gt;."))
        #expect(page.contains(#"href="https://example.com/sheet" rel="noreferrer""#))
        #expect(
            page.contains(
                "5 of 6 reports come from these OS versions. 1 comes from other OS versions, so the leak is "
                    + "listed as a leak of the app."))
        #expect(page.contains("Grouping (rule 1)"))
    }

    @Test func `a class has a page and JSON, which name similar classes`() throws {
        let found = try running.json("/api/v1/classes?class=TermsSheet&app=a")
        #expect(found["total"] as? Int == 1 && found["reports"] as? Int == 6)
        #expect(found["modules"] as? [String] == ["Shop"])
        #expect((found["related"] as? [[String: Any]])?.map { $0["class"] as? String } == ["Cart.TermsSheet"])
        let page = try running.get("/classes?class=TermsSheet&app=a")
        #expect(page.status == 200 && page.text.contains("Similar classes"))
        #expect(page.text.contains("/classes?class=Cart.TermsSheet&amp;app=a"))
        let fields = try running.json("/api/v1/classes?class=UITextField")
        #expect(fields["total"] as? Int == 2 && fields["app"] is NSNull)
        #expect(try running.get("/api/v1/classes?class=Nothing&app=a").status == 404)
        #expect(try running.get("/classes?class=Nothing").status == 404)
        #expect(try running.get("/api/v1/classes").text.contains("missing parameter: class"))
        #expect(try running.get("/api/v1/classes?class=TermsSheet", fields: []).status == 401)
    }

    @Test func `an export contains the known leaks too`() throws {
        let folder = NSTemporaryDirectory() + "export-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        _ = try Export(store: running.store, publicFolder: publicFolder).write(to: folder, app: nil)
        let page = try String(contentsOfFile: folder + "/index.html", encoding: .utf8)
        #expect(page.contains("<summary>1\u{A0}known system leak"))
        let json = try String(contentsOfFile: folder + "/index.json", encoding: .utf8)
        #expect(json.contains(#""state":"known""#) && json.contains(#""total":4"#))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/leaks")
        #expect(files.filter { $0.hasSuffix(".html") && !$0.contains("reports") }.count == 4)
        #expect(FileManager.default.fileExists(atPath: folder + "/known-leaks.json"))
    }
}

import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// An app whose reports count as `other`, because its ingest key has reached the limit of apps.
@Suite struct AppLimitTests {
    /// Starts a collector to which one key has sent reports of as many apps as the limit allows, and then of `late`.
    private static func startCollector() throws -> RunningCollector {
        let running = try RunningCollector()
        let apps = (0..<StoreLimits().appsPerKey).map { "app\($0)" } + ["late"]
        let reports = apps.map { #"{"class":"Cart","app":{"id":"\#($0)","version":"1.0"}}"# }
        #expect(try running.post("[\(reports.joined(separator: ","))]").status == 200)
        return running
    }

    @Test func `the page and the summary of an app beyond the limit name the app in which its reports count`()
        throws
    {
        let running = try Self.startCollector()
        let page = try running.get("/?app=late").text
        #expect(page.contains("limit of apps") && !page.contains("No leaks yet"))
        #expect(page.contains(#"<a href="/?app=other">other</a>"#))
        let limits = try running.json("/api/v1/summary?app=late")["beyond_limits"] as? [[String: Any]]
        #expect(limits?.count == 1 && limits?[0]["app"] as? String == "other")
        #expect(limits?.first?["limit"] as? String == "apps_per_key" && limits?.first?["count"] as? Int == 1)
        // An app that is stored has reports of its own.
        #expect(try !running.get("/?app=app1").text.contains("limit of apps"))
        let stored = try running.json("/api/v1/summary?app=app1")["beyond_limits"] as? [Any]
        #expect(stored?.isEmpty == true)
        #expect(try RunningCollector().get("/?app=late").text.contains("No leaks yet"))
    }

    @Test func `a release check of an app beyond the limit names the app in which its reports count`() throws
    {
        let running = try Self.startCollector()
        let answer = try running.get("/api/v1/check?app=late&version=1.0")
        let detail = try answer.json["detail"] as? String ?? ""
        #expect(answer.status == 404 && detail.contains("count as the app other"), "\(detail)")
        let request = ReleaseCheckRequest(ReleaseCheckQuery(app: "late", version: "1.0"))
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        #expect {
            _ = try request.responseJSON(
                from: running.store, publicFolder: publicFolder, now: WallClock.milliseconds())
        } throws: {
            "\($0)".contains("count as the app other; the apps are ")
        }
        let none = try RunningCollector().get("/api/v1/check?app=late&version=1.0")
        #expect(try none.json["detail"] as? String == "there is no app late")
    }
}

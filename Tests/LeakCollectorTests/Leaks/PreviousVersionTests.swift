import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// The previous version of each app, even without reported sessions. The API names the directly preceding version. The page
/// shows the rate of the last version that has sessions.
@Suite struct PreviousVersionTests {
    /// Starts a collector. In each app, all versions have a leak. 3.9 has one session and 4.0 has four; 5.1.0 and 5.2.0 have
    /// none. 5.2.0 is pinned as the current release.
    private func startCollector(apps: [String]) throws -> RunningCollector {
        let running = try RunningCollector()
        for app in apps {
            for (version, sessions) in [("3.9", 1), ("4.0", 4), ("5.1.0", 0), ("5.2.0", 0)] {
                let sessionsJSON = repeatElement(#"{"checks":3,"leaks":0}"#, count: sessions).joined(
                    separator: ",")
                let batch =
                    #"{"app":{"id":"\#(app)","version":"\#(version)"},"reports":[{"class":"A"}],"sessions":[\#(sessionsJSON)]}"#
                #expect(try running.post(batch).status == 200)
            }
            #expect(try running.pinCurrentRelease("5.2.0", of: app).status == 303)
        }
        return running
    }

    private func versions(_ fields: [String: Any]) -> [String?] {
        ["newest", "previous"].map { (fields[$0] as? [String: Any])?["version"] as? String }
    }

    @Test(arguments: ["", "?app=a"])
    func `the previous version is the next lower version, whether or not it has sessions`(query: String)
        throws
    {
        let running = try startCollector(apps: ["a"])
        #expect(try versions(running.json("/api/v1/summary" + query)) == ["5.2.0", "5.1.0"])
        let page = try running.get("/" + query).text
        #expect(page.contains("<dt>Leak-free sessions in 4.0</dt>"))
        #expect(page.contains("no sessions of 5.2.0 yet"))
    }

    @Test func `each of several apps has its own previous version`() throws {
        let running = try startCollector(apps: ["a", "b"])
        let apps = try #require(try running.json("/api/v1/summary")["apps"] as? [[String: Any]])
        #expect(apps.map(versions) == [["5.2.0", "5.1.0"], ["5.2.0", "5.1.0"]])
        #expect(try running.get("/").text.matches(of: /4\.0, no sessions of 5\.2\.0 yet/).count == 2)
    }
}

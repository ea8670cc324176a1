import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// Pages that all reader threads have rendered and cached, requested before and after the database changes.
@Suite struct FreshPageTests {
    private let running: RunningCollector

    /// Creates the collector with a clock that stands still: pages depend on the minute, and no minute ends between
    /// two requests.
    init() throws {
        let now = WallClock.milliseconds()
        running = try RunningCollector(now: { now })
    }

    /// Returns the ETag of a page. Requests the page eight times, so that every reader thread answers, and expects equal
    /// answers.
    private func tag(_ path: String) throws -> String {
        let tags = try (0..<8).map { _ in try #require(try running.get(path).field("ETag")) }
        #expect(Set(tags).count == 1, "\(path)")
        return tags[0]
    }

    /// Reports a leak of a class, and returns the ID of the leak.
    private func report(_ name: String) throws -> String {
        #expect(try running.post(#"{"class":"\#(name)"}"#).status == 200)
        let leaks = try #require(try running.json("/api/v1/leaks?q=\(name)")["leaks"] as? [[String: Any]])
        return try #require(leaks.first?["id"] as? String)
    }

    @Test func `a page that is requested after a report or decision was stored shows it`() throws {
        let leak = try report("First")
        let paths = ["/", "/leaks/\(leak)", "/leaks/\(leak)/reports", "/classes?class=First"]
        let before = try paths.map(tag)
        #expect(try paths.map(tag) == before)

        let second = try report("First")
        #expect(second == leak)
        let counted = try paths.map(tag)
        for (index, path) in paths.enumerated() { #expect(counted[index] != before[index], "\(path)") }

        let decided = try running.post(
            #"{"action":"ignore","note":"on purpose"}"#, to: "/api/v1/leaks/\(leak)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(decided.status < 300, "\(decided.text)")
        #expect(try running.get("/leaks/\(leak)").text.contains("on purpose"))
        #expect(try tag("/") != counted[0])
    }

    @Test func `an ingest key that another database connection added is listed on the next requested page`()
        throws
    {
        _ = try report("First")
        let before = try tag("/")
        var settings = Settings()
        settings.dataFolder = running.folder
        let other = try Collector.openStore(settings, isServer: false)
        let key = Credential(
            purpose: .ingest, name: "made elsewhere", hash: [UInt8](repeating: 7, count: 32), createdAt: 1)
        for _ in 0..<3 { #expect(try !running.get("/access").text.contains("made elsewhere")) }
        _ = try other.add(key)
        #expect(try running.get("/access").text.contains("made elsewhere"))
        // The summary does not show keys, so it is unchanged.
        #expect(try tag("/") == before)
    }

    @Test func `a repeated page is compressed like the first page, and has the same ETag`() throws {
        for number in 0..<30 { _ = try report("C\(number)") }
        let token = HTTPField("Authorization", "Bearer \(RunningCollector.token)")
        let gzip = HTTPField("Accept-Encoding", "gzip")
        let answers = try (0..<6).map { _ in try running.get("/", fields: [token, gzip]) }
        for answer in answers {
            #expect(answer.field("Content-Encoding") == "gzip")
            let tag = try #require(answer.field("ETag"))
            let known = try running.get("/", fields: [token, gzip, HTTPField("If-None-Match", tag)])
            #expect(known.status == 304)
        }
        #expect(try !running.get("/").text.isEmpty)
    }
}

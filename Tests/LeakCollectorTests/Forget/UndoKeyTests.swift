import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// One request deletes the 10,000 made-up leaks and 1,000 made-up versions of a stolen ingest key. Tested with each database.
@Suite struct UndoKeyTests {
    enum Database: String, CaseIterable {
        case sqlite
        #if PostgreSQL
            case postgresql
        #endif
    }

    private static let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
    /// 2026-11-20 12:00 UTC.
    private static let now: Int64 = 1_795_176_000_000
    private static let realVersions = ["1.0", "1.1", "2.0"]

    private func start(_ database: Database, _ databases: inout [TestDatabase]) throws -> RunningCollector {
        var url: String?
        if database != .sqlite {
            let made = try TestDatabase()
            databases.append(made)
            url = made.url
        }
        return try RunningCollector({ $0.databaseURL = url }, now: { Self.now })
    }

    private func sendRealReports(to collector: RunningCollector) throws {
        for (number, version) in Self.realVersions.enumerated() {
            for install in 0..<5 {
                let reports = (0..<20).map {
                    #"{"class":"Shop.Real\#($0 + number)","stack":["Root","Shop.Real\#($0 + number)"],"message":"m\#(install)"}"#
                }
                let batch = #"""
                    {"app":{"id":"shop","version":"\#(version)","build":"\#(number)"},"install":"i\#(install)",
                     "device":{"os":"iOS","os_version":"19.\#(install)","model":"iPhone17,1"},
                     "sessions":[{"id":"s","checks":40,"leaks":1}],"checks":[{"class":"Shop.Real1","count":40}],
                     "reports":[\#(reports.joined(separator: ","))]}
                    """#
                #expect(try collector.post(batch).status == 200)
            }
        }
    }

    /// Reports 10,000 made-up leaks. Each of the first 1,000 is in a made-up version of its own.
    private func sendMadeUpReports(to collector: RunningCollector, with key: HTTPField) throws {
        for batch in 0..<10 {
            let reports = (0..<1_000).map { number in
                let version = batch == 0 ? "66.\(number)" : Self.realVersions[number % 3]
                let name = "Fake\(batch)x\(number)"
                return
                    #"{"class":"Shop.\#(name)","stack":["\#(name)","Shop.\#(name)"],"app":{"id":"shop","version":"\#(version)"}}"#
            }
            let body = #"{"app":{"id":"shop"},"reports":[\#(reports.joined(separator: ","))]}"#
            #expect(try collector.post(body, fields: [key]).status == 200)
        }
    }

    /// Returns everything that the collector says about the real app, by address. The result leaves out `beyond_limits`: these
    /// counts do not name a key, so deleting the key's data does not change them.
    private func answers(_ collector: RunningCollector) throws -> [String: String] {
        var answers: [String: String] = [:]
        func read(_ path: String, without names: String...) throws -> [String: Any] {
            var answer = try collector.json(path)
            for name in names { answer[name] = nil }
            let data = try JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys])
            answers[path] = String(decoding: data, as: UTF8.self)
            return answer
        }
        let list = try read("/api/v1/leaks?app=shop&state=any&limit=100")
        for leak in try #require(list["leaks"] as? [[String: Any]]) {
            let id = try #require(leak["id"] as? String)
            for suffix in ["", "/reports", "/trend?by=hour"] { _ = try read("/api/v1/leaks/\(id)\(suffix)") }
        }
        _ = try read("/api/v1/releases?app=shop")
        _ = try read("/api/v1/apps")
        for version in Self.realVersions { _ = try read("/api/v1/check?app=shop&version=\(version)") }
        _ = try read("/api/v1/summary?app=shop", without: "beyond_limits")
        return answers
    }

    @Test(arguments: Database.allCases)
    func
        `10,000 leaks and 1,000 versions of a stolen key are deleted by one request, and nothing else changes`(
            database: Database
        ) throws
    {
        var databases: [TestDatabase] = []
        let attacked = try start(database, &databases)
        let untouched = try start(database, &databases)
        for collector in [attacked, untouched] { try sendRealReports(to: collector) }
        let made = try attacked.post(#"{"name":"stolen"}"#, to: "/api/v1/keys", fields: Self.token).json
        let id = try #require(made["id"] as? Int)
        let key = HTTPField("Authorization", "Bearer \(try #require(made["secret"] as? String))")
        try sendMadeUpReports(to: attacked, with: key)
        // A new key cannot use the last twentieth of the limit of 10,000 leaks, so the last made-up leaks count as `other`.
        #expect(try attacked.json("/api/v1/leaks?app=shop&state=any")["total"] as? Int ?? 0 >= 9_500)
        let limits = try #require(
            try attacked.json("/api/v1/summary?app=shop")["beyond_limits"] as? [[String: Any]])
        let reached = Set(limits.compactMap { $0["limit"] as? String })
        #expect(reached.isSuperset(of: ["leaks_per_app", "releases_per_app"]))

        #expect(try attacked.delete("/api/v1/keys/\(id)").status == 200)
        let before = try attacked.json("/api/v1/forget?what=key&key=\(id)")
        let clock = ContinuousClock()
        let begin = clock.now
        let answer = try attacked.delete("/api/v1/keys/\(id)/data")
        print("undoing a key took \(clock.now - begin) with \(database.rawValue)")
        #expect(answer.status == 200)
        #expect(try answer.json["reports"] as? Int == 10_000)
        for name in ["versions", "leaks", "reports", "samples"] {
            #expect(try answer.json[name] as? Int == before[name] as? Int, "\(name)")
        }
        #expect(try attacked.store.verify() == [])

        let (found, expected) = (try answers(attacked), try answers(untouched))
        #expect(Set(found.keys) == Set(expected.keys))
        for (path, answer) in expected { #expect(found[path] == answer, "\(path)") }
        let release = #"{"app":{"id":"shop","version":"5.0.0"},"reports":[{"class":"Shop.New"}]}"#
        #expect(try attacked.post(release).status == 200)
        #expect(try attacked.get("/api/v1/releases?app=shop").text.contains(#""version":"5.0.0""#))
    }
}

/// A PostgreSQL database for one test, made with `psql`. It is dropped when the test ends.
final class TestDatabase {
    let url: String
    private let name = "undo_\(UInt32.random(in: 0...UInt32.max))"
    private let server: String

    init() throws {
        server = try #require(
            ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"],
            "no PostgreSQL server: run make test, or set COLLECTOR_TEST_DATABASE_URL to the URL of one")
        url = server.replacingOccurrences(of: "/postgres", with: "/\(name)", options: .backwards)
        try psql("create database \(name) encoding 'UTF8' template template0")
    }

    deinit { try? psql("drop database \(name) with (force)") }

    private func psql(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", "--quiet", "--no-psqlrc", server, "--command", command]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import leak_collector

@Suite struct CopyTests {
    @Test(arguments: [
        (0, 0, 0, "100 %, leak_hour, 0 of 0 rows, 0 rows/s, 0:00 left"),
        (1_200_000, 2_790_000, 15_000, "43 %, leak_hour, 1200000 of 2790000 rows, 80000 rows/s, 0:19 left"),
        (1, 7_200, 1_000, "0 %, leak_hour, 1 of 7200 rows, 1 rows/s, 119:59 left"),
    ])
    func `the progress of a copy has a percentage, a rate and the remaining time`(
        rows: Int, allRows: Int, milliseconds: Int, words: String
    ) {
        let progress = CopyProgress(table: "leak_hour", rows: rows, allRows: allRows)
        #expect(CopyText.progress(progress, milliseconds: Int64(milliseconds)) == words)
    }

    @Test func `the result of a copy names every table with its sums`() {
        var leaks = CopiedTable(name: "leak")
        leaks.rows = 2
        leaks.sums = [CopiedTable.Sum(column: "reports", sum: 7), CopiedTable.Sum(column: "freed", sum: 1)]
        let words = CopyText.result([leaks, CopiedTable(name: "credential")], milliseconds: 1_250)
        #expect(words.hasPrefix("copied 2 rows in 1.2 s; "))
        #expect(
            words.contains("\n  leak        2 rows, reports 7, freed 1\n  credential  0 rows\n"), "\(words)")
    }

    #if PostgreSQL
        @Test
        func
            `a data folder is copied only after its collector has stopped; two collectors can use the copy`()
            throws
        {
            let database = try DatabaseCommandTests.server()
            let folder = try TemporaryFolder()
            let data = folder.path + "/data"
            let name = "copy_\(UInt32.random(in: 0...UInt32.max))"
            try Self.psql(database, "create database \(name) encoding 'UTF8' template template0")
            defer { try? Self.psql(database, "drop database \(name) with (force)") }
            let url = database.replacingOccurrences(of: "/postgres", with: "/\(name)", options: .backwards)

            let collector = try CollectorProcess(data: data)
            for number in 0..<20 {
                #expect(try Self.post(#"{"class": "C\#(number % 7)"}"#, to: collector) == 200)
            }
            let copy = ["copy", "--data", data, "--database-url", url]
            let early = try CollectorProcess.run(copy)
            #expect(early.code == 3 && early.errors.contains("another collector serves it"), "\(early)")
            collector.kill(SIGTERM)
            #expect(collector.wait() == 0)

            let copied = try CollectorProcess.run(copy)
            #expect(copied.code == 0, "\(copied)")
            let leaks = copied.output.split(separator: "\n").first { $0.hasPrefix("  leak ") } ?? ""
            #expect(leaks.contains(" 7 rows, ") && leaks.contains(", reports 20, freed 0, "), "\(copied)")
            #expect(copied.output.contains("next: start the collectors"))
            let again = try CollectorProcess.run(copy)
            #expect(again.code == 1 && again.errors.contains("it is not empty"), "\(again)")

            let flags = ["--database-url", url]
            let one = try CollectorProcess(data: data, flags: flags)
            let other = try CollectorProcess(data: data, flags: flags)
            #expect(try Self.post(#"{"class": "C0"}"#, to: one) == 200)
            #expect(try Self.post(#"{"class": "New"}"#, to: other) == 200)
            for collector in [one, other] {
                let answer = try HTTPClient(.init()).get(
                    collector.address + "/api/v1/leaks",
                    fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
                let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
                #expect(json?["reports"] as? Int == 22)
            }
        }

        private static func post(_ body: String, to collector: CollectorProcess) throws -> Int {
            try HTTPClient(.init()).post(
                Array(body.utf8), to: collector.address + "/api/v1/reports",
                fields: [
                    HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                    HTTPField("Content-Type", "application/json"),
                ]
            ).status
        }

        private static func psql(_ database: String, _ command: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["psql", "--quiet", "--no-psqlrc", database, "--command", command]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(command)")
        }
    #else
        @Test func `a build without PostgreSQL says how to build with PostgreSQL`() throws {
            for flags in [[], ["--database-url", "postgres://h/d"]] {
                let result = try CollectorProcess.run(["copy"] + flags)
                #expect(result.code != 0 && result.errors.contains("TRAITS=PostgreSQL"), "\(result)")
            }
        }
    #endif
}

#if PostgreSQL
    import Foundation
    import Testing

    /// Commands that an operator runs with a PostgreSQL database.
    @Suite struct DatabaseCommandTests {
        private let folder: TemporaryFolder
        private let url: String
        private let secret = "s3cret"

        init() throws {
            folder = try TemporaryFolder()
            let given = try Self.server()
            // The server requires no password, but an address may contain one anyway.
            url = given.replacingOccurrences(of: "@", with: ":\(secret)@")
        }

        /// Returns the address of the tests' PostgreSQL server.
        static func server() throws -> String {
            try #require(
                ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"],
                "no PostgreSQL server: run make test, or set COLLECTOR_TEST_DATABASE_URL to the URL of one")
        }

        private func run(
            _ arguments: String..., at url: String? = nil
        ) throws -> (code: Int32, output: String, errors: String) {
            let result = try CollectorProcess.run(
                arguments + ["--data", folder.path + "/data"],
                environment: ["COLLECTOR_DATABASE_URL": url ?? self.url])
            #expect(!(result.output + result.errors).contains(secret), "\(result)")
            return result
        }

        @Test func `the address of the database can be read from a file`() throws {
            let file = folder.path + "/address"
            try Data((url + "\n").utf8).write(to: URL(fileURLWithPath: file))
            let verified = try CollectorProcess.run(
                ["verify", "--data", folder.path + "/data"],
                environment: ["COLLECTOR_DATABASE_URL_FILE": file])
            #expect(verified.code == 0 && verified.output.hasPrefix("database 127.0.0.1:"), "\(verified)")
            #expect(!(verified.output + verified.errors).contains(secret))
        }

        @Test
        func `with PostgreSQL import, erase, regroup, forget and verify work, and backup refers to pg_dump`()
            throws
        {
            let file = folder.path + "/reports.ndjson"
            let lines = (0..<3).map {
                #"{"class": "C\#($0)", "install": "i\#(UUID())"}"#
            }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
            let imported = try run("import", file, "--app", "com.acme.shop")
            #expect(imported.code == 0 && imported.output.contains("3 reports counted"), "\(imported)")
            #expect(
                try run("import", file, "--app", "com.acme.shop").output.contains("3 lines counted before"))
            #expect(try run("erase", "nobody").code == 0)

            let regrouped = try run("regroup", "--dry-run", "--app", "com.acme.shop")
            #expect(
                regrouped.code == 0 && regrouped.output.contains("nothing to merge: "), "\(regrouped)")

            let deleted = try run("forget", "--app", "com.acme.shop", "--yes")
            #expect(deleted.code == 0 && deleted.output.contains("deleted: 1 environment, "), "\(deleted)")

            let verified = try run("verify")
            let isSound = verified.output.hasSuffix("is sound: all totals are consistent\n")
            #expect(
                verified.code == 0 && isSound && verified.output.hasPrefix("database 127.0.0.1:"),
                "\(verified)")

            let backup = try run("backup", folder.path + "/b")
            #expect(backup.code == 1 && backup.errors.contains("pg_dump --format=custom"), "\(backup)")
        }

        @Test(arguments: ["verify", "serve"])
        func `the error about an unreachable database server names it without the password`(command: String)
            throws
        {
            let result = try run(command, at: "postgres://user:\(secret)@127.0.0.1:1/leaks")
            #expect(result.code == 1 && result.errors.contains("127.0.0.1:1/leaks"), "\(result)")
        }
    }
#endif

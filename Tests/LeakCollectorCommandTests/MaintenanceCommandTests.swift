import Foundation
import LeakHTTPClient
import Testing
import LeakPlatform

@testable import LeakStore

/// Backup, verification, import, erasure, and expiry with a wrong clock, as an operator sees them.
@Suite struct MaintenanceCommandTests {
    private let folder: TemporaryFolder
    private var data: String { folder.path + "/data" }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(arguments + ["--data", data])
    }

    private func post(
        _ body: String, to collector: CollectorProcess, key: String = CollectorProcess.key
    ) throws -> Int {
        try HTTPClient(.init()).post(
            Array(body.utf8), to: collector.address + "/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(key)"),
                HTTPField("Content-Type", "application/json"),
            ]
        ).status
    }

    private func reportCount(_ collector: CollectorProcess) throws -> Int? {
        try leaks(collector)?["reports"] as? Int
    }

    private func leaks(_ collector: CollectorProcess) throws -> [String: Any]? {
        let answer = try HTTPClient(.init()).get(
            collector.address + "/api/v1/leaks",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    }

    /// Requests the summary six times, so that every reader thread of the collector answers, and returns the pages.
    private func summaries(_ collector: CollectorProcess) throws -> [String] {
        try (0..<6).map { _ in
            let answer = try HTTPClient(.init()).get(
                collector.address + "/",
                fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
            return String(decoding: answer.body, as: UTF8.self)
        }
    }

    @Test func `a collector that starts with the clock far ahead logs why no data expires`() throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        do {
            let store = try SQLiteStore(path: data + "/leaks.sqlite", exclusive: true)
            _ = try store.expire(now: Int64(Date().timeIntervalSince1970 * 1_000) - 120 * 86_400_000)
        }
        let collector = try CollectorProcess(data: data)
        let log = collector.errorsUntil("nothing expires by it")
        #expect(log.contains("the clock is 120 days ahead of the last known time"), "\(log)")
        #expect(log.contains("If it is right, data expires again after the collector has run for"), "\(log)")
        #expect(try post(#"{"class": "C"}"#, to: collector) == 200)
    }

    @Test func `a version and an app can be deleted while the collector runs, after a confirmation`() throws {
        let collector = try CollectorProcess(data: data)
        for version in ["1.0", "2.0"] {
            let batch = #"{"app":{"id":"shop","version":"\#(version)"},"reports":[{"class":"C"}]}"#
            #expect(try post(batch, to: collector) == 200)
        }
        let dry = try run("forget", "--app", "shop", "--version", "2.0", "--dry-run")
        #expect(dry.code == 0 && dry.output.hasPrefix("to delete: 1 version, 1 report, "), "\(dry)")
        let asked = try run("forget", "--app", "shop", "--version", "2.0")
        #expect(asked.code == 2 && asked.errors.contains("confirm with --yes"), "\(asked)")
        #expect(try reportCount(collector) == 2)
        let version = try run("forget", "--app", "shop", "--version", "2.0", "--yes")
        #expect(version.code == 0 && version.output.contains("deleted: 1 version, 1 report, "), "\(version)")
        #expect(try reportCount(collector) == 1)
        let app = try run("forget", "--app", "shop", "--yes")
        #expect(
            app.code == 0 && app.output.contains("deleted: 1 environment, 1 version, 1 leak, 1 report"),
            "\(app)")
        #expect(try reportCount(collector) == 0)
        let missing = try run("forget", "--app", "shop", "--yes")
        #expect(missing.code == 1 && missing.errors.contains("there is no app shop"), "\(missing)")
        #expect(try post(#"{"app":{"id":"shop"},"reports":[{"class":"C"}]}"#, to: collector) == 200)
        #expect(try run("verify").code == 0)
    }

    @Test
    func `key undo deletes what a key created, after a confirmation, while the collector runs`()
        throws
    {
        let collector = try CollectorProcess(data: data)
        #expect(
            try post(#"{"app":{"id":"shop","version":"1.0"},"reports":[{"class":"C"}]}"#, to: collector)
                == 200)
        let made = try run("key", "create", "--name", "stolen")
        let lines = made.output.split(separator: "\n")
        let id = try #require(lines.first?.split(separator: " ").dropFirst().first)
        let secret = try #require(lines.last)
        let fake = #"{"app":{"id":"shop","version":"66.0"},"reports":[{"class":"C"},{"class":"Fake"}]}"#
        let deadline = ContinuousClock.now + .seconds(30)
        while try post(fake, to: collector, key: String(secret)) != 200, ContinuousClock.now < deadline {}

        let dry = try run("key", "undo", String(id), "--dry-run")
        #expect(dry.code == 0 && dry.output.hasPrefix("to delete: 1 version, 1 leak, 2 reports, "), "\(dry)")
        #expect(dry.output.contains("cannot be told apart") && dry.output.contains("nothing was deleted"))
        #expect(dry.errors.contains("run collector key revoke \(id) first"), "\(dry)")
        #expect(try run("key", "revoke", String(id)).code == 0)
        let asked = try run("key", "undo", String(id))
        #expect(asked.code == 2 && asked.errors.contains("confirm with --yes"), "\(asked)")
        let late = try run("key", "undo", String(id), "--since", "2100-01-01", "--yes")
        #expect(late.code == 1 && late.errors.contains("made no app, version or leak"), "\(late)")
        let undone = try run("key", "undo", String(id), "--yes")
        #expect(
            undone.code == 0 && undone.output.contains("deleted: 1 version, 1 leak, 2 reports"), "\(undone)")
        #expect(!undone.errors.contains("still valid"))
        #expect(try reportCount(collector) == 1)
        #expect(try run("verify").code == 0)
    }

    @Test func `a leak is discarded, listed and accepted again while the collector runs`() throws {
        let collector = try CollectorProcess(data: data)
        let report = #"{"app":{"id":"shop"},"reports":[{"class":"C"}]}"#
        #expect(try post(report, to: collector) == 200)
        let listedLeaks = try leaks(collector)?["leaks"] as? [[String: Any]]
        let id = try #require(listedLeaks?.first?["id"] as? String)
        #expect(try run("forget", "--list-discarded").output == "no leak is discarded\n")
        let deleted = try run("forget", "--leak", id, "--discard", "--yes")
        #expect(
            deleted.code == 0 && deleted.output.contains("later reports of the leak are dropped"),
            "\(deleted)")
        #expect(try post(report, to: collector) == 200)
        #expect(try reportCount(collector) == 0)
        let listed = try run("forget", "--list-discarded", "--app", "shop")
        #expect(listed.output.hasPrefix("\(id)\tshop\t1 dropped\tdiscarded "), "\(listed)")
        #expect(try run("forget", "--accept", id).code == 0)
        #expect(try run("forget", "--accept", id).code == 1)
        #expect(try post(report, to: collector) == 200)
        #expect(try reportCount(collector) == 1)
        #expect(try run("verify").code == 0)
    }

    @Test func `leaks are merged and separated again while the collector runs`() throws {
        let collector = try CollectorProcess(data: data)
        let reports = #"{"app":{"id":"shop"},"reports":[{"class":"C"},{"class":"D"}]}"#
        let other = #"{"app":{"id":"till"},"reports":[{"class":"E"}]}"#
        #expect(try post(reports, to: collector) == 200 && post(other, to: collector) == 200)
        let listedLeaks = try #require(try leaks(collector)?["leaks"] as? [[String: Any]])
        func id(_ className: String) throws -> String {
            try #require(listedLeaks.first { $0["class"] as? String == className }?["id"] as? String)
        }
        let across = try run("merge", try id("C"), try id("E"), "--dry-run")
        #expect(across.code == 1 && across.errors.contains("different apps"), "\(across)")
        let dry = try run("merge", try id("C"), try id("D"), "--dry-run")
        #expect(dry.code == 0 && dry.output.contains("nothing was changed"), "\(dry)")
        let merged = try run("merge", try id("C"), try id("D"))
        #expect(merged.code == 0 && merged.output.contains("collector unmerge 1"), "\(merged)")
        #expect(try post(reports, to: collector) == 200)
        #expect(try (leaks(collector)?["leaks"] as? [Any])?.count == 2)
        #expect(try run("verify").code == 0)
        let undone = try run("unmerge", "1")
        #expect(undone.code == 0 && undone.output.contains("has 1 report again"), "\(undone)")
        #expect(try run("unmerge", "1").code == 1)
        #expect(try (leaks(collector)?["leaks"] as? [Any])?.count == 3)
        #expect(try run("verify").code == 0)
    }

    @Test func `rules are checked, saved and shown while the collector runs`() throws {
        let collector = try CollectorProcess(data: data)
        let report = #"{"app":{"id":"shop"},"reports":[{"class":"C"}]}"#
        #expect(try post(report, to: collector) == 200)
        let file = data + "/shop.rules"
        try Data("# all\nclass:* -> \"All of it\"\n".utf8).write(to: URL(fileURLWithPath: file))
        let none = try run("rules", "show", "--app", "shop")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("has no rules"), "\(none)")
        let checked = try run("rules", "check", "--app", "shop", file)
        #expect(checked.code == 0 && checked.output.contains("All of it (new) (line 2)"), "\(checked)")
        #expect(checked.output.contains("1 leak of 1 compared; 0 would keep"), "\(checked)")
        let saved = try run("rules", "set", "--app", "shop", file)
        #expect(saved.code == 0 && saved.output.contains("version 1"), "\(saved)")
        #expect(try run("rules", "show", "--app", "shop").output == "# all\nclass:* -> \"All of it\"\n")
        #expect(try run("rules", "set", "--app", "shop", file).output.contains("nothing was changed"))
        try Data("class:A".utf8).write(to: URL(fileURLWithPath: file))
        for command in ["check", "set"] {
            let wrong = try run("rules", command, "--app", "shop", file)
            #expect(wrong.code == 1 && wrong.errors.contains("line 1, column 8"), "\(wrong)")
        }
        let missing = try run("rules", "check", "--app", "none", file)
        #expect(missing.code == 1, "\(missing)")
        #expect(try run("verify").code == 0)
    }

    @Test func `a running collector can be backed up, and another collector can start with the backup`()
        throws
    {
        let collector = try CollectorProcess(data: data)
        for number in 0..<20 { #expect(try post(#"{"class": "C\#(number)"}"#, to: collector) == 200) }
        let file = folder.path + "/backup.sqlite"
        let backup = try run("backup", file)
        #expect(backup.code == 0 && backup.output.hasPrefix("wrote \(file), "), "\(backup)")
        #expect(try post(#"{"class": "C0"}"#, to: collector) == 200)

        let again = try run("backup", file)
        #expect(again.code == 1 && again.errors.contains("--overwrite"), "\(again)")
        #expect(try run("verify", file).code == 0)
        #expect(try run("verify").code == 0)
        let verifiedFolder = try run("verify", folder.path)
        #expect(
            verifiedFolder.code == 1 && verifiedFolder.errors.contains("is a directory"), "\(verifiedFolder)")

        let restored = folder.path + "/restored"
        try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: file, toPath: restored + "/leaks.sqlite")
        #expect(try reportCount(try CollectorProcess(data: restored)) == 20)
        #expect(try reportCount(collector) == 21)
        #expect(try run("backup", file, "--overwrite", "yes").code == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "backup.sqlite", "data", "restored",
            ])
    }

    /// Runs the program while only the data folder is writable, as in a container with a read-only root.
    private static func runReadOnly(
        _ command: String, data: String
    ) throws -> (code: Int32, output: String) {
        let script = """
            mount --bind "$0" "$0" && mount -o remount,bind,ro / || exit 77
            for folder in /tmp /var/tmp /usr/tmp; do
              if touch "$folder/$$" 2> /dev/null; then rm "$folder/$$"; mount -o remount,bind,ro "$folder" || exit 77; fi
            done
            exec "$1" "$2" --data "$0"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = [
            "-rm", "/bin/sh", "-c", script, data, CollectorProcess.programURL.path, command,
        ]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// True if this machine allows a test to mount folders.
    private static let canMount: Bool = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mount-\(getpid())").path
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return (try? runReadOnly("--version", data: folder))?.code == 0
    }()

    private static let noon: Int64 = 1_795_176_000_000

    /// Returns a submission with reports of 200 leaks.
    private static func submission(_ number: Int) -> Submission {
        var submission = Submission(keyID: 1, receivedAt: noon)
        submission.origins = [Submission.Origin(app: "shop", version: "1.0", installHash: UInt64(number))]
        submission.body = Array("{}".utf8)
        submission.sightings = (number * 200..<number * 200 + 200).map {
            let name = "Cart\($0)"
            let leak = LeakIdentity(
                id: LeakID(high: 1, low: UInt64($0)), app: "shop", kind: "object", className: name,
                module: nil, title: name, stack: [name], children: [], cycle: [], quality: .full,
                groupingKey: GroupingKey(version: 1, className: name, stack: [name]))
            return Submission.Sighting(
                leak: leak, originIndex: 0, isFreed: false, at: noon, count: 1, alive: nil,
                livedMilliseconds: nil,
                jsonRange: 0..<2)
        }
        return submission
    }

    @Test(.enabled(if: canMount))
    func `verify needs no writable folder except the data folder`() throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let database = data + "/leaks.sqlite"
        do {
            let store = try SQLiteStore(path: database, exclusive: true)
            store.writer.with { $0.logLimits.millisecondsAfterRead = 0 }
            // The data does not fit into the cache of SQLite, so a query would use a temporary file.
            for call in 0..<8 {
                _ = try store.count((call * 6..<call * 6 + 6).map(Self.submission), now: Self.noon)
            }
        }
        let log = try SQLiteConnection(path: database, access: .readOnly).number(
            "select count(*) from count_log")
        #expect(log != 0)
        let verified = try Self.runReadOnly("verify", data: data)
        #expect(verified.code == 0, "\(verified.output)")
    }

    @Test
    func `an import beside a running collector counts each report once, and names the lines that it rejects`()
        throws
    {
        let collector = try CollectorProcess(data: data)
        let file = folder.path + "/reports.ndjson"
        var lines = (0..<1_500).map { #"{"class": "C\#($0 % 9)", "install": "i\#($0)"}"# }
        lines[3] = #"{"class": "", "message": ""}"#
        lines[5] = "{\"class\": "
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        for page in try summaries(collector) { #expect(!page.contains("com.acme.shop")) }
        let first = try run("import", file, "--app", "com.acme.shop")
        #expect(first.code == 1)
        for page in try summaries(collector) { #expect(page.contains("com.acme.shop")) }
        #expect(
            first.output
                == "1500 lines: 1498 reports counted, 0 lines counted before, 2 lines or reports rejected\n",
            "\(first)")
        #expect(first.errors.contains("line 4: ") && first.errors.contains("line 6: "), "\(first.errors)")

        // One line was corrected and one was added. No other line may count again.
        lines[5] = #"{"class": "Mended"}"#
        try (lines + [#"{"class": "New"}"#]).joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let second = try run("import", file, "--app", "com.acme.shop")
        #expect(
            second.output
                == "1501 lines: 2 reports counted, 1498 lines counted before, 1 line or report rejected\n",
            "\(second)")
        #expect(try reportCount(collector) == 1_500)
        #expect(try run("verify").code == 0)
    }

    @Test func `equal imported lines are counted separately if their file, app or version differs`() throws {
        let collector = try CollectorProcess(data: data)
        let (one, other) = (folder.path + "/one", folder.path + "/other")
        for file in [one, other] {
            try #"{"class": "C"}"#.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let imports: [(arguments: [String], counted: Int)] = [
            ([one], 1), ([one], 0),
            ([folder.path + "/../\((folder.path as NSString).lastPathComponent)/one"], 0),
            ([other], 1), ([other, "--app", "a"], 1), ([other, "--app", "b"], 1),
            ([other, "--app", "b", "--version", "2"], 1), ([other, "--app", "b", "--version", "2"], 0),
            ([other, "--name", "tuesday"], 1), ([one, "--name", "tuesday"], 0),
        ]
        for (arguments, counted) in imports {
            let result = try CollectorProcess.run(["import"] + arguments + ["--data", data])
            let counts = counted == 1 ? "1 report counted, 0 lines" : "0 reports counted, 1 line"
            #expect(
                result.output == "1 line: \(counts) counted before, 0 lines or reports rejected\n",
                "\(arguments): \(result)")
        }
        #expect(try reportCount(collector) == 6)
    }

    @Test
    func `an import has higher limits than a request, and prints how many reports had a time out of bounds`()
        throws
    {
        let collector = try CollectorProcess(data: data)
        let file = folder.path + "/apps"
        let lines = (0..<150).map {
            #"{"class": "C", "app": {"id": "app\#($0)"}, "at": "2020-01-01T00:00:00Z"}"#
        }
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let result = try run("import", file)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
        #expect(
            result.output.contains(
                "; 150 reports not counted at their own time: reports older than 30 days count as 30 days old"
            ),
            "\(result)")
        let answer = try HTTPClient(.init()).get(
            collector.address + "/api/v1/apps",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        #expect((json?["apps"] as? [Any])?.count == 150)
    }

    @Test func `wrong totals are reported, copied into a backup, and repaired only while no collector runs`()
        throws
    {
        let file = folder.path + "/backup.sqlite"
        do {
            let collector = try CollectorProcess(data: data)
            #expect(try post(#"{"class": "C", "install": "phone"}"#, to: collector) == 200)
            try SQLiteConnection(path: data + "/leaks.sqlite", access: .readWrite).execute(
                "update leak set reports = reports + 1")
            let verified = try run("verify")
            #expect(verified.code == 4 && verified.errors.contains("verify --repair"), "\(verified)")
            let backup = try run("backup", file)
            #expect(backup.code == 4 && backup.output.contains("some totals are inconsistent"), "\(backup)")
            let repair = try run("verify", "--repair")
            #expect(repair.code == 3 && repair.errors.contains("another collector serves it"), "\(repair)")
        }
        #expect(try run("verify", file).code == 4)
        let repair = try run("verify", "--repair")
        #expect(repair.code == 0 && repair.output.contains("reports and freed of a leak"), "\(repair)")
        #expect(try run("verify").code == 0)
    }

    @Test func `a backup never replaces the database`() throws {
        let collector = try CollectorProcess(data: data)
        let result = try run("backup", data + "/leaks.sqlite", "--overwrite", "yes")
        #expect(result.code == 1 && result.errors.contains("the database itself"), "\(result)")
        #expect(try post(#"{"class": "C"}"#, to: collector) == 200)
    }

    @Test func `import and verify report a missing file in one line`() throws {
        _ = try CollectorProcess(data: data)
        let result = try run("import", folder.path + "/none")
        #expect(
            result.code == 1 && result.errors.contains("/none cannot be opened: No such file"), "\(result)")
        let verified = try run("verify", folder.path + "/none")
        #expect(verified.code == 1 && verified.errors.split(separator: "\n").count == 1, "\(verified)")
    }

    @Test func `verify fails for a file that is not a database, and names the file`() throws {
        let file = folder.path + "/text"
        try "not a database, but long enough to look like one".write(
            toFile: file, atomically: true, encoding: .utf8)
        let result = try run("verify", file)
        #expect(result.code == 1 && result.errors.contains(file), "\(result)")
    }

    @Test func `the erase command deletes the data of an install while a collector runs`() throws {
        let collector = try CollectorProcess(data: data)
        #expect(try post(#"{"class": "C", "install": "phone"}"#, to: collector) == 200)
        let erased = try run("erase", "phone")
        #expect(erased.code == 0 && erased.output.hasPrefix("erased "), "\(erased)")
        #expect(try run("erase", "phone").output.hasPrefix("erased 0 sample reports"))
        // The running collector notices the erasure.
        #expect(try post(#"{"class": "C", "install": "tablet"}"#, to: collector) == 200)
        #expect(try run("verify").code == 0)
    }
}

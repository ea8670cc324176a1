import Foundation
import HTTPClient
import Testing

/// Backup, verification, import and erasure, as an operator runs them.
@Suite struct UpkeepTests {
    private let folder: TemporaryFolder
    private var data: String { folder.path + "/data" }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(arguments + ["--data", data])
    }

    private func post(_ body: String, to collector: CollectorProcess) throws -> Int {
        try CurlClient(.init()).post(
            Array(body.utf8), to: collector.address + "/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                HTTPField("Content-Type", "application/json"),
            ]
        ).status
    }

    private func reports(_ collector: CollectorProcess) throws -> Int? {
        let answer = try CurlClient(.init()).get(
            collector.address + "/api/v1/leaks",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return json?["reports"] as? Int
    }

    @Test func `a backup is taken from a running collector, and another starts on it`() throws {
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

        let restored = folder.path + "/restored"
        try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: file, toPath: restored + "/leaks.sqlite")
        #expect(try reports(try CollectorProcess(data: restored)) == 20)
        #expect(try reports(collector) == 21)
        #expect(try run("backup", file, "--overwrite", "yes").code == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "backup.sqlite", "data", "restored",
            ])
    }

    @Test func `an import counts once, beside a running collector, and names what it refuses`() throws {
        let collector = try CollectorProcess(data: data)
        let file = folder.path + "/reports.ndjson"
        var lines = (0..<1_500).map { #"{"class": "C\#($0 % 9)", "install": "i\#($0)"}"# }
        lines[3] = #"{"class": "", "message": ""}"#
        lines[5] = "{\"class\": "
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let first = try run("import", file, "--app", "com.acme.shop")
        #expect(first.code == 1)
        #expect(
            first.output == "1500 lines: 1498 reports counted, 0 lines counted before, 2 refused\n",
            "\(first)")
        #expect(first.errors.contains("line 4: ") && first.errors.contains("line 6: "), "\(first.errors)")

        try lines.dropFirst(0).joined(separator: "\n").appending("\n" + #"{"class": "New"}"#)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let second = try run("import", file, "--app", "com.acme.shop")
        #expect(
            second.output == "1501 lines: 1 reports counted, 1498 lines counted before, 2 refused\n",
            "\(second)")
        #expect(try reports(collector) == 1_499)
        #expect(try run("verify").code == 0)
    }

    @Test func `a file that is not there is one line`() throws {
        _ = try CollectorProcess(data: data)
        let result = try run("import", folder.path + "/none")
        #expect(
            result.code == 1 && result.errors.contains("/none cannot be opened: No such file"), "\(result)")
        let verified = try run("verify", folder.path + "/none")
        #expect(verified.code == 1 && verified.errors.split(separator: "\n").count == 1, "\(verified)")
    }

    @Test func `verify says what is wrong, and fails`() throws {
        let file = folder.path + "/text"
        try "not a database, but long enough to look like one".write(
            toFile: file, atomically: true, encoding: .utf8)
        let result = try run("verify", file)
        #expect(result.code == 1 && result.errors.contains(file), "\(result)")
    }

    @Test func `an install is erased`() throws {
        let collector = try CollectorProcess(data: data)
        #expect(try post(#"{"class": "C", "install": "phone"}"#, to: collector) == 200)
        let erased = try run("erase", "phone")
        #expect(erased.code == 0 && erased.output.hasPrefix("erased "), "\(erased)")
        #expect(try run("erase", "phone").output.hasPrefix("erased 0 kept reports"))
        // The collector that runs notices.
        #expect(try post(#"{"class": "C", "install": "tablet"}"#, to: collector) == 200)
        #expect(try run("verify").code == 0)
    }
}

import Foundation

/// A collector of its own for one measurement, on a free port with an empty database.
final class CollectorProcess {
    static let key = "benchmark-ingest-key-0000000000000000000"
    static let token = "benchmark-access-token-00000000000000000"

    let folder: String
    let port: Int
    private let process = Process()

    /// - Parameter program: the path of a release build.
    init(program: String, publicFolder: String) throws {
        folder = NSTemporaryDirectory() + "ingest-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["serve", "--port", "0", "--data", folder, "--public", publicFolder]
        process.environment = [
            "COLLECTOR_INGEST_KEY": Self.key, "COLLECTOR_ACCESS_TOKEN": Self.token,
            "COLLECTOR_REPORTS_PER_SECOND": "0",
        ]
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("the collector did not start: \(program)") }
            text += String(decoding: more, as: UTF8.self)
        }
        guard let number = text.split(separator: "\n").first?.split(separator: ":").last,
            let port = Int(number)
        else {
            throw Failure("not the collector's first line: \(text)")
        }
        self.port = port
    }

    /// Resident memory now and at its highest, in KiB.
    var memory: (now: Int, highest: Int) {
        let status =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
        return (value("VmRSS:"), value("VmHWM:"))
    }

    /// Processor time used so far, in seconds.
    var processorSeconds: Double {
        let stat =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            return 0
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Reports counted, as the API says.
    func counted() throws -> Int {
        let text = try Shell.run(
            "curl",
            ["-fsS", "-H", "Authorization: Bearer \(Self.token)", "http://127.0.0.1:\(port)/api/v1/summary"])
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        guard let reports = json?["reports"] as? Int else {
            throw Failure("no number of reports in: \(text)")
        }
        return reports
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

enum Shell {
    /// Runs a program found on PATH and gives what it printed.
    static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                "\(program) failed with \(process.terminationStatus); is it installed? (apt-get install wrk curl)"
            )
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

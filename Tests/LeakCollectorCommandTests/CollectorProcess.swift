import Foundation
import LeakHTTPClient

/// The built program, run as an operator runs it.
final class CollectorProcess {
    static let key = "test-ingest-key-000000000000000000000000"
    static let token = "test-access-token-0000000000000000000000"

    private let process = Process()
    private let errors = Pipe()
    private let output = Pipe()
    /// Standard output up to the sign-in link.
    private(set) var startupOutput = ""
    private(set) var port = 0

    var address: String { "http://127.0.0.1:\(port)" }

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - openFiles: the limit of open files; `nil` keeps the limit of the test process.
    ///   - user: the user that the server runs as, with group 0; `nil` is the user of the tests. Another user
    ///     requires root.
    init(
        data: String, flags: [String] = [], environment: [String: String] = [:], openFiles: Int? = nil,
        user: uid_t? = nil
    ) throws {
        let limit = openFiles.map { "ulimit -n \($0) && " } ?? ""
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            [
                "-c", "\(limit)exec \(Self.prefix(user: user, group: 0)) \"$0\" \"$@\"",
                Self.programURL.path,
                "serve", "--port", "0", "--data", data, "--public", Self.publicFolder,
            ] + flags
        process.environment = [
            "COLLECTOR_INGEST_KEY": Self.key, "COLLECTOR_ACCESS_TOKEN": Self.token,
        ].merging(environment) { $1 }.filter { !$0.value.isEmpty }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // The last line of the startup output contains the sign-in link.
        while !startupOutput.contains("sign in") || !startupOutput.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failed(words: standardError) }
            startupOutput += String(decoding: more, as: UTF8.self)
        }
        // The port is in the line "listening on http://…", which is plain text, or a message in JSON if the log is JSON.
        port =
            startupOutput.components(separatedBy: "listening on http://").dropFirst().first?
            .prefix { !$0.isNewline && $0 != "\"" }.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    /// Returns the shell command that runs the rest of the line as another user; empty for the current user.
    private static func prefix(user: uid_t?, group: gid_t) -> String {
        guard let user, user != getuid() else { return "" }
        return "setpriv --reuid \(user) --regid \(group) --clear-groups"
    }

    /// Kills the process, so that it never outlives its test.
    deinit {
        guard process.isRunning else { return }
        kill(SIGKILL)
        process.waitUntilExit()
    }

    struct Failed: Error { let words: String }

    var isRunning: Bool { process.isRunning }

    var processIdentifier: Int32 { process.processIdentifier }

    private var standardError: String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Returns standard output after the startup output, up to the line that contains `words`.
    func outputUntil(_ words: String) -> String { Self.read(output, until: words) }

    /// Returns standard error up to the line that contains `words`.
    func errorsUntil(_ words: String) -> String { Self.read(errors, until: words) }

    /// Standard output after the startup output, up to its end.
    var restOfOutput: String {
        String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Standard error that was not read yet, up to its end.
    var restOfErrors: String { standardError }

    private static func read(_ pipe: Pipe, until words: String) -> String {
        var bytes = Data()
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasSuffix("\n") && text.contains(words) { return text }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { return text }
            bytes += more
        }
    }

    func kill(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: the exit code, or the number of the signal that ended the process.
    @discardableResult
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs `collector health`, and repeats it if it times out: on a busy machine its two seconds may not be enough.
    static func health(
        _ flags: [String] = [], environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String, errors: String) {
        var health = try run(["health"] + flags, environment: environment)
        for _ in 0..<30 where health.errors.contains("curl code 28") {
            health = try run(["health"] + flags, environment: environment)
        }
        return health
    }

    /// Runs the program to its end.
    ///
    /// - Parameter user: the user that the program runs as; `nil` is the user of the tests. Another user requires
    ///   root.
    static func run(
        _ arguments: [String], environment: [String: String] = [:],
        program: URL = CollectorProcess.programURL,
        user: uid_t? = nil
    ) throws -> (code: Int32, output: String, errors: String) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        if let user {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "exec \(prefix(user: user, group: user)) \"$0\" \"$@\"", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = environment
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, words)
    }

    /// The folder of the products of the build, which contains the bundle of these tests.
    static let productsFolder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

    /// The collector's program: `collector`, or `leak-collector` in a build without LEAK_COLLECTOR_DEVELOPMENT. If both exist,
    /// the newer program is used.
    static let programURL: URL = {
        func buildDate(_ program: URL) -> Date? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: program.path)
            return attributes?[.modificationDate] as? Date
        }
        let programs = ["collector", "leak-collector"].map(productsFolder.appendingPathComponent)
        return programs.max { buildDate($0) ?? .distantPast < buildDate($1) ?? .distantPast }!
    }()

    static let demoProgramURL = productsFolder.appendingPathComponent("leak-demo")

    static let publicFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Public").path
}

/// A folder for one test. It is removed when this object is deallocated.
final class TemporaryFolder {
    let path = NSTemporaryDirectory() + "collector-test-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

import Foundation

/// sentry-sdk for Python, as `Scripts/setup-sentry` gets it.
enum RealSDK {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let packages = top.appendingPathComponent(".build/sentry/packages")
    private static let script = top.appendingPathComponent(
        "Tests/LeakCollectorTests/Vectors/sentry-sdk.py")

    /// The list of checksums is written last.
    static let isThere = FileManager.default.fileExists(
        atPath: packages.appendingPathComponent("checksums").path)

    struct Failed: Error { let words: String }

    /// Has it send, in a process of its own.
    ///
    /// - Returns: what it says about it.
    static func run(_ scenario: String, dsn: String) async throws -> [String: Any] {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script.path, dsn, scenario]
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.lowercased().hasSuffix("_proxy") && !$0.key.hasPrefix("SENTRY_")
        }
        environment["PYTHONPATH"] = packages.path
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        process.environment = environment
        process.standardOutput = output
        process.standardError = errors
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        let said = output.fileHandleForReading.readDataToEndOfFile()
        guard let json = try? JSONSerialization.jsonObject(with: said) as? [String: Any] else {
            let words = errors.fileHandleForReading.readDataToEndOfFile()
            throw Failed(words: String(decoding: words, as: UTF8.self))
        }
        return json
    }
}

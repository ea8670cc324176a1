import Foundation

/// sentry-sdk for Python, as `Scripts/setup-sentry` installs it.
enum RealSDK {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let packages = top.appendingPathComponent(".build/sentry/packages")
    private static let script = top.appendingPathComponent(
        "Tests/LeakCollectorTests/Vectors/sentry-sdk.py")

    /// True if the SDK is installed. The list of checksums is written last.
    static let isInstalled = FileManager.default.fileExists(
        atPath: packages.appendingPathComponent("checksums").path)

    struct Failed: Error { let errorOutput: String }

    /// Runs a scenario of the SDK in a separate process.
    ///
    /// - Returns: the output of the process.
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
        // The pipes are read while the process runs, because it would wait forever to write to a full pipe.
        let (outputReader, errorReader) = (PipeReader(output), PipeReader(errors))
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        let data = await outputReader.all
        guard let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Failed(errorOutput: String(decoding: await errorReader.all, as: UTF8.self))
        }
        return json
    }
}

/// Reads a pipe to its end on a separate thread.
private struct PipeReader {
    private let chunks: AsyncStream<Data>

    init(_ pipe: Pipe) {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        self.chunks = chunks
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            continuation.yield(handle.readDataToEndOfFile())
            continuation.finish()
        }
    }

    var all: Data {
        get async { await chunks.reduce(into: Data()) { $0 += $1 } }
    }
}

import Foundation

struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// An `http-echo` of its own, on a free port.
final class EchoProcess {
    let port: Int
    private let process = Process()

    /// - Parameter program: the path of `http-echo`.
    init(program: String, workers: Int) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--port", "0", "--workers", "\(workers)"]
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.split(separator: ":").last.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw Failure("http-echo did not say where it listens: \(line)")
        }
        self.port = port
    }

    var isRunning: Bool { process.isRunning }

    /// Descriptors that are open, of a system that has /proc.
    var descriptors: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// Resident memory in KiB.
    var memory: Int {
        let path = "/proc/\(process.processIdentifier)/status"
        let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("VmRSS:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Stops it as an operator would.
    ///
    /// - Returns: its exit code.
    @discardableResult
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// A program beside, such as an attacker.
final class Beside {
    private let process = Process()

    init(_ program: String, _ arguments: [String], in folder: String? = nil) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    func kill() {
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, SIGKILL)
        #else
            Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }
}

import Foundation

/// A child process, such as an attacker.
final class ChildProcess {
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

import Foundation

/// Message for the user at the terminal.
public struct Failure: Error, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}

public enum Shell {
    /// Runs a program found on PATH and returns its output.
    public static func run(_ program: String, _ arguments: [String]) throws -> String {
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

import Foundation

/// Runs tests that otherwise pass in a separate process with an environment variable, which makes them leak. The output of that
/// process shows how a test framework prints a real failure.
enum LeaksOnDemand {
    private static let variable = "LEAK_ON_PURPOSE"

    static var isRequested: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    #if os(Linux)
        /// Runs the bundle of these tests, which is a program on Linux, in another process, and makes it leak.
        static func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
            let process = Process()
            let output = Pipe()
            process.executableURL = Bundle.main.executableURL
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
        }
    #endif
}

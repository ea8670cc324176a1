import Foundation
import LeakPlatform

/// `leak-reporter-app`, run as a process that can be killed.
final class ReporterAppProcess {
    private struct Output {
        var text = ""
        var hasEnded = false
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Guarded(Output())

    /// - Parameter arguments: the arguments of the app, such as `count=10`; see `AppOptions`.
    init(_ arguments: [String]) throws {
        let pipe = Pipe()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
        let output = output
        let reading = pipe.fileHandleForReading
        // Reads continuously, so that a full pipe never blocks the app.
        Thread.detachNewThread {
            while true {
                let more = reading.availableData
                output.with { output in
                    output.text += String(decoding: more, as: UTF8.self)
                    output.hasEnded = more.isEmpty
                }
                output.wakeAll()
                if more.isEmpty { return }
            }
        }
    }

    /// Kills the process, so that it never outlives its test.
    deinit {
        guard process.isRunning else { return }
        kill()
    }

    /// Returns the number in the newest line that begins with `word`, or 0 if there is no such line.
    func newestNumber(after word: String) -> Int {
        output.with { Self.newestNumber(after: word, in: $0.text) }
    }

    /// Waits until the app has printed a line with `word` and at least this number, or has ended.
    ///
    /// - Returns: `true` if the app has printed such a line within a minute.
    func waitForLine(_ word: String, atLeast number: Int) -> Bool {
        output.wait(milliseconds: 60_000) { output in
            if Self.newestNumber(after: word, in: output.text) >= number { return true }
            return output.hasEnded ? false : nil
        } ?? false
    }

    /// Lets a waiting app continue.
    func letContinue() { try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    /// Kills the process with SIGKILL, and waits until all its output has been read.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        waitForOutput()
    }

    /// Waits until the process ends by itself.
    ///
    /// - Returns: the last line of its output.
    func wait() -> String {
        process.waitUntilExit()
        waitForOutput()
        return output.with { $0.text.split(separator: "\n").last.map(String.init) ?? "" }
    }

    private func waitForOutput() {
        _ = output.wait(milliseconds: 60_000) { $0.hasEnded ? true : nil }
    }

    private static func newestNumber(after word: String, in text: String) -> Int {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let line = lines.last { $0.hasPrefix(word + " ") }
        return line.flatMap { Int($0.dropFirst(word.count + 1)) } ?? 0
    }

    /// The path of the program, which is beside the bundle of these tests.
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("leak-reporter-app")
}

import Foundation

/// A server under measurement, and its use of resources.
public final class ServerProcess {
    private let process = Process()
    private let output = Pipe()

    /// - Parameters:
    ///   - program: a path, or a name on PATH.
    ///   - environment: `nil` passes on the environment of this process.
    ///   - core: the only core that the server may use; `nil` lets the system choose.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil, core: Int? = nil
    ) throws {
        let pinning = core.map { ["taskset", "-c", "\($0)"] } ?? []
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = pinning + [program] + arguments
        if let environment { process.environment = environment }
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the first line of output, and returns the port at its end.
    public func announcedPort() throws -> Int {
        var text = ""
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failure("the server did not start: \(process.arguments?.joined(separator: " ") ?? "")")
            }
            text += String(decoding: more, as: UTF8.self)
        }
        guard let number = text.split(separator: "\n").first?.split(separator: ":").last,
            let port = Int(number)
        else {
            throw Failure("the first line of output does not end with a port: \(text)")
        }
        return port
    }

    public var isRunning: Bool { process.isRunning }

    /// Resident memory now and at its highest, in KiB.
    public var memory: (now: Int, highest: Int) {
        let status = read("status")
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
        return (value("VmRSS:"), value("VmHWM:"))
    }

    /// Processor time used so far, in seconds. The system counts it in ticks of 10 ms.
    public var processorSeconds: Double {
        let fields = read("stat").split(separator: ")").last.map { $0.split(separator: " ") } ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            return 0
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func read(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Number of open file descriptors; 0 on a system without /proc.
    public var descriptors: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// Stops the server as an operator would.
    ///
    /// - Returns: its exit code.
    @discardableResult
    public func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

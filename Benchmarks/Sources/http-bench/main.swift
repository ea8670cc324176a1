import Foundation
import LoadTools

// Measures our server and nginx in alternating rounds, with the same work, one core for the server and one for the load. Ratios
// are medians of the rounds; the least and the greatest ratio stand beside them.

let arguments = Array(CommandLine.arguments.dropFirst())
func option(_ name: String, _ fallback: String) -> String {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return fallback }
    return arguments[index + 1]
}
if arguments.contains("--help") {
    print("usage: http-bench [--echo PATH] [--seconds 2] [--rounds 5] [--idle 1000] [--only PART-OF-A-NAME]")
    exit(0)
}

let program = option("--echo", ".build/release/http-echo")
let seconds = Int(option("--seconds", "2")) ?? 2
let rounds = Int(option("--rounds", "5")) ?? 5
let idle = Int(option("--idle", "1000")) ?? 1000
let only = arguments.contains("--only") ? option("--only", "") : nil

/// Returns the bytes of resident memory that an idle connection uses. `peer` must not have had many connections before.
func bytesPerIdleConnection(_ peer: Peer) throws -> Double {
    func open(_ count: Int) throws -> [Connection] {
        try (0..<count).map { _ in
            guard let connection = Connection.open(port: peer.port), connection.ask() else {
                throw Failure("a connection was refused; is \(count) below the limits?")
            }
            return connection
        }
    }
    let first = try open(8)
    let before = peer.process.memory.now
    let more = try open(idle)
    let after = peer.process.memory.now
    return withExtendedLifetime((first, more)) { Double(after - before) * 1024 / Double(idle) }
}

// All connections of a run are open at once, on both sides.
var files = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
files.rlim_cur = min(files.rlim_max, 8192)
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)

let folder = NSTemporaryDirectory() + "http-bench-\(UUID().uuidString)"
do {
    try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Bytes without a pattern; neither server compresses this type.
    let bytes = Data((0..<Load.fileBytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
    try bytes.write(to: URL(fileURLWithPath: "\(folder)/files/\(Load.fileName)"))

    let ours = try Peer.ours(program: program, files: folder + "/files")
    defer { ours.process.stop() }
    let nginx = try Peer.nginx(folder: folder, files: folder + "/files")
    defer { nginx.process.stop() }

    let load = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8).prefix(14)
    print(
        "server on core \(Core.server), wrk (1 thread) on core \(Core.load), \(rounds) rounds of \(seconds) s each;"
    )
    print("load of the machine before: \(load)\n")
    var report = Report()
    let (idleOurs, idleNginx) = (try bytesPerIdleConnection(ours), try bytesPerIdleConnection(nginx))
    for (name, request, limit) in Allocations.limits {
        let count = try Allocations.perRequest(request)
        print(report.allocationsLine(name, count, limit: limit))
    }
    print(report.idleLine(connections: idle, ours: idleOurs, nginx: idleNginx) + "\n")
    print(Report.head)
    for load in Load.all(only) {
        let measurement = try Measurement(
            load, ours: ours, nginx: nginx, folder: folder, rounds: rounds, seconds: seconds)
        print(report.line(measurement))
        fflush(nil)
    }
    print(report.missed.isEmpty ? "\nall targets met" : "\nmissed:")
    for miss in report.missed { print("- \(miss)") }
} catch {
    FileHandle.standardError.write(Data("http-bench: \(error)\n".utf8))
    exit(1)
}

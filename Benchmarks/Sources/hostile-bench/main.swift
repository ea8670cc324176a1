import Foundation
import LoadTools

// Measures the service that well-behaved clients get from http-echo, and from a collector, during an attack.

let usage = """
    usage: hostile-bench [--echo PATH] [--workers 1] [--rounds 5] [--seconds 3] [--attackers 1200]
                         [--kinds \(Attacker.Kind.allCases.map(\.rawValue).joined(separator: ","))]
                         [--slow SECONDS] [--slow-connections 1000] [--churn COUNT] [--observers on|off]
           hostile-bench --collector PATH [--public Public] [--rounds 5] [--seconds 3]

    Without --slow and --churn, measures the latency of good clients alone and under attack. --slow runs slowhttptest
    in each of its four modes for SECONDS. --churn opens and closes COUNT connections. --observers off starts http-echo
    without access log and hooks. Exits with 1 if a good client was not served, if descriptors or memory were not
    released, or if the observers were called for another number of responses than the server counted.

    --collector measures a page of a collector for a signed-in client, while other clients guess the access token.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
func option(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
}
func number(_ name: String, _ fallback: Int) -> Int { option(name).flatMap { Int($0) } ?? fallback }

if arguments.contains("--help") {
    print(usage)
    exit(0)
}

// A thousand connections are more than many systems allow a program at first; child processes inherit the limit.
var limit = rlimit()
#if canImport(Darwin)
    let openFiles = RLIMIT_NOFILE
#else
    let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif
unsafe getrlimit(openFiles, &limit)
limit.rlim_cur = min(limit.rlim_max, 65536)
unsafe setrlimit(openFiles, &limit)

let kinds =
    option("--kinds")?.split(separator: ",").compactMap { Attacker.Kind(rawValue: String($0)) }
    ?? Attacker.Kind.allCases
if let port = option("--swarm").flatMap({ Int($0) }) {
    AttackerPool.run(port: port, count: number("--attackers", 1200), kinds: kinds)
}
if let port = option("--guess").flatMap({ Int($0) }) { Guesses.guess(port: port) }

do {
    if let collector = option("--collector") {
        let guesses = try Guesses(
            collector: collector, publicFolder: option("--public") ?? "Public",
            program: CommandLine.arguments[0])
        exit(
            try guesses.measure(seconds: Double(number("--seconds", 3)), rounds: number("--rounds", 5))
                ? 0 : 1)
    }
    let server = try ServerProcess(
        option("--echo") ?? ".build/release/http-echo",
        [
            "--port", "0", "--workers", "\(number("--workers", 1))", "--observers",
            option("--observers") ?? "on",
        ])
    let bench = Bench(server: server, port: try server.announcedPort(), program: CommandLine.arguments[0])
    var isServed = true
    if let seconds = option("--slow").flatMap({ Int($0) }) {
        isServed = try bench.measureSlowHTTP(
            connections: number("--slow-connections", 1000), seconds: seconds)
    }
    if let count = option("--churn").flatMap({ Int($0) }) {
        isServed = bench.churn(connections: count) && isServed
    }
    if option("--slow") == nil && option("--churn") == nil {
        isServed = try bench.measureAttack(
            attackers: number("--attackers", 1200), kinds: kinds, seconds: Double(number("--seconds", 3)),
            rounds: number("--rounds", 5))
    }
    guard server.isRunning, server.stop() == 0 else {
        throw Failure("http-echo has ended early, or its exit code was not 0")
    }
    exit(isServed ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("hostile-bench: \(error)\n".utf8))
    exit(1)
}

import Foundation
import LoadTools

/// Measures the time of a collector's page while other clients guess its access token.
struct Guesses {
    private static let token = "benchmark-access-token-00000000000000000"
    private static let connections = 64
    /// Number of guesses that a connection sends together.
    private static let pipelined = 32

    private let server: ServerProcess
    private let port: Int
    private let folder: String
    /// The path of this program, which also runs as the guessing client.
    private let program: String

    /// - Parameters:
    ///   - collector: the path of a release build.
    ///   - publicFolder: the folder with the style sheet and scripts of the pages.
    init(collector: String, publicFolder: String, program: String) throws {
        folder = NSTemporaryDirectory() + "hostile-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        server = try ServerProcess(
            collector, ["serve", "--port", "0", "--data", folder, "--public", publicFolder],
            environment: ["COLLECTOR_ACCESS_TOKEN": Self.token])
        port = try server.announcedPort()
        self.program = program
    }

    /// Measures rounds without and with guesses, in turn. One signed-in client requests the summary page thirty times a second.
    ///
    /// - Returns: `true` if each page arrived.
    func measure(seconds: Double, rounds: Int) throws -> Bool {
        defer {
            server.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }
        let signedIn = try Shell.run(
            "curl",
            [
                "-fsS", "-o", "/dev/null", "-D", "-", "-d", "token=\(Self.token)",
                "http://127.0.0.1:\(port)/sign-in",
            ])
        let cookies = signedIn.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("set-cookie:") }
        guard let cookie = cookies.first?.dropFirst("set-cookie:".count).split(separator: ";").first else {
            throw Failure("no cookie in: \(signedIn)")
        }
        let page = "GET / HTTP/1.1\r\nHost: a\r\nCookie: \(cookie.drop { $0 == " " })\r\n\r\n"
        var (alone, guessed) = (ClientStatistics(), ClientStatistics())
        for _ in 0..<rounds {
            alone = alone + measurePage(page, seconds)
            let swarm = try ChildProcess(program, ["--guess", "\(port)"])
            Thread.sleep(forTimeInterval: 0.5)
            guessed = guessed + measurePage(page, seconds)
            guard swarm.isRunning else { throw Failure("the program that guesses has ended") }
            swarm.kill()
        }
        print(
            "\(rounds) rounds of \(seconds) s without and with \(Self.connections) connections that send \(Self.pipelined) guesses at a time; closed connections are replaced at once\n"
        )
        print("| the summary, signed in | pages | failed | p50 ms | p99 ms |")
        print("|---|---|---|---|---|")
        for (name, seen) in [("alone", alone), ("during guesses", guessed)] {
            let times = [0.5, 0.99].map { String(format: "%.2f", seen.percentile($0)) }
            print("| \(name) | \(seen.count) | \(seen.failures) | \(times[0]) | \(times[1]) |")
        }
        return alone.failures + guessed.failures == 0 && alone.count > 0 && guessed.count > 0
    }

    private func measurePage(_ page: String, _ seconds: Double) -> ClientStatistics {
        let client = GoodClient(
            port: port, request: page, pause: 30_000_000, connectsAnew: false, due: nanoseconds())
        var seen = ClientStatistics.running([client], seconds: seconds)
        // A page that has not arrived yet may never arrive.
        if client.awaitedEvents != nil {
            seen = ClientStatistics.running([client], seconds: Double(GoodClient.patience) / 1e9)
        }
        return seen
    }

    /// Guesses from all connections in one thread; runs until it is killed.
    static func guess(port: Int) -> Never {
        let form = "token=guess"
        let guess =
            "POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)"
        let guesses = Array(String(repeating: guess, count: pipelined).utf8)[...]
        var wires = [(wire: ClientConnection, unsent: ArraySlice<UInt8>)?](repeating: nil, count: connections)
        var scratch = [UInt8](repeating: 0, count: 65536)
        while true {
            for index in wires.indices {
                guard let open = wires[index] else {
                    wires[index] = ClientConnection(port: port).map { ($0, guesses) }
                    continue
                }
                if case .bytes(let count) = open.wire.send(open.unsent) {
                    wires[index]?.unsent = open.unsent.dropFirst(count)
                }
                switch open.wire.receive(into: &scratch, atMost: scratch.count) {
                case .ended: wires[index] = nil
                case .bytes: if wires[index]?.unsent.isEmpty ?? false { wires[index]?.unsent = guesses }
                case .nothingNow: break
                }
            }
            Pause.milliseconds(1)
        }
    }
}

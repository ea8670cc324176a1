import Foundation
import LoadTools

/// Measures good clients, alone and during attacks.
struct Bench {
    let server: ServerProcess
    let port: Int
    /// The path of this program, which also runs as the attackers (`--swarm`).
    let program: String

    private static let body = String(repeating: "r", count: 559)

    /// Returns eight clients that keep their connection and send 200 requests a second each, and two clients that open a
    /// connection for each of their 50 requests a second.
    private func goodClients() -> (kept: [GoodClient], anew: [GoodClient]) {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.body.count)\r\n\r\n\(Self.body)"
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let start = nanoseconds()
        return (
            (0..<8).map { index in
                GoodClient(
                    port: port, request: post, pause: 5_000_000, connectsAnew: false,
                    due: start + UInt64(index) * 600_000)
            },
            (0..<2).map { index in
                GoodClient(
                    port: port, request: get, pause: 20_000_000, connectsAnew: true,
                    due: start + UInt64(index) * 10_000_000)
            }
        )
    }

    private func measure(seconds: Double) -> (kept: ClientStatistics, anew: ClientStatistics) {
        let (kept, anew) = goodClients()
        _ = ClientStatistics.running(kept + anew, seconds: seconds)
        return (ClientStatistics.sum(of: kept), ClientStatistics.sum(of: anew))
    }

    /// Measures rounds without and with attackers, in turn.
    ///
    /// - Returns: `true` if every request of a good client succeeded.
    func measureAttack(attackers: Int, kinds: [Attacker.Kind], seconds: Double, rounds: Int) throws -> Bool {
        var alone = (kept: ClientStatistics(), anew: ClientStatistics())
        var attacked = (kept: ClientStatistics(), anew: ClientStatistics())
        var ratios: [String: [Double]] = [:]
        var mostOpen = 0
        _ = measure(seconds: 0.5)
        for _ in 0..<rounds {
            let quiet = measure(seconds: seconds)
            let swarm = try ChildProcess(
                program,
                [
                    "--swarm", "\(port)", "--attackers", "\(attackers)", "--kinds",
                    kinds.map(\.rawValue).joined(separator: ","),
                ])
            Thread.sleep(forTimeInterval: 1.5)
            let loud = measure(seconds: seconds)
            mostOpen = max(mostOpen, server.descriptors)
            swarm.kill()
            Thread.sleep(forTimeInterval: 0.5)
            for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
                ratios["kept \(name)", default: []].append(
                    loud.kept.percentile(share) / quiet.kept.percentile(share))
                ratios["anew \(name)", default: []].append(
                    loud.anew.percentile(share) / quiet.anew.percentile(share))
            }
            alone = (alone.kept + quiet.kept, alone.anew + quiet.anew)
            attacked = (attacked.kept + loud.kept, attacked.anew + loud.anew)
        }
        print(
            "\(rounds) rounds of \(seconds) s without and with \(attackers) attackers; the server had \(mostOpen) descriptors, now \(server.memory.now / 1024) MiB\n"
        )
        print(
            "| good clients | alone p50 ms | p99 ms | attacked p50 ms | p99 ms | ratio p50 | p99 | failed | asked again |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for (name, key, quiet, loud) in [
            ("kept connections", "kept", alone.kept, attacked.kept),
            ("a connection each", "anew", alone.anew, attacked.anew),
        ] {
            func ratio(_ percentile: String) -> String {
                let sorted = (ratios["\(key) \(percentile)"] ?? []).sorted()
                return String(format: "%.2f", sorted.isEmpty ? .nan : sorted[sorted.count / 2])
            }
            print(
                "| \(name) | \(milliseconds(quiet.percentile(0.5))) | \(milliseconds(quiet.percentile(0.99)))"
                    + " | \(milliseconds(loud.percentile(0.5))) | \(milliseconds(loud.percentile(0.99)))"
                    + " | \(ratio("p50")) | \(ratio("p99"))"
                    + " | \(quiet.failures + loud.failures) of \(quiet.count + loud.count) | \(quiet.repeats + loud.repeats) |"
            )
        }
        return attacked.kept.failures + attacked.anew.failures + alone.kept.failures + alone.anew.failures
            == 0
    }

    /// Runs slowhttptest in its four modes, while a client that opens a connection for each request sends ten requests a
    /// second.
    ///
    /// - Returns: `true` if every request of that client succeeded within ``GoodClient/patience``.
    func measureSlowHTTP(connections: Int, seconds: Int) throws -> Bool {
        let modes: [(String, [String])] = [
            ("slow headers", ["-H", "-i", "2", "-x", "24"]),
            ("slow body", ["-B", "-i", "2", "-s", "8192", "-x", "10"]),
            ("range", ["-R", "-a", "5", "-b", "3000"]),
            ("slow read", ["-X", "-w", "10", "-y", "20", "-n", "2", "-z", "5", "-k", "3"]),
        ]
        print("slowhttptest, \(connections) connections, \(seconds) s each\n")
        print("| mode | other client: asked | failed | asked again | p50 ms | worst ms | most descriptors |")
        print("|---|---|---|---|---|---|---|")
        var isServed = true
        for (name, flags) in modes {
            let attack = try ChildProcess(
                "/usr/bin/env",
                [
                    "slowhttptest", "-c", "\(connections)", "-r", "\(max(connections / 4, 50))", "-l",
                    "\(seconds)",
                    "-p", "3", "-u", "http://127.0.0.1:\(port)/",
                ] + flags, in: NSTemporaryDirectory())
            Thread.sleep(forTimeInterval: 0.2)
            guard attack.isRunning else {
                throw Failure("slowhttptest ended at once; is it installed? (apt-get install slowhttptest)")
            }
            let client = GoodClient(
                port: port, request: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", pause: 100_000_000,
                connectsAnew: true, due: nanoseconds())
            var seen = ClientStatistics()
            var mostOpen = 0
            for _ in 0..<seconds {
                seen = ClientStatistics.running([client], seconds: 1)
                mostOpen = max(mostOpen, server.descriptors)
            }
            attack.kill()
            let worst = seen.percentile(1)
            isServed = isServed && seen.failures == 0
            print(
                "| \(name) | \(seen.count) | \(seen.failures) | \(seen.repeats) | \(milliseconds(seen.percentile(0.5))) | \(milliseconds(worst)) | \(mostOpen) |"
            )
            Thread.sleep(forTimeInterval: 0.5)
        }
        return isServed
    }

    /// Opens and closes connections: with a request and an end, with a request and a reset, and without a request.
    ///
    /// - Returns: `true` if the number of descriptors is as before and memory grew by at most one MiB.
    func churn(connections: Int) -> Bool {
        var scratch = [UInt8](repeating: 0, count: 4096)
        func go(_ count: Int) {
            let get = Array("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)[...]
            for index in 0..<count {
                guard let wire = ClientConnection(port: port) else { continue }
                switch index % 3 {
                case 0:
                    _ = wire.send(get)
                    var request = pollfd(fd: wire.descriptor, events: Int16(POLLIN), revents: 0)
                    while unsafe poll(&request, 1, 1000) > 0,
                        wire.receive(into: &scratch, atMost: 4096) != .ended
                    {}
                case 1:
                    _ = wire.send(get)
                    wire.resetAtEnd()
                default: wire.resetAtEnd()
                }
            }
            Thread.sleep(forTimeInterval: 1.5)
        }
        go(5000)
        let (descriptors, memory) = (server.descriptors, server.memory.now)
        let start = nanoseconds()
        go(connections)
        let seconds = Double(nanoseconds() - start) / 1e9 - 1.5
        let grown = server.memory.now - memory
        print(
            "churn: \(connections) connections in \(String(format: "%.1f", seconds)) s; descriptors \(descriptors) before and"
                + " \(server.descriptors) after, resident memory \(memory) KiB before and \(grown) KiB more after"
        )
        return server.descriptors == descriptors && grown <= 1024
    }

    private func milliseconds(_ value: Double) -> String { String(format: "%.2f", value) }
}

extension ClientStatistics {
    var count: Int { latencies.count + failures }
}

import Foundation
import LoadTools

/// Compares two collectors on one PostgreSQL with one collector on PostgreSQL and one on SQLite: in turns, each on an empty
/// database, with the same load and the same total number of connections.
struct SharedDatabase {
    let program: String
    let publicFolder: String
    /// A server where databases may be created.
    let server: String
    let connections: Int
    let seconds: Int
    let rounds: Int

    private enum Setting: String, CaseIterable {
        case sqlite = "SQLite, one collector"
        case one = "PostgreSQL, one collector"
        case two = "PostgreSQL, two collectors"
    }

    private struct Measurement {
        var reportsPerSecond: Double
        var median: Double
        var percentile99: Double
        /// Processor time of the collectors, in microseconds per report.
        var processor: Double
        var coresBusy: Double
        var refused: Int
        /// `true` if all accepted reports are stored, and no more than the requests that wrk had open at its end explain.
        var countMatches: Bool
    }

    func run() throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        print(
            "\(rounds) rounds of \(seconds) s; \(Load.summary); wrk, 2 threads, \(connections) connections;\n"
                + "client, collectors and server share \(cores) cores: these figures do not show what a second machine adds\n"
        )
        print(
            "| request | store | reports/s | × SQLite | × one collector | p50 ms | p99 ms | CPU µs/report, collectors "
                + "| cores busy | refused | counted |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
        for reports in [1, 50] {
            let load = try Reports(
                reportsPerRequest: reports, bodies: reports == 1 ? 50_000 : 4_000, gzip: false)
            defer { load.remove() }
            var measured: [Setting: [Measurement]] = [:]
            for _ in 0..<rounds {
                for setting in Setting.allCases {
                    measured[setting, default: []].append(
                        try measure(setting, load, reportsPerRequest: reports))
                }
            }
            for setting in Setting.allCases {
                print(line(setting, measured, request: reports == 1 ? "single" : "batch of \(reports)"))
            }
        }
    }

    private func measure(
        _ setting: Setting, _ load: Reports, reportsPerRequest: Int
    ) throws -> Measurement {
        var database: Database?
        if setting != .sqlite { database = try Database(on: server) }
        defer { database?.drop() }
        var collectors: [CollectorProcess] = []
        defer { for collector in collectors { collector.stop() } }
        for _ in 0..<(setting == .two ? 2 : 1) {
            collectors.append(
                try CollectorProcess(
                    program: program, publicFolder: publicFolder, databaseURL: database?.url))
        }
        let script = try writeBalancedScript(load, ports: collectors.map(\.port))
        func used() -> Double { collectors.map(\.process.processorSeconds).reduce(0, +) }
        let (usedBefore, busyBefore, start) = (used(), Processors.busySeconds, Date())
        let outcome = try Wrk.run(
            script: script, port: collectors[0].port, connections: connections, seconds: seconds, threads: 2)
        let (processor, busy) = (used() - usedBefore, Processors.busySeconds - busyBefore)
        // Includes the time in which wrk reads the prepared requests from files.
        let elapsed = -start.timeIntervalSinceNow
        let accepted = outcome.accepted * reportsPerRequest
        let counted = try collectors[0].counted()
        return Measurement(
            reportsPerSecond: Double(accepted) / outcome.seconds, median: outcome.median,
            percentile99: outcome.percentile99, processor: processor * 1e6 / Double(max(counted, 1)),
            coresBusy: busy / elapsed, refused: outcome.refused,
            // wrk stops without waiting for the last responses, so the collectors count these requests and wrk does not.
            countMatches: counted >= accepted && counted <= accepted + connections * reportsPerRequest)
    }

    /// Writes a script with which the threads of wrk send the load to different collectors.
    ///
    /// - Returns: the path of the script.
    private func writeBalancedScript(_ load: Reports, ports: [Int]) throws -> String {
        let path = load.folder + "/balanced.lua"
        try """
        dofile("\(load.script)")
        local ports = {\(ports.map { "\"\($0)\"" }.joined(separator: ", "))}
        local last = 0
        function setup(thread)
          last = last % #ports + 1
          thread.addr = wrk.lookup("127.0.0.1", ports[last])[1]
        end
        """.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func line(
        _ setting: Setting, _ measured: [Setting: [Measurement]], request: String
    ) -> String {
        let mine = measured[setting] ?? []
        func median(_ value: (Measurement) -> Double) -> Double { Self.middle(mine.map(value)) }
        func ratio(to other: Setting) -> String {
            let ratios = zip(mine, measured[other] ?? []).map { $0.reportsPerSecond / $1.reportsPerSecond }
            return String(
                format: "%.2f [%.2f, %.2f]", Self.middle(ratios), ratios.min() ?? 0, ratios.max() ?? 0)
        }
        let cells = [
            request, setting.rawValue, "\(Int(median(\.reportsPerSecond)))",
            setting == .sqlite ? "1" : ratio(to: .sqlite), setting == .two ? ratio(to: .one) : "",
            String(format: "%.2f", median(\.median)), String(format: "%.2f", median(\.percentile99)),
            String(format: "%.2f", median(\.processor)), String(format: "%.2f", median(\.coresBusy)),
            "\(mine.reduce(0) { $0 + $1.refused })", mine.allSatisfy(\.countMatches) ? "all" : "NOT ALL!",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func middle(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// A database for one measurement.
struct Database {
    private let server: String
    private let name: String
    let url: String

    /// - Parameter server: the address of another database on the same server.
    init(on server: String) throws {
        self.server = server
        name = "bench_\(UInt32.random(in: 0...UInt32.max))"
        guard var parts = URLComponents(string: server) else { throw Failure("not an address: \(server)") }
        parts.path = "/\(name)"
        url = parts.string ?? server
        _ = try Shell.run(
            "psql", ["-q", "-X", server, "-c", "create database \(name) encoding 'UTF8' template template0"])
    }

    func drop() {
        _ = try? Shell.run("psql", ["-q", "-X", server, "-c", "drop database \(name) with (force)"])
    }
}

/// Processor time that all processes of the machine use.
private enum Processors {
    /// Seconds since the start of the machine in which a processor was busy, summed over all processors.
    static var busySeconds: Double {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        // user nice system idle iowait irq softirq steal: proc(5)
        let ticks = text.split(separator: "\n").first?.split(separator: " ").dropFirst().compactMap {
            Double($0)
        }
        guard let ticks, ticks.count >= 7 else { return 0 }
        return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

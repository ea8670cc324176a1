import Foundation
import LoadTools

// Measures how many reports per second are accepted, durable and visible: single posts and batches of 50, plain and gzip, each
// with its own collector, which is empty at first. The baseline of ratios is the disk's syncs per second, measured in the same
// run.

let arguments = Array(CommandLine.arguments.dropFirst())
func option(_ name: String, _ fallback: String) -> String {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return fallback }
    return arguments[index + 1]
}
if arguments.contains("--help") {
    print(
        """
        usage: ingest-bench [--collector PATH] [--public DIR] [--seconds 10] [--connections 64] [--frames 30]
                            [--warm-up 0] [--rounds 1] [--million] [--other PATH] [--postgresql]
               ingest-bench --shared [--collector PATH] [--public DIR] [--seconds 10] [--connections 64] [--rounds 5]

        --warm-up SECONDS: sends the same load before the measurements, which fills the database and the samples of each leak
        --frames NUMBER: measures reports with and without a call stack of that many frames, in turns
        --rounds NUMBER: measures each kind of request this many times; the table has the medians
        --other PATH: another build of the collector, which is measured in turns with the first one
        --postgresql: each collector has a PostgreSQL database of its own; run by Scripts/with-postgresql
        """)
    exit(0)
}

let program = option("--collector", "../.build/release/collector")
let publicFolder = option("--public", "../Public")
let connections = Int(option("--connections", "64")) ?? 64
let seconds = Int(option("--seconds", "10")) ?? 10
let warmUp = Int(option("--warm-up", "0")) ?? 0

let isShared = arguments.contains("--shared")
/// The address of a PostgreSQL server; `nil` for SQLite.
let databaseServer =
    isShared || arguments.contains("--postgresql")
    ? ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"] ?? "" : nil

do {
    guard databaseServer != "" else { throw Failure("no PostgreSQL server: make bench-postgresql") }
    if isShared, let url = databaseServer {
        let bench = SharedDatabase(
            program: program, publicFolder: publicFolder, server: url, connections: connections,
            seconds: seconds, rounds: Int(option("--rounds", "5")) ?? 5)
        try bench.run()
        exit(0)
    }
    let syncs = Disk.syncsPerSecond(in: NSTemporaryDirectory(), seconds: 2)
    print("baseline: \(Int(syncs)) syncs of 4 KiB per second, one after the other")
    print("load: \(Load.summary);")
    print("wrk, 1 thread, \(connections) connections, \(seconds) s each after \(warmUp) s of warm-up\n")
    print(
        "| request | reports/s | × baseline | p50 ms | p99 ms | CPU µs/report | refused | RSS MiB | disk MiB | counted |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    let frames = Int(option("--frames", "0")) ?? 0
    let rounds = Int(option("--rounds", "1")) ?? 1
    let otherProgram = option("--other", "")
    let comparisons: [[Contestant.Request]] =
        if !otherProgram.isEmpty {
            [1, 50].map {
                [
                    .init(reports: $0, frames: frames, program: otherProgram),
                    .init(reports: $0, frames: frames),
                ]
            }
        } else if frames > 0 {
            [1, 50].map { [.init(reports: $0), .init(reports: $0, frames: frames)] }
        } else {
            [1, 50].flatMap { [[.init(reports: $0)], [.init(reports: $0, isCompressed: true)]] }
        }
    var ratios: [String] = []
    for requests in comparisons {
        let contestants = try requests.map { try Contestant($0, warmUp: warmUp) }
        defer { for contestant in contestants { contestant.stop() } }
        // The contestants take turns, so that other work on the machine affects all of them.
        for round in 0..<rounds {
            for contestant in round.isMultiple(of: 2) ? contestants : contestants.reversed() {
                try contestant.measure()
            }
        }
        for contestant in contestants { print(contestant.row(syncs: syncs)) }
        if contestants.count == 2 { ratios.append(contestants[1].comparison(with: contestants[0])) }
    }
    for ratio in ratios { print("\n" + ratio, terminator: "") }
    if !ratios.isEmpty { print() }

    if arguments.contains("--million") {
        let load = try Reports(reportsPerRequest: 50, bodies: 4_000, gzip: false)
        defer { load.remove() }
        let collector = try CollectorProcess(program: program, publicFolder: publicFolder)
        defer { collector.stop() }
        var counted = 0
        while counted < 1_000_000 {
            _ = try load.run(port: collector.port, connections: connections, seconds: 2)
            counted = try collector.counted()
        }
        print("\nafter \(counted) reports: ", terminator: "")
        print(
            "\(collector.process.memory.now / 1024) MiB resident (\(collector.process.memory.highest / 1024) at most), ",
            terminator: "")
        print("\(Disk.bytes(of: collector.folder) >> 20) MiB on disk")
    }
} catch {
    FileHandle.standardError.write(Data("ingest-bench: \(error)\n".utf8))
    exit(1)
}

import Foundation
import LoadTools

// Reports per second that are accepted, durable and visible: single posts and batches of 50, plain and gzip, each
// against an empty collector of its own. Ratios are to the disk's own syncs per second, measured in the same run.

let arguments = Array(CommandLine.arguments.dropFirst())
func option(_ name: String, _ fallback: String) -> String {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return fallback }
    return arguments[index + 1]
}
if arguments.contains("--help") {
    print(
        """
        usage: ingest-bench [--collector PATH] [--public DIR] [--seconds 10] [--connections 64] [--frames 30]
                            [--warm-up 0] [--million]
               ingest-bench --shared [--collector PATH] [--public DIR] [--seconds 10] [--connections 64] [--rounds 5]

        --warm-up SECONDS: of the same load before each measurement, which fills the database and the reports kept of each leak
        """)
    exit(0)
}

let program = option("--collector", "../.build/release/collector")
let publicFolder = option("--public", "../Public")
let connections = Int(option("--connections", "64")) ?? 64
let seconds = Int(option("--seconds", "10")) ?? 10
let warmUp = Int(option("--warm-up", "0")) ?? 0

do {
    if arguments.contains("--shared") {
        guard let url = ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"] else {
            throw Failure("no PostgreSQL server: make bench-postgresql")
        }
        let bench = SharedDatabase(
            program: program, publicFolder: publicFolder, server: url, connections: connections,
            seconds: seconds, rounds: Int(option("--rounds", "5")) ?? 5)
        try bench.run()
        exit(0)
    }
    let syncs = Disk.syncsPerSecond(in: NSTemporaryDirectory(), seconds: 2)
    print("baseline: \(Int(syncs)) syncs of 4 KiB per second, one after the other")
    print("load: \(Load.summary);")
    print("wrk, 1 thread, \(connections) connections, \(seconds) s each behind \(warmUp) s of warm-up\n")
    print(
        "| request | reports/s | × baseline | p50 ms | p99 ms | CPU µs/report | refused | RSS MiB | disk MiB | counted |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    let frames = Int(option("--frames", "0")) ?? 0
    // With call stacks, each kind of request alternates with the same kind without call stacks.
    let runs: [(reports: Int, gzip: Bool, frames: Int)] =
        frames > 0
        ? [(1, false, 0), (1, false, frames), (50, false, 0), (50, false, frames)]
        : [(1, false, 0), (1, true, 0), (50, false, 0), (50, true, 0)]
    for (reports, gzip, frames) in runs {
        let load = try Reports(
            reportsPerRequest: reports, bodies: gzip || reports == 1 ? 50_000 : 4_000, gzip: gzip,
            frames: frames)
        defer { load.remove() }
        let collector = try CollectorProcess(program: program, publicFolder: publicFolder)
        defer { collector.stop() }
        if warmUp > 0 { _ = try load.run(port: collector.port, connections: connections, seconds: warmUp) }
        let (before, processorBefore) = (try collector.counted(), collector.process.processorSeconds)
        let outcome = try load.run(port: collector.port, connections: connections, seconds: seconds)
        let accepted = outcome.accepted * reports
        // wrk stops without waiting for the last responses, so these requests are counted, but not in wrk's own sum.
        let counted = try collector.counted() - before
        let processor = collector.process.processorSeconds - processorBefore
        let isHonest = counted >= accepted && counted <= accepted + connections * reports
        let rate = Double(accepted) / outcome.seconds
        print(
            "| \(reports == 1 ? "single" : "batch of \(reports)")\(gzip ? ", gzip" : "")\(frames > 0 ? ", \(frames) frames" : "")"
                + " | \(Int(rate)) | \(String(format: "%.1f", rate / syncs))"
                + " | \(String(format: "%.2f | %.2f", outcome.median, outcome.slowest1Percent))"
                + " | \(String(format: "%.2f", processor * 1e6 / Double(max(counted, 1))))"
                + " | \(outcome.refused) | \(collector.process.memory.now / 1024) (\(collector.process.memory.highest / 1024))"
                + " | \(Disk.bytes(of: collector.folder) >> 20)"
                + " | \(isHonest ? "all" : "\(counted) of \(accepted)!") |")
    }

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

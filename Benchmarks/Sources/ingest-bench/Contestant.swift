import Foundation
import LoadTools

/// One kind of request and the collector that gets it. Contestants are measured in turns.
final class Contestant {
    struct Request {
        var reports: Int
        var isCompressed = false
        /// Frames of the call stack of each report; 0 for a path of owners.
        var frames = 0
        /// The path of the collector to measure; `nil` for that of `--collector`.
        var program: String?

        var name: String {
            (reports == 1 ? "single" : "batch of \(reports)") + (isCompressed ? ", gzip" : "")
                + (frames > 0 ? ", \(frames) frames" : "")
                + (program == nil ? "" : ", other build")
        }
    }

    private struct Round {
        var rate: Double
        var median: Double
        var percentile99: Double
        /// Microseconds of the collector's processor time per report.
        var processor: Double
        var refused: Int
        var counted: Int
        var accepted: Int
    }

    private let request: Request
    private let load: Reports
    private let database: Database?
    private let collector: CollectorProcess
    private var measured: [Round] = []

    init(_ request: Request, warmUp: Int) throws {
        self.request = request
        load = try Reports(
            reportsPerRequest: request.reports,
            bodies: request.isCompressed || request.reports == 1 ? 50_000 : 4_000,
            gzip: request.isCompressed, frames: request.frames)
        database = try databaseServer.map { try Database(on: $0) }
        collector = try CollectorProcess(
            program: request.program ?? program, publicFolder: publicFolder, databaseURL: database?.url)
        if warmUp > 0 { _ = try load.run(port: collector.port, connections: connections, seconds: warmUp) }
    }

    func stop() {
        collector.stop()
        database?.drop()
        load.remove()
    }

    func measure() throws {
        let (before, processorBefore) = (try collector.counted(), collector.process.processorSeconds)
        let outcome = try load.run(port: collector.port, connections: connections, seconds: seconds)
        let accepted = outcome.accepted * request.reports
        let counted = try collector.counted() - before
        guard counted > 0 else {
            throw Failure(
                """
                \(request.name): no report was counted, \(outcome.refused) requests were refused; \
                the response to a single report: \(try collector.responseToReport())
                """)
        }
        let processor = collector.process.processorSeconds - processorBefore
        measured.append(
            Round(
                rate: Double(accepted) / outcome.seconds, median: outcome.median,
                percentile99: outcome.percentile99,
                processor: processor * 1e6 / Double(counted),
                refused: outcome.refused, counted: counted, accepted: accepted))
    }

    /// Returns the row of the table: medians of the rounds, and sums of refused requests and of counted reports.
    func row(syncs: Double) -> String {
        let rate = median(\.rate)
        let counted = measured.reduce(0) { $0 + $1.counted }
        let accepted = measured.reduce(0) { $0 + $1.accepted }
        // wrk stops without waiting for the last responses, so the collector counts these requests and wrk does not.
        let countMatches =
            counted >= accepted && counted <= accepted + measured.count * connections * request.reports
        let memory = collector.process.memory
        let cells = [
            request.name, "\(Int(rate))", String(format: "%.1f", rate / syncs),
            String(format: "%.2f", median(\.median)), String(format: "%.2f", median(\.percentile99)),
            String(format: "%.2f", median(\.processor)), "\(measured.reduce(0) { $0 + $1.refused })",
            "\(memory.now / 1024) (\(memory.highest / 1024))", "\(Disk.bytes(of: collector.folder) >> 20)",
            countMatches ? "all" : "\(counted) of \(accepted)!",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// Returns text with the ratios of the time per report to that of `other`: the median of the rounds, the least and the
    /// greatest.
    func comparison(with other: Contestant) -> String {
        func ratios(_ value: (Round) -> Double) -> String {
            let ratios = zip(measured, other.measured).map { value($0) / value($1) }.sorted()
            return String(
                format: "%.2f (%.2f to %.2f)", ratios[ratios.count / 2], ratios[0], ratios[ratios.count - 1])
        }
        return "\(request.name), compared with \(other.request.name): processor time \(ratios(\.processor)), "
            + "time at full load \(ratios { 1 / $0.rate })"
    }

    private func median(_ value: (Round) -> Double) -> Double {
        let sorted = measured.map(value).sorted()
        return sorted[sorted.count / 2]
    }
}

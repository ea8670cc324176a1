import LeakSeededRandom
import LeakFaultyPeers
import Foundation
import Testing

@testable import LeakReporter

/// Every connection breaks at some point, most within the first batch, while an app continues to record.
///
/// The test makes two runs; `make soak` makes more (`REPORTER_FAULT_SEEDS`). A failed run names its seed. The variable
/// `REPORTER_FAULT_SEED` repeats the run of a seed.
@Suite struct RandomFaultTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["REPORTER_FAULT_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["REPORTER_FAULT_SEEDS"].flatMap { Int($0) } ?? 2
        return (0..<count).map { _ in .random(in: 1...1_000_000_000) }
    }()

    @Test(arguments: StorageKind.allCases)
    func `every sighting is counted once, despite random faults of the network and the collector`(
        _ storageKind: StorageKind
    ) async throws {
        let complaints = try await onThreadOfItsOwn {
            try Self.seeds.flatMap { seed in try Self.run(seed, storageKind).map { "seed \(seed): \($0)" } }
        }
        #expect(complaints == [])
    }

    private static func run(_ seed: UInt64, _ storageKind: StorageKind) throws -> [String] {
        var numbers = SeededRandom(seed: seed)
        let bench = try FaultBench(storageKind)
        defer { bench.stop() }
        bench.setFaults(ofNextConnections: (0..<400).map { _ in fault(&numbers) })
        // Small batches, so that there are many of them.
        let reporter = bench.reporter(timeoutMilliseconds: 250) { $0.bounds.batchReports = 5 }
        var recorded = 0
        for _ in 0..<100 {
            let count = Int.random(in: 1...12, using: &numbers)
            for _ in 0..<count {
                bench.record("Faults.Random\(Int.random(in: 0..<60, using: &numbers))", by: reporter)
            }
            recorded += count
            // Sometimes waits for the batch, because otherwise the next report is recorded before this batch is sent.
            _ = reporter.flush(timeout: numbers.chance(0.3) ? 0.02 : 0)
        }
        // Waits until everything is sent. Connections after those with a planned fault have none.
        let isSettled = reporter.flush(timeout: generousSeconds)
        let statistics = reporter.statistics
        var complaints = statistics.countingErrors(recorded: recorded)
        if !isSettled { complaints.append("not sent in ten minutes: \(statistics)") }
        if statistics.failedAttempts < 10 {
            complaints.append("only \(statistics.failedAttempts) attempts failed")
        }
        return try complaints + bench.countErrors()
    }

    /// Returns a fault. Every connection finally breaks, some only after a few batches.
    private static func fault(_ numbers: inout SeededRandom) -> Fault {
        var fault = Fault()
        let isShort = numbers.chance(0.67)
        let ending = Fault.Ending.allCases.randomElement(using: &numbers) ?? .close
        if numbers.chance(0.5) {
            fault.request.cut = .init(
                afterBytes: .random(in: 0...(isShort ? 800 : 4_000), using: &numbers), ending)
        } else {
            fault.answer.cut = .init(
                afterBytes: .random(in: 0...(isShort ? 400 : 2_000), using: &numbers), ending)
        }
        if numbers.chance(0.05) {
            fault.answer.delayMilliseconds = .random(in: 1...350, using: &numbers)
        }
        if numbers.chance(0.1) { fault.request.bytePauseMilliseconds = 0 }
        if numbers.chance(0.1) { fault.answer.bytePauseMilliseconds = 0 }
        return fault
    }
}

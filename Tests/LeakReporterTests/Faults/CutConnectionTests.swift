import LeakFaultyPeers
import Foundation
import Testing

@testable import LeakReporter

/// If a connection to a real collector is cut at any point, each sighting is finally counted once.
@Suite struct CutConnectionTests {
    /// Two sightings, and the faults of the connections that carry them.
    private struct Batch {
        let name: String
        let faults: [Fault]
        /// The number of attempts that must fail.
        var failures = 0
    }

    /// Sends batches, each with a separate reporter.
    ///
    /// - Returns: the problems, one line each.
    private static func send(
        _ batches: [Batch], from storageKind: StorageKind, timeoutMilliseconds: Int = 20_000
    ) throws -> [String] {
        let bench = try FaultBench(storageKind)
        defer { bench.stop() }
        var complaints: [String] = []
        for batch in batches {
            let name = batch.name
            bench.setFaults(ofNextConnections: batch.faults)
            let reporter = bench.reporter(timeoutMilliseconds: timeoutMilliseconds)
            for _ in 0..<2 { bench.record("Faults.\(name)", by: reporter) }
            let isSettled = reporter.flush(timeout: generousSeconds)
            let statistics = reporter.statistics
            complaints += statistics.countingErrors(recorded: 2).map { "\(name): \($0)" }
            if statistics.failedAttempts < batch.failures {
                complaints.append("\(name): \(statistics.failedAttempts) attempts failed, no more")
            }
            if !isSettled { complaints.append("\(name): not sent in ten minutes: \(statistics)") }
        }
        return try complaints + bench.countErrors()
    }

    /// Returns the number of bytes of a request and of its answer without faults.
    private static func measureLengths() throws -> FaultyProxy.ForwardedBytes {
        let bench = try FaultBench(.memory)
        defer { bench.stop() }
        let reporter = bench.reporter()
        for _ in 0..<2 { bench.record("Faults.Sound", by: reporter) }
        _ = reporter.flush(timeout: generousSeconds)
        // A machine under load may have needed more than one request.
        return bench.proxy.forwardedBytesOfLongestAnswer
    }

    /// Returns the lengths after which a connection is cut. With storage on disk, where a batch passes through more code, every
    /// length is tested with one of the endings. With storage in memory every twelfth length is tested with each ending.
    private static func cuts(
        through last: Int, _ ending: Fault.Ending, _ storageKind: StorageKind
    ) throws -> StrideThrough<Int> {
        let endings = Fault.Ending.allCases
        let first = try #require(endings.firstIndex(of: ending))
        return stride(from: first, through: last, by: storageKind == .folder ? endings.count : 12)
    }

    @Test(arguments: Fault.Ending.allCases, StorageKind.allCases)
    func `reports count once if a response is cut after any of its bytes`(
        _ ending: Fault.Ending, _ storageKind: StorageKind
    ) async throws {
        let (count, complaints) = try await onThreadOfItsOwn {
            let bytes = try Self.measureLengths().answer
            let batches = try Self.cuts(through: bytes, ending, storageKind).map { byte in
                Batch(
                    name: "Response\(byte)",
                    faults: [Fault(answer: .init(cut: .init(afterBytes: byte, ending)))],
                    failures: byte < bytes ? 1 : 0)
            }
            return (batches.count, try Self.send(batches, from: storageKind))
        }
        #expect(count > (storageKind == .folder ? 100 : 16))
        #expect(complaints == [])
    }

    @Test(arguments: Fault.Ending.allCases, StorageKind.allCases)
    func `reports count once if a request is cut after any byte of its head or many bytes of its body`(
        _ ending: Fault.Ending, _ storageKind: StorageKind
    ) async throws {
        let (count, complaints) = try await onThreadOfItsOwn {
            let bytes = try Self.measureLengths().request
            // The head has somewhat more than 300 bytes.
            let ends =
                Array(try Self.cuts(through: 399, ending, storageKind))
                + Array(stride(from: 400, through: bytes, by: 14))
            let batches = ends.map { byte in
                Batch(
                    name: "Request\(byte)",
                    faults: [Fault(request: .init(cut: .init(afterBytes: byte, ending)))], failures: 1)
            }
            return (batches.count, try Self.send(batches, from: storageKind))
        }
        #expect(count > (storageKind == .folder ? 150 : 25))
        #expect(complaints == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `reports count once if requests and responses arrive byte by byte`(_ storageKind: StorageKind)
        async throws
    {
        let slow = Fault.Direction(bytePauseMilliseconds: 1)
        let complaints = try await onThreadOfItsOwn {
            try Self.send(
                [
                    Batch(name: "SlowRequest", faults: [Fault(request: slow)]),
                    Batch(name: "SlowAnswer", faults: [Fault(answer: slow)]),
                    Batch(name: "SlowBoth", faults: [Fault(request: slow, answer: slow)]),
                ], from: storageKind)
        }
        #expect(complaints == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `reports count once if responses arrive after the sender has given up`(_ storageKind: StorageKind)
        async throws
    {
        let late = Fault(answer: .init(delayMilliseconds: 1_000))
        let complaints = try await onThreadOfItsOwn {
            let batches = (1...3).map { times in
                Batch(
                    name: "Late\(times)", faults: Array(repeating: late, count: times), failures: times)
            }
            return try Self.send(batches, from: storageKind, timeoutMilliseconds: 300)
        }
        #expect(complaints == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `reports count once if responses are lost up to twelve times`(_ storageKind: StorageKind)
        async throws
    {
        let lost = Fault.Ending.allCases.map { Fault(answer: .init(cut: .init(afterBytes: 0, $0))) }
        let complaints = try await onThreadOfItsOwn {
            let batches = (1...12).map { times in
                Batch(
                    name: "Lost\(times)", faults: (0..<times).map { lost[$0 % 2] }, failures: times)
            }
            return try Self.send(batches, from: storageKind)
        }
        #expect(complaints == [])
    }
}

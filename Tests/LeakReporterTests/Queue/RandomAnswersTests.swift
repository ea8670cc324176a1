import LeakSeededRandom
import LeakMessage
import Testing

@testable import LeakReporter

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Bounds of memory and disk under any sequence of answers.
///
/// `REPORTER_ROUNDS` sets the number of rounds for the mix of all kinds of answers. Other mixes run a twentieth of them, and
/// runs on a disk that cannot remove files a fortieth.
@Suite struct RandomAnswersTests {
    static let rounds =
        unsafe getenv("REPORTER_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 10_000

    static let mixes: [RandomPeer.Mix] = [
        .init(description: "all kinds", accepted: 6, tooLong: 3, rejected: 2, lost: 3, notCounted: 3),
        .init(description: "everything is too long", tooLong: 1),
        .init(description: "everything is rejected", rejected: 1),
        .init(description: "the collector rejects everything", rejectedByCollector: 1),
        .init(description: "nothing is counted", notCounted: 1),
        .init(description: "mostly too long, then lost", accepted: 1, tooLong: 6, lost: 2),
    ]

    @Test(arguments: mixes) func `no sequence of responses fills memory or disk`(mix: RandomPeer.Mix) {
        var simulation = AnsweredDevice(mix, isDiskHealthy: true)
        simulation.run(rounds: mix == Self.mixes[0] ? Self.rounds : Self.rounds / 20)
        #expect(simulation.problems.prefix(4) == [])
    }

    @Test(arguments: mixes)
    func `no sequence of responses fills memory or disk while files cannot be removed`(mix: RandomPeer.Mix) {
        var simulation = AnsweredDevice(mix, isDiskHealthy: false)
        simulation.run(rounds: Self.rounds / 40)
        #expect(simulation.problems.prefix(4) == [])
    }

    /// The endpoint answers 413 to everything, and the device records a new leak every 12 seconds.
    @Test
    func `after the collector rejected forty leaks as too long, no segment waits for the removal of a file`()
    {
        let device = SimulatedDevice()
        for number in 0..<40 {
            device.record("Shop.Part\(number)")
            device.commit()
            device.advance(byMilliseconds: 12_000)
            while device.send({ _, _, _ in .tooLong(isFinal: true, reason: "413") }) { device.commit() }
            let blockingCount = device.outbox.queue.blockingFileCount
            guard blockingCount == 0 else {
                Issue.record("\(blockingCount) files block segments after \(number + 1) leaks")
                return
            }
        }
        #expect(device.outbox.statistics.dropped == [.tooLong: 40])
        #expect(device.disk.files.count <= 1)
        #expect(device.disk.files.values.reduce(0) { $0 + $1.count } < 16 * 1024)
        device.advance(byMilliseconds: 12_000)
        device.record("Shop.Late")
        device.advance(byMilliseconds: 12_000)
        while device.send() { device.commit() }
        #expect(device.collector.reportedDrops == ["too_long": 40])
        #expect(device.problems + device.collector.problems == [])
    }
}

/// A device that records and sends for a long time, to a peer that answers at random.
private struct AnsweredDevice {
    private let device: SimulatedDevice
    private var peer: RandomPeer
    private var random: SeededRandom
    private let isDiskHealthy: Bool
    private var longestBody = 0
    private(set) var problems: [String] = []

    init(_ mix: RandomPeer.Mix, isDiskHealthy: Bool) {
        var bounds = LeakReporter.Bounds()
        bounds.diskBytes = 64 * 1024
        bounds.memoryBytes = 64 * 1024
        bounds.batchBytes = 16 * 1024
        bounds.reportsPerSession = .max
        bounds.bytesPerDay = .max
        device = SimulatedDevice(bounds)
        random = SeededRandom(seed: 7)
        peer = RandomPeer(mix: mix, random: SeededRandom(seed: 11))
        self.isDiskHealthy = isDiskHealthy
    }

    mutating func run(rounds: Int) {
        for round in 0..<rounds {
            if !isDiskHealthy { breakDisk(in: round) }
            device.advance(byMilliseconds: Int.random(in: 1...24_000, using: &random))
            record(round)
            device.commit()
            if random.chance(0.02) { device.restart() }
            var attempts = 0
            while attempts < 200, send() {
                attempts += 1
                device.commit()
            }
            check(round)
            guard problems.isEmpty else { return }
        }
        problems += device.problems + device.collector.problems
        if device.collector.explanations > device.recordedExplanations {
            problems.append("\(device.collector.explanations) explanations were counted")
        }
        for (name, count) in device.collector.counted where count > device.recorded[name, default: 0] {
            problems.append("\(name) was counted \(count) times")
        }
    }

    private mutating func record(_ round: Int) {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            var report = LeakReport()
            report.className = "Shop.Part\(round).\(Int.random(in: 0..<50, using: &random))"
            report.reason = String(repeating: "r", count: Int.random(in: 0...120, using: &random))
            report.event = .leak
            device.record(report)
            if random.chance(0.5) { explain(report) }
        }
        guard random.chance(0.3) else { return }
        device.assignSequence()
        let name = "Shop.Cart\(Int.random(in: 0..<20, using: &random))"
        device.outbox.record([ClassChecks(className: name, count: 3)], at: device.now)
        if device.outbox.hasSession {
            device.outbox.endSession(at: device.now)
        } else {
            device.outbox.startSession(isPolled: false, at: device.now)
        }
        if random.chance(0.3) { device.outbox.retryAllNow() }
    }

    /// Adds an explanation with a retain path of up to three kilobytes.
    private mutating func explain(_ report: LeakReport) {
        var report = report
        let owners = (0..<Int.random(in: 1...6, using: &random)).map { "Shop.Owner\($0)" }
        let field = String(repeating: "f", count: Int.random(in: 1...500, using: &random))
        report.explanation = RetainExplanation()
        report.explanation?.path = RetainPath(
            references: owners.map { RetainReference(owner: $0, field: field, kind: .property) },
            target: report.className ?? "", isCycle: false)
        device.record(explanationOf: report)
    }

    private mutating func send() -> Bool {
        var peer = peer
        defer { self.peer = peer }
        return device.send { collector, batch, wallTime in
            longestBody = max(longestBody, batch.body.count)
            return DeliveryResult(peer.reply(to: batch, &collector, at: wallTime), now: wallTime)
        }
    }

    private mutating func breakDisk(in round: Int) {
        let isBroken = round / 50 % 2 == 0
        device.disk.fault = { _, kind in isBroken && kind == "remove" ? .failure(30, written: 0) : .none }
    }

    // MARK: Bounds

    private mutating func check(_ round: Int) {
        let queue = device.outbox.queue
        let queuedSegment = queue.waitingSegments + [queue.activeSegment?.queuedSegment].compactMap(\.self)
        // The batch in flight and the active segment are not discarded, so each may exceed the limit.
        let slack = 2 * device.bounds.batchBytes + 4 * 1024
        func expect(_ name: String, _ value: Int, atMost bound: Int) {
            if value > bound { problems.append("round \(round): \(name) is \(value), the limit is \(bound)") }
        }
        expect(
            "bytes in memory", queuedSegment.reduce(0) { $0 + $1.unsavedBytes.count },
            atMost: 64 * 1024 + slack)
        // The header alone has about a hundred bytes.
        expect("segments", queuedSegment.count, atMost: (128 * 1024 + slack) / 64)
        expect(
            "files that could not be removed", queue.unremovedFiles.count, atMost: isDiskHealthy ? 0 : 1_024)
        expect(
            "files that block segments", queue.blockingFileCount,
            atMost: isDiskHealthy ? 0 : 2 * 1_024 * max(queuedSegment.count, 1))
        expect(
            "records of the active segment", queue.activeSegment?.recordCount ?? 0,
            atMost: WireLimits.checkedClassCount + 64)
        // A segment accepts records until it reaches the limit, so its last record, which may be a long explanation, may exceed
        // it.
        expect("bytes of a batch", longestBody, atMost: device.bounds.batchBytes + 8 * 1024)
        expect(
            "bytes of a failure's text", device.outbox.statistics.lastFailure?.utf8.count ?? 0, atMost: 2_048)
        guard isDiskHealthy else { return }
        let files = device.disk.files
        expect("files", files.count, atMost: queuedSegment.count + 1)
        expect("bytes on the disk", files.values.reduce(0) { $0 + $1.count }, atMost: 64 * 1024 + slack)
    }
}

extension SegmentQueue {
    /// The number of file names in the `blockedBy` sets of all segments. A segment is not sent while its set has names.
    fileprivate var blockingFileCount: Int {
        waitingSegments.reduce(0) { $0 + $1.blockedBy.count }
            + (activeSegment?.queuedSegment.blockedBy.count ?? 0)
    }
}

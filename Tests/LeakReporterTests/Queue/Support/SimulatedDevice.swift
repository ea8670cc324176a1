import LeakSeededRandom
import LeakMessage
import LeakPlatform

@testable import LeakReporter

/// A device on which the reporter's queue runs, is killed and runs again, and the collector that it sends to.
final class SimulatedDevice {
    let disk = FakeDisk()
    let bounds: LeakReporter.Bounds
    var collector = ModelCollector()
    var now = CurrentTime(
        monotonicTime: MonotonicTime(milliseconds: 1_000_000),
        wallTime: WireTime(milliseconds: 1_764_000_000_000))
    private(set) var folder: FakeFolder
    var outbox: Outbox
    private var sequence: UInt64 = 0
    /// The number of sightings that this run adopted from earlier runs.
    private var adopted = 0
    private var recordedInRun = 0
    private var adoptedExplanations = 0
    private var recordedExplanationsInRun = 0
    /// Number of stored sightings at the end of the last turn that this run completed.
    private var storedInRun = 0
    /// Sightings recorded in all runs, by class.
    private(set) var recorded: [String: Int] = [:]
    private(set) var recordedExplanations = 0
    private(set) var stored = 0
    private(set) var dropped: [LeakReporter.DropReason: Int] = [:]
    private(set) var problems: [String] = []
    private(set) var runs = 1

    private let configuration: LeakReporter.Configuration
    private let blockingReason: LeakReporter.DropReason?
    private let isSampledOut: Bool
    let isInMemory: Bool
    private let makeID: (WireTime) -> String

    init(
        _ bounds: LeakReporter.Bounds = LeakReporter.Bounds(), sendsAutomatically: Bool = true,
        blockingReason: LeakReporter.DropReason? = nil, isSampledOut: Bool = false, isInMemory: Bool = false,
        seed: UInt64 = 0, beforeSend: (@Sendable (LeakReport) -> LeakReport?)? = nil
    ) {
        // Idempotency keys of the same millisecond are ordered by their random digits. The digits follow from the seed, so that
        // each run with a seed has the same order.
        var random = SeededRandom(seed: seed)
        makeID = { SightingID.make(at: $0, using: &random) }
        self.bounds = bounds.validated
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo())
        configuration.sendsAutomatically = sendsAutomatically
        configuration.beforeSend = beforeSend
        self.configuration = configuration
        self.blockingReason = blockingReason
        self.isSampledOut = isSampledOut
        self.isInMemory = isInMemory
        folder = FakeFolder(disk)
        outbox = Outbox(
            queue: Self.queue(self.bounds, isInMemory ? nil : folder, makeID), backoff: Self.backoff,
            quota: Self.quota(self.bounds), configuration: configuration, blockingReason: blockingReason,
            isSampledOut: isSampledOut)
    }

    private func makeOutbox() -> Outbox {
        Outbox(
            queue: Self.queue(bounds, isInMemory ? nil : folder, makeID), backoff: Self.backoff,
            quota: Self.quota(bounds), configuration: configuration, blockingReason: blockingReason,
            isSampledOut: isSampledOut)
    }

    private static let backoff = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 60_000)

    private static func quota(_ bounds: LeakReporter.Bounds) -> ReportQuota {
        ReportQuota(maxReportsPerSession: bounds.reportsPerSession, maxBytesPerDay: bounds.bytesPerDay)
    }

    private static func queue(
        _ bounds: LeakReporter.Bounds, _ folder: FakeFolder?, _ makeID: @escaping (WireTime) -> String
    ) -> SegmentQueue {
        let origin = SegmentHeader(
            key: "", app: AppInfo(id: "com.acme.shop", version: "1"), device: DeviceInfo(os: "iOS"))
        return SegmentQueue(bounds: bounds, origin: origin, folder: folder, makeID: makeID)
    }

    // MARK: The app

    func record(_ name: String, count: Int = 1, event: LeakReport.Event = .leak) {
        var report = LeakReport()
        report.className = name
        report.count = count
        report.event = event
        record(report)
    }

    func record(_ report: LeakReport) {
        assignSequence()
        recorded[report.className ?? "", default: 0] += report.count
        recordedInRun += report.count
        outbox.record(report, at: now)
    }

    func record(explanationOf report: LeakReport) {
        assignSequence()
        if outbox.wantsExplanations {
            recordedExplanations += 1
            recordedExplanationsInRun += 1
        }
        outbox.record(explanationOf: report, at: now)
    }

    /// Assigns a number to the next action of the app.
    func assignSequence() {
        sequence += 1
        outbox.setSequence(sequence)
    }

    func advance(byMilliseconds milliseconds: Int, asleep: Int = 0) {
        now.monotonicTime = now.monotonicTime.advanced(byMilliseconds: milliseconds)
        now.wallTime.milliseconds += Int64(milliseconds + asleep)
    }

    // MARK: The reporter's thread

    /// Ends a turn of the reporter's thread. After it all recorded sightings are on the disk.
    func commit() {
        outbox.commit(at: now)
        guard !folder.isDead else { return }
        storedInRun = outbox.queue.counts.stored
        let statistics = outbox.statistics
        let known = statistics.sent + statistics.waiting + statistics.dropped.values.reduce(0, +)
        if known != adopted + recordedInRun {
            addProblem(
                "\(adopted) were taken over and \(recordedInRun) recorded, but \(statistics.sent) sent, "
                    + "\(statistics.waiting) waiting and \(statistics.dropped) are \(known)")
        }
        let (counts, waiting) = (outbox.queue.counts, outbox.queue.waitingExplanations)
        let recorded = adoptedExplanations + recordedExplanationsInRun
        if counts.sentExplanations + counts.droppedExplanations + waiting != recorded {
            addProblem(
                "of \(recorded) explanations \(counts.sentExplanations) were sent, \(waiting) wait and "
                    + "\(counts.droppedExplanations) were dropped")
        }
    }

    /// Sends one batch, if a batch is due.
    ///
    /// - Parameter answer: returns the result that the device gets; may or may not call the collector.
    /// - Returns: `true` if a batch was sent.
    func send(
        _ answer: (inout ModelCollector, SegmentQueue.Batch, WireTime) -> DeliveryResult = {
            $0.receive($1, at: $2)
        }
    ) -> Bool {
        let step = outbox.next(at: now)
        guard case .send(let batch) = step, !folder.isDead else { return false }
        let delivery = answer(&collector, batch, now.wallTime)
        assignSequence()
        outbox.finish(batch, delivery, at: now, jitter: 0.5)
        return true
    }

    private func addProblem(_ problem: String) {
        if problems.count < 3 { problems.append(problem) }
    }

    /// Returns the batch that is due now.
    func batch() -> SegmentQueue.Batch? {
        guard case .send(let batch) = outbox.next(at: now) else { return nil }
        return batch
    }

    /// Returns the milliseconds until a batch is due; `nil` if no batch is waiting, or if a batch is due now.
    func millisecondsUntilDue() -> Int? {
        guard case .wait(let monotonicTime?) = outbox.next(at: now) else { return nil }
        return monotonicTime.milliseconds - now.monotonicTime.milliseconds
    }

    func finish(_ batch: SegmentQueue.Batch, _ delivery: DeliveryResult) {
        assignSequence()
        outbox.finish(batch, delivery, at: now, jitter: 1)
        commit()
    }

    // MARK: End of the process

    /// Kills the process in the middle of its work, and starts the next process.
    func restart() {
        folder.kill()
        stored += storedInRun
        dropped.merge(outbox.queue.counts.dropped, uniquingKeysWith: +)
        (recordedInRun, recordedExplanationsInRun, storedInRun, sequence) = (0, 0, 0, 0)
        runs += 1
        advance(byMilliseconds: 10)
        folder = FakeFolder(disk)
        outbox = makeOutbox()
        outbox.adopt(at: now)
        adopted = outbox.queue.waitingSightings
        adoptedExplanations = outbox.queue.waitingExplanations
        commit()
    }

    /// Ends all faults and sends everything that waits.
    func drain() {
        disk.fault = { _, _ in .none }
        restart()
        var rounds = 0
        while !outbox.queue.isEmpty, rounds < 1_000 {
            rounds += 1
            assignSequence()
            outbox.retryAllNow()
            while send() { commit() }
            commit()
            advance(byMilliseconds: 1_000)
        }
        if !outbox.queue.isEmpty { addProblem("the queue does not become empty") }
        restart()
        if !disk.files.isEmpty { addProblem("files are left: \(disk.files.keys.sorted())") }
    }
}

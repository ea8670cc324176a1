import Foundation
import LeakDetector

/// Registers and releases one thread's share of the objects.
final class SoakWorker: @unchecked Sendable {
    // `Sendable` is unchecked: one thread works, other threads read its results after it ended, and `done` is accessed only
    // while `lock` is locked.

    /// Number of objects that are registered before the thread waits for more room.
    static let batchCount = 64

    private let detector: LeakDetector
    private let ordinals: Range<Int>
    private let plan: Plan
    /// Maximum number of objects that may wait when a batch is begun.
    private let room: Int
    /// Objects of another worker, which this worker releases.
    private let queueToEmpty: ReleaseQueue
    /// Objects of this worker, which another worker releases.
    private let queueToFill: ReleaseQueue
    /// Objects that are released within their grace period, with the nanoseconds since and until which they are held.
    private var later: [(since: Int, until: Int, objects: [Model])] = []
    private var kept: [Model] = []
    private let lock = NSLock()
    private var done = 0

    /// The longest time in nanoseconds for which this thread held an object that is not kept.
    private(set) var longestHold = 0

    init(
        _ detector: LeakDetector, ordinals: Range<Int>, plan: Plan, room: Int, queueToEmpty: ReleaseQueue,
        queueToFill: ReleaseQueue
    ) {
        self.detector = detector
        self.ordinals = ordinals
        self.plan = plan
        self.room = room
        self.queueToEmpty = queueToEmpty
        self.queueToFill = queueToFill
    }

    /// Number of objects registered so far.
    var progress: Int { lock.withLock { done } }

    func takeKeptObjects() -> [Model] {
        defer { kept = [] }
        return kept
    }

    func work() {
        for start in stride(from: ordinals.lowerBound, to: ordinals.upperBound, by: Self.batchCount) {
            waitForRoom()
            let end = min(start + Self.batchCount, ordinals.upperBound)
            register(start..<end)
            lock.withLock { done += end - start }
        }
        queueToEmpty.close()
        while !later.isEmpty {
            Pause.milliseconds(5)
            releaseObjects()
        }
    }

    private func register(_ batch: Range<Int>) {
        let since = Usage.time
        var soon: [Model] = []
        var withinGrace: [Model] = []
        for ordinal in batch {
            let object = plan.type(of: ordinal).init()
            guard let release = plan.release(of: ordinal) else {
                kept.append(object)
                detector.expectDeallocation(of: object, reason: plan.reason(of: ordinal))
                continue
            }
            switch release {
            case .atOnce: break
            case .elsewhere: queueToFill.add(object)
            case .soon: soon.append(object)
            case .withinGrace: withinGrace.append(object)
            }
            detector.expectDeallocation(of: object)
        }
        soon = []
        longestHold = max(longestHold, Usage.time - since)
        later.append(
            (since, since + plan.holdNanoseconds(of: batch.lowerBound / Self.batchCount), withinGrace))
    }

    private func waitForRoom() {
        while true {
            queueToEmpty.releaseAll()
            releaseObjects()
            guard detector.counts.outstanding > room else { return }
            Pause.milliseconds(2)
        }
    }

    private func releaseObjects() {
        let due = later.filter { $0.until <= Usage.time }
        later.removeFirst(due.count)
        for held in due { longestHold = max(longestHold, Usage.time - held.since) }
    }
}

import Foundation
import LeakDetector

/// A detector and the threads that give it work.
final class Stage {
    private let plan: Plan
    private let detector: LeakDetector
    private let ledger = Ledger()
    private let shifts: [Shift]
    private var kept: [Model] = []
    /// Of all that were registered.
    private(set) var seconds = 0.0

    /// - Parameter outstanding: how many objects may wait at once. The threads stop short of it, so that none is dropped.
    init(_ plan: Plan, threads: Int, outstanding: Int) {
        self.plan = plan
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = graceMilliseconds
        limits.outstanding = outstanding
        limits.survivors = max(plan.leaks, limits.survivors)
        let detector = LeakDetector(limits: limits, report: ledger.take)
        let mailboxes = (0..<threads).map { _ in Mailbox() }
        // Each thread may have looked for room before all others registered a batch.
        let room = max(outstanding - threads * Shift.batchCount, 0)
        self.detector = detector
        shifts = (0..<threads).map { number in
            Shift(
                detector,
                ordinals: plan.objects * number / threads..<plan.objects * (number + 1) / threads,
                plan: plan, room: room, own: mailboxes[number], neighbour: mailboxes[(number + 1) % threads])
        }
    }

    /// Milliseconds for which the threads held an object that they let go of, at most.
    var longestHold: Int { (shifts.map(\.longestHold).max() ?? 0) / 1_000_000 }

    /// Registers all objects and lets go of them but for those that are kept, and waits until all were looked at.
    func work() {
        let start = Usage.time
        let group = DispatchGroup()
        for shift in shifts {
            group.enter()
            Thread {
                shift.work()
                group.leave()
            }.start()
        }
        while group.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            let done = shifts.reduce(0) { $0 + $1.progress }
            Progress.show("\(done) of \(plan.objects) expected, \(detector.counts.outstanding) waiting")
        }
        seconds = Double(Usage.time - start) / 1e9
        kept = shifts.flatMap { $0.takeKept() }
        wait {
            let counts = detector.counts
            return counts.outstanding == 0 && ledger.counts.leaks >= counts.leaked
        }
    }

    /// Lets go of what was kept, and waits until that was told.
    func letGoOfKept() {
        kept = []
        wait { ledger.counts.ends >= ledger.counts.leaks }
    }

    /// - Returns: what is wrong in the end.
    func complaints() -> [String] {
        let (counts, reported) = (detector.counts, ledger.counts)
        let checks = Dictionary(
            uniqueKeysWithValues: detector.takeChecks().map { ($0.className, $0.count) })
        let numbers = [
            ("expectations dropped", counts.dropped, 0),
            ("objects still waited for", counts.outstanding, 0),
            ("objects checked", counts.checked, plan.objects),
            ("leaks counted", counts.leaked, plan.leaks),
            ("leaks reported", reported.leaks, plan.leaks),
            ("ends counted", counts.freed, plan.leaks),
            ("ends reported", reported.ends, plan.leaks),
        ]
        return numbers.filter { $0.1 != $0.2 }.map { "\($0): \($1) instead of \($2)" }
            + (checks == plan.countsByClass
                ? [] : ["checks of classes: \(checks) instead of \(plan.countsByClass)"])
            + ledger.complaints(kept: plan.kept)
    }

    /// What was reported is this program's memory, not the detector's.
    func forgetReports() { ledger.forget() }

    /// A minute at most, for what takes seconds.
    private func wait(until isDone: () -> Bool) {
        for _ in 0..<600 {
            guard !isDone() else { return }
            let (counts, reported) = (detector.counts, ledger.counts)
            Progress.show("\(counts.outstanding) waiting, \(reported.leaks) leaks, \(reported.ends) ends")
            Pause.milliseconds(100)
        }
    }
}

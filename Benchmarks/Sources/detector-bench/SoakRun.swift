import Foundation
import LeakDetector

/// A detector and the threads that register objects with it.
final class SoakRun {
    private let plan: Plan
    private let detector: LeakDetector
    private let reportChecker = ReportChecker()
    private let workers: [SoakWorker]
    private var kept: [Model] = []
    /// The seconds that the threads took to register and release all objects.
    private(set) var seconds = 0.0

    /// - Parameter outstanding: the number of objects that may wait at the same time. The threads pause before this number is
    ///   reached, so that no object is dropped.
    init(_ plan: Plan, threads: Int, outstanding: Int) {
        self.plan = plan
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = graceMilliseconds
        limits.outstanding = outstanding
        limits.survivors = max(plan.leaks, limits.survivors)
        let detector = LeakDetector(limits: limits, report: reportChecker.add)
        let releaseQueues = (0..<threads).map { _ in ReleaseQueue() }
        // Leaves room for a batch of each thread, because all threads may check for room at the same time.
        let room = max(outstanding - threads * SoakWorker.batchCount, 0)
        self.detector = detector
        workers = (0..<threads).map { number in
            SoakWorker(
                detector,
                ordinals: plan.objects * number / threads..<plan.objects * (number + 1) / threads,
                plan: plan, room: room, queueToEmpty: releaseQueues[number],
                queueToFill: releaseQueues[(number + 1) % threads])
        }
    }

    /// The longest time for which the threads held an object that they released, in milliseconds.
    var longestHold: Int { (workers.map(\.longestHold).max() ?? 0) / 1_000_000 }

    /// Registers all objects, releases all except the kept objects, and waits until all were checked.
    func work() {
        let start = Usage.time
        let group = DispatchGroup()
        for worker in workers {
            group.enter()
            Thread {
                worker.work()
                group.leave()
            }.start()
        }
        while group.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            let done = workers.reduce(0) { $0 + $1.progress }
            Progress.show("\(done) of \(plan.objects) expected, \(detector.counts.outstanding) waiting")
        }
        seconds = Double(Usage.time - start) / 1e9
        kept = workers.flatMap { $0.takeKeptObjects() }
        wait {
            let counts = detector.counts
            return counts.outstanding == 0 && reportChecker.counts.leaks >= counts.leaked
        }
    }

    /// Releases the kept objects, and waits until their ends were reported.
    func releaseKeptObjects() {
        kept = []
        wait { reportChecker.counts.ends >= reportChecker.counts.leaks }
    }

    /// - Returns: the errors at the end.
    func errors() -> [String] {
        let (counts, reported) = (detector.counts, reportChecker.counts)
        let checks = Dictionary(
            uniqueKeysWithValues: detector.takeChecks().map { ($0.className, $0.count) })
        let numbers = [
            ("expectations dropped", counts.dropped, 0),
            ("objects still waited for", counts.outstanding, 0),
            ("objects checked", counts.checked, plan.objects),
            ("leaks counted", counts.leaked, plan.leaks),
            ("leaks reported", reported.leaks, plan.leaks),
            ("objects counted as freed", counts.freed, plan.leaks),
            ("objects reported as freed", reported.ends, plan.leaks),
        ]
        return numbers.filter { $0.1 != $0.2 }.map { "\($0): \($1) instead of \($2)" }
            + (checks == plan.countsByClass
                ? [] : ["checks of classes: \(checks) instead of \(plan.countsByClass)"])
            + reportChecker.errors(expectedClassNames: plan.keptClassNames)
    }

    /// Deletes the reports, which use memory of this program and not of the detector.
    func forgetReports() { reportChecker.forget() }

    /// Waits until the condition holds, for a minute at most. The work takes seconds.
    private func wait(until isDone: () -> Bool) {
        for _ in 0..<600 {
            guard !isDone() else { return }
            let (counts, reported) = (detector.counts, reportChecker.counts)
            Progress.show("\(counts.outstanding) waiting, \(reported.leaks) leaks, \(reported.ends) ends")
            Pause.milliseconds(100)
        }
    }
}

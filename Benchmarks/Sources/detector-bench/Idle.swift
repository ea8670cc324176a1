import Dispatch
import Foundation
import LeakDetector

/// Counts the wake-ups of the process while no object waits. Call this before other code creates threads.
enum Idle {
    static func measure(seconds: Int) {
        print(
            """
            \(seconds) s of idling for each line; wake-ups are voluntary context switches of all threads except the counting thread

            | process | wake-ups | processor time, µs | other threads | target |
            |---|--:|--:|--:|---|
            """)
        printRow("without a detector", seconds, target: nil)

        let unused = LeakDetector { report in print("leaked: \(report)") }
        printRow("a detector that never expected anything", seconds, target: 0)
        withExtendedLifetime(unused) {}

        let detector = LeakDetector { _ in }
        for _ in 0..<1_000 { detector.expectDeallocation(of: Model()) }
        wait { detector.counts.outstanding == 0 }
        printRow("a detector, right after the last of 1,000 objects", seconds, target: nil)
        // Dispatch ends a thread of its own after five seconds without work.
        Pause.milliseconds(6_000)
        printRow("that detector, six seconds later", seconds, target: 0)

        let leaked = Model()
        detector.expectDeallocation(of: leaked)
        wait { detector.counts.leaked == 1 }
        printRow("that detector, watching for the end of one leaked object", seconds, target: nil)
        withExtendedLifetime(leaked) {}

        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
        timer.setEventHandler {}
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.resume()
        let control = Wakeups.count(milliseconds: seconds * 1_000).wakeups
        timer.cancel()
        print(
            "\ncontrol: a timer each 100 ms gave \(control) wake-ups"
                + (control >= seconds * 5 ? "" : "; the counting does not work, so ignore the table"))
    }

    private static func printRow(_ name: String, _ seconds: Int, target: Int?) {
        Progress.show("idle: \(name)")
        let counted = Wakeups.count(milliseconds: seconds * 1_000)
        Progress.clear()
        let verdict = target.map { "\($0): \(counted.wakeups <= $0 ? "reached" : "missed")" } ?? ""
        let ended = counted.ended == 0 ? "" : ", \(counted.ended) ended"
        print(
            "| \(name) | \(counted.wakeups) | \(counted.processorTime / 1_000) | \(counted.threads)\(ended) | \(verdict) |"
        )
    }

    private static func wait(until isDone: () -> Bool) {
        while !isDone() { Pause.milliseconds(50) }
    }
}

/// Counts the wake-ups of the threads of this process.
enum Wakeups {
    struct Count {
        /// Wake-ups of the threads that existed at the end, and one for each thread that ended.
        var wakeups: Int
        /// Nanoseconds.
        var processorTime: Int
        /// Threads at the end, without the thread that counts.
        var threads: Int
        /// Threads that ended during the count. Each of them woke up to end.
        var ended: Int
    }

    /// Counts the wake-ups of the other threads while the main thread sleeps. Call it on the main thread.
    static func count(milliseconds: Int) -> Count {
        let before = switches()
        let (all, own) = (Usage.processorTime, Usage.ownProcessorTime)
        Pause.milliseconds(milliseconds)
        let ownSpent = Usage.ownProcessorTime - own
        let spent = Usage.processorTime - all - ownSpent
        let after = switches()
        let ended = before.keys.count { after[$0] == nil }
        let wakeups = after.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
        return Count(wakeups: wakeups + ended, processorTime: spent, threads: after.count, ended: ended)
    }

    /// Returns the voluntary context switches so far, by thread ID. Leaves out the main thread, whose ID is that of the
    /// process.
    private static func switches() -> [String: Int] {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var found: [String: Int] = [:]
        for thread in threads where thread != "\(getpid())" {
            let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            guard let count = line.flatMap({ Int($0.filter(\.isNumber)) }) else { continue }
            found[thread] = count
        }
        return found
    }
}

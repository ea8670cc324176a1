import Foundation
import HeapUse

/// Processor time and memory that this process uses.
enum Usage {
    /// Bytes of heap in use.
    static var heap: Int { heap_use_bytes() }

    /// Fixes the thresholds of malloc, so that resident memory shows the program and not malloc. Call it before values of
    /// ``settledMemory`` are compared.
    static func fixThresholds() { heap_use_fix_thresholds() }

    /// Bytes of heap and of resident memory that no file backs, after free pages were given back to the system.
    static var settledMemory: (heap: Int, resident: Int) {
        heap_use_trim()
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        let kibibytes = line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        return (heap, kibibytes * 1024)
    }

    /// Nanoseconds of processor time of all threads.
    static var processorTime: Int { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// Nanoseconds of processor time of the calling thread.
    static var ownProcessorTime: Int { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

    /// Nanoseconds from an arbitrary start.
    static var time: Int { nanoseconds(CLOCK_MONOTONIC) }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

enum Pause {
    static func milliseconds(_ count: Int) { _ = poll(nil, 0, Int32(count)) }
}

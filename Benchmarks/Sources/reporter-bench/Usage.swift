import Foundation
import HeapUse

/// Measurements of this process by the kernel and by malloc.
enum Usage {
    static var nanoseconds: Int { read(CLOCK_MONOTONIC) }
    static var processorNanoseconds: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    static var heapBytes: Int { Int(heap_use_bytes()) }

    /// Reads and writes of this thread, as counted by the kernel.
    static var threadFileCalls: Int {
        let text = (try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(0) { sum, line in
            let parts = line.split(separator: " ")
            return parts.count == 2 && (parts[0] == "syscr:" || parts[0] == "syscw:")
                ? sum + (Int(parts[1]) ?? 0) : sum
        }
    }
}

extension Array where Element: Comparable {
    /// - Parameter share: 0.5 for the median.
    func quantile(_ share: Double) -> Element {
        let sorted = sorted()
        return sorted[Swift.min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }
}

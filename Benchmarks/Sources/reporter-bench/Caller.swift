import CountedMalloc
import Foundation
import LeakMessage
import LeakReporter

/// Cost of `record` for the thread that calls it.
enum Caller {
    struct Cost {
        /// Nanoseconds per call.
        var median = 0
        /// Nanoseconds that 99 % of the calls did not exceed.
        var p99 = 0
        var allocationsPerCall = 0.0
        var fileCallsPerCall = 0.0
    }

    /// - Parameter pause: microseconds between two calls: with a pause, the reporter's thread is asleep when a call comes.
    static func cost(of count: Int, pause: UInt32, _ call: (Int) -> Void) -> Cost {
        var times = [Int](repeating: 0, count: count)
        let files = Usage.threadFileCalls
        // The file calls that reading the counter makes itself.
        let own = Usage.threadFileCalls - files
        let before = Usage.threadFileCalls
        _ = counted_malloc_take()
        for index in 0..<count {
            let start = Usage.nanoseconds
            call(index)
            times[index] = Usage.nanoseconds - start
            if pause > 0 { usleep(pause) }
        }
        let allocations = Int(counted_malloc_take())
        let calls = Usage.threadFileCalls - before - own
        return Cost(
            median: times.quantile(0.5), p99: times.quantile(0.99),
            allocationsPerCall: Double(allocations) / Double(count),
            fileCallsPerCall: Double(calls) / Double(count))
    }

    /// Encodes each report as JSON and writes it to a file before it returns, as crash reporters do with a non-fatal error.
    final class WrittenAtOnce {
        private let descriptor: Int32
        private let encoder = JSONEncoder()

        private struct Record: Encodable {
            var className: String?
            var stack: [String]
            var reason: String?
            var keys: [String: String]
            var log: [String]
        }

        init(_ path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
        deinit { close(descriptor) }

        func record(_ leak: LeakReport) {
            let record = Record(
                className: leak.className, stack: leak.stack, reason: leak.reason,
                keys: Dictionary(uniqueKeysWithValues: leak.keys.map { ($0.name, "\($0.value)") }),
                log: leak.log)
            guard let json = try? encoder.encode(record) else { return }
            _ = json.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }
}

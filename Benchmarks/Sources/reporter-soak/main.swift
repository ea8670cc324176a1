import Dispatch
import Foundation
import LeakReporter
import ReportLoad

// Calls every function of the reporter from eight threads at once, for sanitizers.

let calls = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
let threads = 8

/// - Returns: `true` if each sighting is accounted for.
@MainActor func soak(isInMemory: Bool) -> Bool {
    let sink = Sink()
    let bench = Bench(port: sink.port, isInMemory: isInMemory) {
        $0.beforeSend = { $0.className == "Shop.CheckoutViewController13" ? nil : $0 }
        $0.bounds.memoryBytes = 1024 * 1024
    }
    let reporter = bench.reporter
    reporter.startSession { [.init(className: "Shop.Cart", count: 1)] }
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for call in 0..<calls {
            reporter.record(leak: Reports.leak(call % 200))
            switch call % 500 {
            case 1: reporter.log("thread \(thread) call \(call)")
            case 2: reporter.setCustomValue(call, forKey: "call")
            case 3: reporter.setUserID("user \(thread)")
            case 4: reporter.record(checks: [.init(className: "Shop.Cart", count: 2)])
            case 5: reporter.sendUnsentReports()
            case 6: _ = reporter.statistics
            case 7: reporter.flush(timeout: 0.001)
            case 8: reporter.checkForUnsentReports { _ in }
            case 9: reporter.startSession()
            default: break
            }
        }
    }
    reporter.endSession()
    let isFlushed = reporter.flush(timeout: 120)
    let statistics = reporter.statistics
    let known = statistics.sent + statistics.waiting + statistics.dropped.values.reduce(0, +)
    print("\(isInMemory ? "in memory" : "on the disk"): \(threads * calls) recorded, \(statistics)")
    return isFlushed && statistics.waiting == 0 && known == threads * calls
}

guard soak(isInMemory: false), soak(isInMemory: true) else {
    FileHandle.standardError.write(Data("reporter-soak: not every sighting is accounted for\n".utf8))
    exit(1)
}

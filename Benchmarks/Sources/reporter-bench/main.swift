import CountedMalloc
import Foundation
import HeapUse
import LeakMessage
import LeakReporter
import ReportLoad

// Measures the cost of the reporter for its app.

let usage = """
    usage: reporter-bench [--rounds 5] [--calls 5000] [--waiting 100000]

    Measures the cost of LeakReporter.record for its caller, compared with a function that writes each report to a file
    before it returns; the memory of waiting reports; and bytes on the wire and processor time per report, compared with
    one request per report. Figures are medians of the rounds. Only for Linux with glibc.
    """

func fail(_ text: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("reporter-bench: \(text)\n".utf8))
    exit(code)
}

/// Prints a line and flushes the output.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

var numbers = ["--rounds": 5, "--calls": 5_000, "--waiting": 100_000]
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument == "--help" || argument == "-h" {
        print(usage)
        exit(0)
    }
    guard numbers[argument] != nil else { fail("\(argument) is unknown\n\(usage)", code: 2) }
    guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
        fail("\(argument) needs a number above zero\n\(usage)", code: 2)
    }
    numbers[argument] = number
}
guard Usage.heapBytes > 0 else {
    fail("this program needs the malloc of glibc, which this system does not have", code: 2)
}
let (rounds, calls, waiting) = (numbers["--rounds"] ?? 0, numbers["--calls"] ?? 0, numbers["--waiting"] ?? 0)
counted_malloc_start()
heap_use_fix_thresholds()

// A port on which no process listens, so that recorded reports wait.
let unusedPort = 9
let sink = Sink()
let distinct = Reports.leaks(calls)

say("| record, on the caller | ns, median | p99 | allocations | reads and writes | × written at once |")
say("|---|---|---|---|---|---|")

@MainActor func printCosts(_ name: String, baseline: Int? = nil, pause: UInt32, _ call: () -> (Int) -> Void)
    -> Int
{
    let costs = (0..<rounds).map { _ in Caller.cost(of: calls, pause: pause, call()) }
    let median = costs.map(\.median).quantile(0.5)
    let line = [
        name, "\(median)", "\(costs.map(\.p99).quantile(0.5))",
        String(format: "%.3f", costs.map(\.allocationsPerCall).quantile(0.5)),
        String(format: "%.3f", costs.map(\.fileCallsPerCall).quantile(0.5)),
        baseline.map { String(format: "%.1f", Double($0) / Double(median)) } ?? "1",
    ]
    say("| " + line.joined(separator: " | ") + " |")
    return median
}

var benches: [Bench] = []
@MainActor func makeReporter() -> LeakReporter {
    let bench = Bench(port: unusedPort)
    benches = [bench]
    return bench.reporter
}

for (name, pause) in [("a burst", UInt32(0)), ("one each 300 µs, all threads asleep", 300)] {
    let path = NSTemporaryDirectory() + "/reporter-bench-\(UUID().uuidString)"
    let baseline = printCosts("written at once, \(name)", pause: pause) {
        let file = Caller.WrittenAtOnce(path)
        return { file.record(distinct[$0]) }
    }
    try? FileManager.default.removeItem(atPath: path)
    _ = printCosts("different leaks, \(name)", baseline: baseline, pause: pause) {
        let reporter = makeReporter()
        return { reporter.record(leak: distinct[$0]) }
    }
    _ = printCosts("one leak again and again, \(name)", baseline: baseline, pause: pause) {
        let reporter = makeReporter()
        return { _ in reporter.record(leak: distinct[0]) }
    }
    _ = printCosts("a detector's text, \(name)", baseline: baseline, pause: pause) {
        let reporter = makeReporter()
        let text = "VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>"
        return { _ in reporter.record(message: text) }
    }
}
benches = []

say("\n| reports that wait | heap, on the disk | heap, in memory |")
say("|---|---|---|")
for count in [1, 1_000, waiting] {
    let reports = Reports.leaks(count)
    let heaps = [false, true].map { isInMemory in
        heap_use_trim()
        let before = Usage.heapBytes
        let bench = Bench(port: unusedPort, isInMemory: isInMemory)
        for start in stride(from: 0, to: count, by: 1_000) {
            for report in reports[start..<min(start + 1_000, count)] { bench.reporter.record(leak: report) }
            bench.waitUntilStored()
        }
        usleep(300_000)
        return withExtendedLifetime(bench) { Usage.heapBytes - before }
    }
    say("| \(count) | \(heaps[0] / 1024) KiB | \(heaps[1] / 1024) KiB |")
}

say("\n| on the wire | requests | bytes per report |")
say("|---|---|---|")
for (name, count, isOneLeak, batch) in [
    ("one report", 1, false, 64), ("64 different leaks", 64, false, 64),
    ("1,000 sightings of one leak", 1_000, true, 64),
    ("64 different leaks, a request for each", 64, false, 1),
] {
    let bench = Bench(port: sink.port) { $0.bounds.batchReports = batch }
    _ = sink.take()
    for index in 0..<count { bench.reporter.record(leak: Reports.leak(isOneLeak ? 0 : index)) }
    guard bench.reporter.flush(timeout: 60) else { fail("\(bench.reporter.statistics)", code: 1) }
    let counts = sink.take()
    say(
        "| \(name) | \(counts.requests) | \(String(format: "%.1f", Double(counts.bytes) / Double(count))) |")
}
let plain = Reports.leak(0).json().count
say("\nA report alone is \(plain) bytes of JSON.")

say(
    "\n| 10,000 reports, recorded to delivered | processor µs per report | requests | × a request for each |")
say("|---|---|---|---|")
let many = Reports.leaks(10_000)
@MainActor func processorTime(
    batchReports: Int, isOneLeak: Bool, rounds: Int
) -> (microseconds: Double, requests: Int) {
    let results = (0..<rounds).map { _ in
        let bench = Bench(port: sink.port) { $0.bounds.batchReports = batchReports }
        _ = sink.take()
        let start = Usage.processorNanoseconds
        for leak in many { bench.reporter.record(leak: isOneLeak ? many[0] : leak) }
        guard bench.reporter.flush(timeout: 120) else { fail("\(bench.reporter.statistics)", code: 1) }
        let spent = Usage.processorNanoseconds - start
        let counts = sink.take()
        return (Double(spent - counts.processorNanoseconds) / 10_000_000, counts.requests)
    }
    return (results.map(\.0).quantile(0.5), results.map(\.1).quantile(0.5))
}
// Runs once, because it takes as long as all other measurements together.
let each = processorTime(batchReports: 1, isOneLeak: false, rounds: 1)
for (name, result) in [
    ("a request for each", each),
    ("different leaks", processorTime(batchReports: 64, isOneLeak: false, rounds: rounds)),
    ("one leak again and again", processorTime(batchReports: 64, isOneLeak: true, rounds: rounds)),
] {
    let ratio = String(format: "%.1f", each.microseconds / result.microseconds)
    say("| \(name) | \(String(format: "%.2f", result.microseconds)) | \(result.requests) | \(ratio) |")
}

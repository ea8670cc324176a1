import Foundation
import Testing

@testable import LeakCollector

/// The text format of metrics, and the list of metrics in the documents.
@Suite struct MetricsWriterTests {
    private func text(_ write: (inout MetricsWriter) -> Void) -> String {
        var writer = MetricsWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `the comments of a metric come once, before its first sample`() {
        let text = text { writer in
            writer.add(.httpResponses, by: "code", [("2xx", 7), ("4xx", 0)])
            writer.add(.httpOpenConnections, 3)
        }
        #expect(
            text == """
                # HELP leak_collector_http_responses_total Responses by class of their status.
                # TYPE leak_collector_http_responses_total counter
                leak_collector_http_responses_total{code="2xx"} 7
                leak_collector_http_responses_total{code="4xx"} 0
                # HELP leak_collector_http_open_connections Connections that are open now.
                # TYPE leak_collector_http_open_connections gauge
                leak_collector_http_open_connections 3

                """)
    }

    @Test func `quotation marks, backslashes and line feeds in labels are escaped, other text is not`() {
        let text = text { $0.add(.appNewLeaks, 1, labels: [("app", "a\"b\\c\nd é{}"), ("environment", "")]) }
        #expect(
            text.hasSuffix(#"leak_collector_app_new_leaks{app="a\"b\\c\nd é{}",environment=""} 1"# + "\n"))
        #expect(text.split(separator: "\n").count == 3)
    }

    @Test func `a histogram has cumulative counts, the sum and the count`() {
        var histogram = LatencyHistogram()
        for milliseconds in [0, 1, 3, 400, 3000] {
            histogram.record(nanoseconds: UInt64(milliseconds) * 1_000_000)
        }
        let samples = text { $0.add(.commitDuration, histogram) }.split(separator: "\n").dropFirst(2)
        let name = "leak_collector_commit_duration_seconds"
        #expect(
            samples.map(String.init) == [
                "\(name)_bucket{le=\"0.001\"} 2", "\(name)_bucket{le=\"0.005\"} 3",
                "\(name)_bucket{le=\"0.02\"} 3", "\(name)_bucket{le=\"0.1\"} 3",
                "\(name)_bucket{le=\"0.5\"} 4", "\(name)_bucket{le=\"2.0\"} 4",
                "\(name)_bucket{le=\"+Inf\"} 5", "\(name)_sum 3.404", "\(name)_count 5",
            ])
    }

    @Test(arguments: Metric.allCases)
    func `each metric has a plain name and a sentence, and only counters end with total`(metric: Metric) {
        #expect(metric.rawValue.wholeMatch(of: /(leak_collector|process)(_[a-z]+)+/) != nil)
        #expect(metric.help.hasSuffix(".") && !metric.help.contains("\n"))
        #expect(metric.rawValue.hasSuffix("_total") == (metric.kind == .counter))
    }

    @Test func `docs MONITORING lists exactly the metrics of the code, with type and description`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/MONITORING.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
            $0.contains(/^\| `(leak_collector|process)_/)
        }
        #expect(
            rows.map(String.init) == Metric.allCases.map { "| `\($0.rawValue)` | \($0.kind) | \($0.help) |" })
    }

    // MARK: The process

    private static let limits = """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1024                 524288               files
        Max locked memory         8388608              8388608              bytes
        """

    @Test func `the name of the program may have spaces and parentheses`() throws {
        let status =
            "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 8000 99999 300 18446744073709551615"
        let found = try #require(
            ProcessStatistics(
                status: status, limits: Self.limits, openDescriptors: 12, ticksPerSecond: 100,
                pageBytes: 4096))
        #expect(found.cpuSeconds == 3 && found.startSeconds == 80)
        #expect(found.residentBytes == 300 * 4096)
        #expect(found.openDescriptors == 12 && found.maxDescriptors == 1024)
    }

    @Test(arguments: [("", limits), ("7 (a) S 1", limits), ("no parenthesis", limits)])
    func `text of another form gives no statistics`(status: String, limits: String) {
        #expect(
            ProcessStatistics(
                status: status, limits: limits, openDescriptors: 1, ticksPerSecond: 100, pageBytes: 4096)
                == nil)
    }

    #if os(Linux)
        @Test func `an open file counts as a descriptor of this process`() throws {
            let before = try #require(ProcessStatistics.current())
            let files = (0..<200).compactMap { _ in FileHandle(forReadingAtPath: "/dev/null") }
            let after = try #require(ProcessStatistics.current())
            // Other tests open and close files at the same time.
            #expect(after.openDescriptors > before.openDescriptors + 50)
            #expect(after.residentBytes > 1 << 20 && after.cpuSeconds > 0)
            #expect(try #require(ProcessStatistics.secondsSinceStart()) > 0)
            #expect(after.maxDescriptors >= after.openDescriptors)
            for file in files { try file.close() }
        }
    #endif
}

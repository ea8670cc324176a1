import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

/// Lists that are longer than a report allows are truncated to the length that a report allows.
@Suite struct BoundsTests {
    private func calls(_ stack: [String]) -> [String?] { stack.map { CallFrame($0)?.function } }

    @Test func `the last of many frames become the stack, the innermost first`() throws {
        let frames = (0..<5_000).map { "{\"function\":\"f\($0)\"},{}" }.joined(separator: ",")
        let report = try ReadSubmission(
            event: #"{"exception":{"type":"E","stacktrace":{"frames":[\#(frames)]}}}"#
        )
        .report
        #expect(calls(report.stack) == ((5_000 - WireLimits.stackCount)..<5_000).reversed().map { "f\($0)" })
    }

    @Test func `the app's own frames are kept, even after many other frames`() throws {
        let others = String(repeating: "{\"function\":\"g\"},", count: 5_000)
        let frames = #"{"function":"a","in_app":true},\#(others){"function":"b","in_app":true},\#(others){}"#
        let report = try ReadSubmission(
            event: #"{"exception":{"type":"E","stacktrace":{"frames":[\#(frames)]}}}"#
        )
        .report
        #expect(calls(report.stack) == ["b", "a"])
    }

    @Test func `the last of many breadcrumbs become the log`() throws {
        let crumbs = (0..<5_000).map { "{\"message\":\"m\($0)\"},{}" }.joined(separator: ",")
        let log = try ReadSubmission(event: #"{"message":"a","breadcrumbs":[\#(crumbs)]}"#).report.log
        #expect(log == ((5_000 - WireLimits.logLineCount)..<5_000).map { "m\($0)" })
    }

    @Test func `the first of many tags become keys, and a class after all of them is found`() throws {
        let tags = (0..<5_000).map { "[\"k\($0)\",\"\($0)\"]" }.joined(separator: ",")
        let report = try ReadSubmission(
            event: #"{"tags":[["leak.kind","view"],\#(tags),["leak.class","Shop.Cart"]],"extra":{"e":1}}"#
        ).report
        #expect(report.className == "Shop.Cart" && report.kind == .view)
        #expect(report.keys.map(\.name) == (0..<WireLimits.keysCount).map { "k\($0)" })
    }

    @Test func `the last of many elements of a stack are kept, and the first of many elements of a cycle`()
        throws
    {
        let list = (0..<5_000).map { "\"C\($0)\"" }.joined(separator: ",")
        let report = try ReadSubmission(
            event: #"{"contexts":{"leak":{"class":"C","stack":[\#(list)],"cycle":[\#(list)]}}}"#
        ).report
        #expect(report.stack == ((5_000 - WireLimits.stackCount)..<5_000).map { "C\($0)" })
        #expect(report.cycle == (0..<WireLimits.cycleCount).map { "C\($0)" })
    }
}

import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

/// Lists that are longer than a report allows are truncated to the length that a report allows.
@Suite struct BoundsTests {
    private func calls(_ stack: [String]) -> [String?] { stack.map { CallFrame($0)?.function } }

    @Test func `of many frames the last are the stack, innermost first`() throws {
        let frames = (0..<5_000).map { "{\"function\":\"f\($0)\"},{}" }.joined(separator: ",")
        let report = try Sent(event: #"{"exception":{"type":"E","stacktrace":{"frames":[\#(frames)]}}}"#)
            .report
        #expect(calls(report.stack) == ((5_000 - WireLimits.stackCount)..<5_000).reversed().map { "f\($0)" })
    }

    @Test func `of the app's own frames none is lost after others`() throws {
        let others = String(repeating: "{\"function\":\"g\"},", count: 5_000)
        let frames = #"{"function":"a","in_app":true},\#(others){"function":"b","in_app":true},\#(others){}"#
        let report = try Sent(event: #"{"exception":{"type":"E","stacktrace":{"frames":[\#(frames)]}}}"#)
            .report
        #expect(calls(report.stack) == ["b", "a"])
    }

    @Test func `of many breadcrumbs the last are the log`() throws {
        let crumbs = (0..<5_000).map { "{\"message\":\"m\($0)\"},{}" }.joined(separator: ",")
        let log = try Sent(event: #"{"message":"a","breadcrumbs":[\#(crumbs)]}"#).report.log
        #expect(log == ((5_000 - WireLimits.logCount)..<5_000).map { "m\($0)" })
    }

    @Test func `of many tags the first are keys, and the class is found after all of them`() throws {
        let tags = (0..<5_000).map { "[\"k\($0)\",\"\($0)\"]" }.joined(separator: ",")
        let report = try Sent(
            event: #"{"tags":[["leak.kind","view"],\#(tags),["leak.class","Shop.Cart"]],"extra":{"e":1}}"#
        ).report
        #expect(report.className == "Shop.Cart" && report.kind == .view)
        #expect(report.keys.map(\.name) == (0..<WireLimits.keysCount).map { "k\($0)" })
    }

    @Test func `of many elements of a stack the last are kept, of a cycle the first`() throws {
        let list = (0..<5_000).map { "\"C\($0)\"" }.joined(separator: ",")
        let report = try Sent(
            event: #"{"contexts":{"leak":{"class":"C","stack":[\#(list)],"cycle":[\#(list)]}}}"#
        ).report
        #expect(report.stack == ((5_000 - WireLimits.stackCount)..<5_000).map { "C\($0)" })
        #expect(report.cycle == (0..<WireLimits.cycleCount).map { "C\($0)" })
    }
}

import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct ReportSizeTests {
    @Test(arguments: [
        ("abc", 5, "abc"), ("abc", 3, "abc"), ("abc", 2, "ab"), ("äb", 1, ""), ("äb", 2, "ä"), ("aä", 2, "a"),
        ("🧵x", 3, ""), ("🧵x", 4, "🧵"), ("", 0, ""), ("abc", 0, ""),
    ])
    func `texts are truncated between two Unicode scalars`(text: String, limit: Int, cut: String) {
        #expect(text.prefix(utf8: limit) == cut)
    }

    @Test func `a queued report is at most as long as the wire format allows`() {
        var report = LeakReport()
        let long = String(repeating: "x", count: 1_000_000)
        report.message = long
        report.className = long
        report.reason = long
        report.stack = Array(repeating: long, count: 1_000)
        report.log = (0..<100).map { "\($0)" }
        report.keys = Array(repeating: CustomKey(long, .string(long)), count: 1_000)
        report.error = ReportedError(
            domain: long, code: 1, userInfo: [CustomKey("NSLocalizedDescription", .string(long))])
        let references = (0..<40_000).map { number in
            RetainReference(
                owner: number == 1 ? long : "Node", field: number == 2 ? long : "next", kind: .property,
                isClosure: false)
        }
        let path = RetainPath(references: references, target: long, isCycle: false)
        var explanation = RetainExplanation()
        explanation.path = path
        explanation.furtherCycles = Array(repeating: path, count: 20)
        explanation.closureSites = Array(
            repeating: ImageOffset(image: "Shop", imageIdentifier: "", offset: 1), count: 1_000)
        report.explanation = explanation
        let bounded = report.truncatedForQueue()
        #expect(bounded.explanation?.path?.references.count == 32)
        #expect(bounded.explanation?.path?.fullLength == 40_000)
        #expect(bounded.message?.utf8.count == 8 * 1024)
        #expect(bounded.className?.utf8.count == 512)
        #expect(bounded.stack.count == 128)
        #expect(bounded.log.last == "99", "the newest line is kept")
        #expect(ReportSize.bytes(of: bounded) < 300_000)
        #expect(bounded.json() == report.json(), "truncated as the writer would truncate it")
    }

    /// If no character needs an escape in JSON, the estimate is at most 60 bytes below and 200 bytes above the bytes that are
    /// sent.
    @Test func `the estimated size of a report is near its actual size`() {
        var report = LeakReport()
        report.event = .leak
        report.id = SightingID.make(at: WireTime(milliseconds: 1_764_000_000_000))
        report.at = WireTime(milliseconds: 1_764_000_000_000)
        report.kind = .object
        report.className = "Shop.CheckoutViewController"
        report.stack = ["UINavigationController", "Shop.CheckoutViewController"]
        report.reason = "dismissed"
        report.waitedMilliseconds = 1_000
        let estimate = ReportSize.bytes(of: report)
        let truth = report.json().count
        #expect(estimate >= truth - 60 && estimate <= truth + 200)
    }
}

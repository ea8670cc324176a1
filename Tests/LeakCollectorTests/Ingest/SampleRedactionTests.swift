import LeakGrammar
import LeakMessage
import Testing

@testable import LeakCollector

@Suite struct SampleRedactionTests {
    private func redacted(_ report: LeakReport) throws -> (report: LeakReport, bytes: Int) {
        let bytes = SampleRedaction.redact(report.json()[...])
        let document = try WireReader.read(bytes, as: .json)
        return (document.report(at: 0), bytes.count)
    }

    @Test func `a report of ordinary size is stored whole`() throws {
        var report = LeakReport()
        report.className = "A"
        report.log = ["opened cart"]
        report.stack = ["Root", "A"]
        #expect(try redacted(report).report == report)
    }

    @Test(arguments: [
        [
            "3   Shop   0x0000000102c4 CartModel.bind() + 88",
            "4   UIKitCore   0x00000001a4 -[UIView x:] + 12",
        ],
        ["Root", "Store<Cart>", "<UILabel: 0x1f; text = 'Jane'>"], ["caf\u{E9} \u{201C}Jane\u{201D}"],
        [#"{"function":"f","vars":{"name":"Jane"}}"#, "a\nb"],
    ])
    func `stack, children and cycle of a stored sample are those of the redacted report`(list: [String])
        throws
    {
        var report = LeakReport()
        report.className = "A"
        (report.stack, report.children, report.cycle) = (list, list, list)
        report.install = "i"
        report.app = AppInfo(id: "a")
        var expected = report.redacted()
        (expected.install, expected.app) = (nil, nil)
        #expect(try redacted(report).report == expected)
    }

    @Test(arguments: [
        (log: 64, stack: 2), (log: 64, stack: 128), (log: 0, stack: 128),
    ])
    func `a report over the maximum size of a sample is stored without its log and without a long stack`(
        log: Int, stack: Int
    ) throws {
        var report = LeakReport()
        report.className = "A"
        report.message = String(repeating: "m", count: 8_000)
        report.log = [String](repeating: String(repeating: "l", count: 500), count: log)
        report.stack = [String](repeating: String(repeating: "s", count: 500), count: stack)
        let (kept, bytes) = try redacted(report)
        #expect(bytes <= SampleRedaction.maxSampleBytes)
        #expect(kept.className == "A" && kept.message == report.message)
        #expect(kept.log.isEmpty && kept.stack.count == (stack == 2 ? 2 : 0))
    }
}

import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// The sentence on a leak's page that explains why its reports are grouped as one leak.
@Suite struct GroupingSummaryTests {
    private static func calls(_ system: [String]) -> [String] {
        let app = ["$s4Shop9CartModelC4loadyyF", "$s4Shop9CartModelC4bindyyF"]
        return (system.map { ("UIKitCore", $0) } + app.map { ("Shop", $0) }).enumerated().map {
            number, frame in
            "\(number)   \(frame.0)   0x00000001023bcd8a \(frame.1) + 4"
        }
    }

    static let cases: [(stacks: [[String]], className: String?, sentence: String)] = [
        ([[]], "CartModel", "same class"),
        ([["CartModel"]], "CartModel", "same class"),
        ([["Root", "CartModel"]], "CartModel", "same class, same owner"),
        (
            [["Tabs", "Root", "CartModel"], ["Tabs", "Root", "CartModel"]], "CartModel",
            "same class, same 2\u{A0}owners"
        ),
        (
            [["Root", "CartModel"], ["UINavigationController", "Root", "CartModel"]], "CartModel",
            "same class, same owner"
        ),
        (
            [["UITabBarController", "Root", "CartModel"], ["UINavigationController", "Root", "CartModel"]],
            "CartModel",
            "same class, same owner; the 2\u{A0}sample reports differ in 2\u{A0}system owners"
        ),
        ([calls([]), calls([])], "CartModel", "same class, same 2\u{A0}app frames"),
        (
            [calls(["a", "b"]), calls(["b", "c"]), calls(["b"])], "CartModel",
            "same class, same 2\u{A0}app frames; the 3\u{A0}sample reports differ in 2\u{A0}system frames"
        ),
        ([["0x1023bcd8a"]], "CartModel", "same class"),
        ([[]], nil, "same text"),
    ]

    @Test(arguments: cases.indices)
    func `the grouping summary says what the reports of a leak have in common, and where they differ`(
        index: Int
    ) {
        let (stacks, className, sentence) = Self.cases[index]
        let reports = stacks.map { stack in
            var report = LeakReport()
            (report.className, report.stack) = (className, stack)
            report.message = className == nil ? "something is still there" : nil
            return report
        }
        let leaks = reports.map { GroupingRules.group($0, app: "shop", module: "Shop").identity }
        #expect(Set(leaks.map(\.id)).count == 1)
        #expect(GroupingSummary(of: leaks[0], reports: reports).sentence == sentence)
    }

    @Test func `call frames in a message or error are summarized like frames in the stack`() {
        let launches = [["a", "b"], ["b", "c"], ["b"]]
        let reports = launches.map { system in
            var report = LeakReport()
            report.message = (["CartModel leaked"] + Self.calls(system)).joined(separator: "\n")
            return report
        }
        let leaks = reports.map { GroupingRules.group($0, app: "shop", module: "Shop").identity }
        #expect(Set(leaks.map(\.id)).count == 1)
        #expect(
            GroupingSummary(of: leaks[0], reports: reports).sentence
                == "same class, same 2\u{A0}app frames; the 3\u{A0}sample reports differ in 2\u{A0}system frames"
        )
        let errors = launches.map { system in
            var report = LeakReport()
            let text = (["CartModel leaked"] + Self.calls(system)).joined(separator: "\n")
            report.error = ReportedError(
                domain: "d", code: 1, userInfo: [CustomKey("NSLocalizedDescription", .string(text))])
            return report
        }
        #expect(
            GroupingSummary(of: leaks[0], reports: errors).sentence
                == GroupingSummary(of: leaks[0], reports: reports).sentence)
    }

    @Test func `the grouping summary says whether a fingerprint or a cycle groups a leak`() {
        var report = LeakReport()
        (report.className, report.fingerprint) = ("CartModel", ["checkout"])
        func sentence() -> String {
            GroupingSummary(
                of: GroupingRules.group(report, app: "shop", module: nil).identity, reports: [report]
            )
            .sentence
        }
        #expect(sentence() == "same fingerprint, set by the sender")
        (report.className, report.fingerprint, report.cycle) = (nil, [], ["CartModel", "Closure"])
        #expect(sentence() == "same cycle")
    }
}

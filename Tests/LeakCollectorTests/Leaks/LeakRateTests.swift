import LeakStore
import Testing

@testable import LeakCollector

@Suite struct LeakRateTests {
    private func text(
        _ rate: ReportsAndChecks?, before: ReportsAndChecks? = nil, kind: String = "view_controller"
    ) -> String? {
        var row = Shop.checkout
        row.identity = Shop.leak(1, "Cart", kind: kind, stack: [])
        (row.rate, row.previousVersionRate) = (rate, before)
        return LeakRate(row: row).map { String(decoding: $0.html.bytes, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (1, 1_240, "1\u{A0}in\u{A0}1,240 dismissals"), (40, 1_240, "1\u{A0}in\u{A0}31 dismissals"),
            (2, 99, "1\u{A0}in\u{A0}50 dismissals"), (10, 100, "1\u{A0}in\u{A0}10 dismissals"),
            (11, 100, "11.0\u{A0}% of the dismissals"),
            (51, 100, "51.0\u{A0}% of the dismissals"), (100, 100, "100.0\u{A0}% of the dismissals"),
            (0, 100, "none of the dismissals"),
        ] as [(Int, Int, String)])
    func `a leak rate is shown as a ratio, or above one tenth as a percentage`(
        reports: Int, checks: Int, expected: String
    ) {
        #expect(text(ReportsAndChecks(reports: reports, checks: checks)) == expected)
    }

    @Test func `a leak rate is shown with the rate of the previous version`() {
        let now = ReportsAndChecks(reports: 10, checks: 100)
        #expect(
            text(now, before: ReportsAndChecks(reports: 1, checks: 100))
                == "1\u{A0}in\u{A0}10 dismissals, before 1\u{A0}in\u{A0}100")
        #expect(
            text(now, before: ReportsAndChecks(reports: 0, checks: 100))
                == "1\u{A0}in\u{A0}10 dismissals, before none")
        #expect(text(now, kind: "object") == "1\u{A0}in\u{A0}10 checks")
    }

    @Test func `no leak rate is shown for less than 50 checks, or for more reports than checks`() {
        #expect(text(nil) == nil && text(ReportsAndChecks(reports: 1, checks: 49)) == nil)
        #expect(text(ReportsAndChecks(reports: 101, checks: 100)) == nil)
        let now = ReportsAndChecks(reports: 10, checks: 100)
        #expect(text(now, before: ReportsAndChecks(reports: 1, checks: 49)) == "1\u{A0}in\u{A0}10 dismissals")
    }
}

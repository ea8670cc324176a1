import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

@Suite struct AlertPresenterTests {
    private struct Screen: AlertPresenter.Screen {
        let shown = Guarded([String]())

        func show(_ alert: AlertPresenter.Alert, pictureOf object: AnyObject?) {
            shown.with { $0.append("show \(alert.title)\(object == nil ? "" : " with picture")") }
        }

        func update(_ alert: AlertPresenter.Alert) {
            let last = alert.text.split(separator: "\n").last ?? ""
            shown.with { $0.append("update: \(last)") }
        }
    }

    @Test(arguments: [(LeakDetector.Answer.showAlert, " with picture"), (.showAlertWithoutScreenshot, "")])
    func `an alert is shown, and later says what happened to the object`(
        answer: LeakDetector.Answer, picture: String
    ) {
        let screen = Screen()
        let bench = Bench(alerts: AlertPresenter(screen: screen)) { _ in answer }
        var page: Page? = Page()
        bench.detector.expectDeallocation(of: page!)
        bench.advance(by: 3_900)
        page = nil
        bench.advance(by: 2_000)
        #expect(
            screen.shown.with { $0 } == [
                "show LeakDetectorTests.Page leaked\(picture)",
                "update: LeakDetectorTests.Page was freed after 2.5 s",
            ])
        #expect(bench.lines == ["leak Page", "freed Page 2500"], "a leak that is shown is also reported")
    }

    private struct Explainer: LeakExplainer {
        func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation {
            var explanation = RetainExplanation()
            explanation.unexplainedReferences = 1
            return explanation
        }
    }

    @Test(arguments: [true, false])
    func `an alert is updated with the explanation why the object is still in memory`(hasScreen: Bool)
        async throws
    {
        let screen = Screen()
        let lines = Guarded([String]())
        let presenter = AlertPresenter(screen: hasScreen ? screen : nil) { line in
            lines.with { $0.append(line) }
        }
        let bench = Bench(explainer: Explainer(), alerts: presenter) { _ in .showAlertWithoutScreenshot }
        let page = Page()
        bench.detector.expectDeallocation(of: page)
        bench.advance(by: 2_000)
        let queue = try #require(bench.detector.notifier.explanations)
        while !queue.isIdle { try await Task.sleep(nanoseconds: 10_000_000) }
        bench.advance(by: 0)
        let told = hasScreen ? screen.shown.with { $0 } : lines.with { $0 }
        let why =
            "LeakDetectorTests.Page is kept by 1 reference from objects that were not searched; no cycle was found"
        #expect(told.count == 2 && told.last == (hasScreen ? "update: \(why)" : why))
        withExtendedLifetime(page) {}
    }

    @Test func `if a leak was reported without an alert, no alert is shown when its object is freed`() {
        let screen = Screen()
        let bench = Bench(alerts: AlertPresenter(screen: screen))
        do {
            let page = Page()
            bench.detector.expectDeallocation(of: page)
            bench.advance(by: 2_000)
        }
        bench.advance(by: 2_000)
        #expect(bench.lines.count == 2)
        #expect(screen.shown.with { $0 }.isEmpty)
    }

    @Test func `without a screen an alert is printed as a line`() {
        let lines = Guarded([String]())
        let bench = Bench(alerts: AlertPresenter { line in lines.with { $0.append(line) } }) { _ in .showAlert
        }
        let page = Page()
        bench.detector.expectDeallocation(of: page, reason: "popped", file: "App/Cart.swift", line: 7)
        bench.advance(by: 2_000)
        #expect(
            lines.with { $0 } == [
                "LeakDetectorTests.Page is still in memory 1.5 s after it should have been freed (popped), "
                    + "expected at App/Cart.swift:7"
            ])
        withExtendedLifetime(page) {}
    }
}

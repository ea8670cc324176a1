import LeakMessage
import Testing

@testable import LeakDetector

/// Screens that stay on purpose, and screens that do not belong to the app.
@MainActor @Suite struct IgnoredScreenTests {
    private let kit = SimulatedUIKit()

    @Test(arguments: [
        LeakDetector.Suppression(classes: ["Cart"]), .init(prefixes: ["LeakDetectorTests.C"]),
        .init(modules: ["LeakDetectorTests"]),
    ])
    func `a screen of an ignored class is not reported`(suppression: LeakDetector.Suppression) {
        let kit = SimulatedUIKit(suppression: suppression)
        kit.window.root = Home(kit)
        kit.window.root?.present(kit.keep(Cart(kit)))
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.detector.counts.suppressed == 1)
    }

    @Test func `an ignored screen is not reported, even if it is presented and dismissed repeatedly`() {
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        kit.detector.ignore(cart)
        for _ in 0..<3 {
            kit.window.root?.present(cart)
            kit.window.root?.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines.isEmpty)
    }

    @Test(arguments: [LeakDetector.Answer.ignore, .ignoreClass])
    func `an onDetect closure that ignores the leak of a screen is not called again for this screen`(
        answer: LeakDetector.Answer
    ) {
        let kit = SimulatedUIKit(answer: answer)
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        for _ in 0..<3 {
            kit.window.root?.present(cart)
            kit.window.root?.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.askedCount == 1)
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `screens and views of the keyboard's windows are not reported`() {
        let kit = SimulatedUIKit(suppression: .init(windows: ["LeakDetectorTests.KeyboardWindow"]))
        let window = KeyboardWindow(kit)
        let order = kit.keep(Order(kit))
        window.root = order
        window.root = nil
        window.root = Cart(kit)
        kit.keep(window.root?.view ?? View())
        window.root = nil
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == [])
        kit.window.root = order
        kit.window.root = nil
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Order"], "a screen that was in the app's window is checked")
    }
}

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
        #expect(kit.told.isEmpty)
        #expect(kit.detector.counts.suppressed == 1)
    }

    @Test func `an ignored screen is not reported, however often it comes and goes`() {
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        kit.detector.ignore(cart)
        for _ in 0..<3 {
            kit.window.root?.present(cart)
            kit.window.root?.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.told.isEmpty)
    }

    @Test(arguments: [LeakDetector.Answer.ignore, .ignoreClass])
    func `the ignoring closure is not called again for a screen that it answered for`(
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
        #expect(kit.asked == 1)
        #expect(kit.told.isEmpty)
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
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == [])
        kit.window.root = order
        kit.window.root = nil
        kit.advancePastChecks()
        #expect(kit.told == ["leak Order"], "shown by the app it is the app's")
    }
}

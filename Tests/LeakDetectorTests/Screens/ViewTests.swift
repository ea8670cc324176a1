import Dispatch
import LeakMessage
import Testing

@testable import LeakDetector

/// Views that outlive their controller, are replaced, or are taken out of their superview.
@MainActor @Suite struct ViewTests {
    private let kit = SimulatedUIKit()

    init() { kit.window.root = Home(kit) }

    /// Shows a cart with a view, and closes it.
    private func close(_ view: View, on kit: SimulatedUIKit? = nil) {
        let kit = kit ?? self.kit
        let cart = Cart(kit)
        cart.setView(view)
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
    }

    @Test func `views that are freed with their controller are not reported, and are not counted as checks`()
    {
        close(View(Label(), View(Chart(), Button())))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a leaf view that outlives its controller is reported, with its former controllers`() {
        let chart = kit.keep(Chart())
        close(View(Label(), View(chart)))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"])
        #expect(kit.report(0).kind == .view)
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Home", "Cart", "Chart"])
        #expect(kit.report(0).reason == "dismissed")
    }

    @Test func `only the root of a view tree that stays is reported, once`() {
        close(kit.keep(View(View(Label(), Label()), Chart(View(), Button()))))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak View"])
        #expect(kit.detector.counts.outstanding == 0, "subviews are not expected again")
    }

    @Test
    func `an onDetect closure that ignores the leak of a view is called once, even if the view has subviews`()
    {
        let kit = SimulatedUIKit(answer: .ignore)
        kit.window.root = Home(kit)
        close(kit.keep(Chart(Label(), Label(), Label())), on: kit)
        kit.advancePastChecks()
        #expect(kit.askedCount == 1)
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `separate view trees of one screen are reported separately`() {
        let (chart, button) = (kit.keep(Chart(Label(), Label())), kit.keep(Button()))
        close(View(chart, View(button)))
        kit.advancePastChecks()
        #expect(Set(kit.reportLines) == ["leak Chart", "leak Button"])
        #expect(kit.reportLines.count == 2)
    }

    @Test func `views of two controllers in one tree are reported once, as the root view of the tree`() {
        do {
            let cart = Cart(kit)
            kit.window.root?.present(cart)
            cart.add(Order(kit))
            kit.keep(cart.view ?? View())
        }
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak View"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1", "View 1"])
    }

    @Test func `views of a controller that leaks are not reported`() {
        let cart = kit.keep(Cart(kit))
        kit.window.root?.present(cart)
        kit.keep(cart.view ?? View())
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a view that is in a window again is not reported`() {
        let chart = kit.keep(Chart())
        close(View(chart))
        kit.window.root?.view?.add(chart)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a view without a controller is not reported while it is in a window`() {
        let chart = kit.keep(Chart())
        close(View(chart))
        kit.clock.advance(by: 200)
        chart.remove()
        chart.window = kit.window
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a view that belongs to another controller is not reported`() {
        let (chart, other) = (kit.keep(Chart()), kit.keep(Order(kit)))
        other.setView(View())
        close(View(chart))
        other.view?.add(chart)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `views of a living child controller belong to that controller`() {
        let order = kit.keep(Order(kit))
        do {
            let cart = Cart(kit)
            kit.window.root?.present(cart)
            cart.add(order)
        }
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Order"])
    }

    @Test func `title views of a navigation bar are not reported with the controller of the bar`() {
        let title = kit.keep(Label())
        close(View(BarView(title), Button()))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test(arguments: ["Chart", "Cart"])
    func `views of an ignored class, or of a controller of an ignored class, are not reported`(name: String) {
        let kit = SimulatedUIKit(suppression: .init(classes: [name]))
        kit.window.root = Home(kit)
        close(View(kit.keep(Chart(Label(), Label(), Label()))), on: kit)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a reported view that is added to a superview again is reported as back in use`() {
        let chart = kit.keep(Chart())
        close(View(chart))
        kit.advancePastChecks()
        kit.window.root?.view?.add(chart)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart", "came back Chart"])
    }

    @Test func `a reported view that is freed later is reported as freed`() {
        close(kit.keep(Chart(Label())))
        kit.advancePastChecks()
        kit.releaseKeptObjects()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart", "freed Chart"])
    }

    @Test func `subviews that leave a leaked view are checked again`() {
        let chart = kit.keep(Chart(View(Label()), Button()))
        close(chart)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"])
        kit.keep(chart.children[1])
        chart.children[0].remove()
        chart.children[0].remove()
        kit.clock.advance(by: 10_000)
        #expect(kit.reportLines == ["leak Chart", "leak Button"], "the label was freed, the button was not")
    }

    @Test
    func `a subview that was added to a leaked view is reported only after it was removed from the view`() {
        let chart = kit.keep(Chart())
        close(chart)
        kit.advancePastChecks()
        chart.add(kit.keep(Button()))
        kit.clock.advance(by: 10_000)
        #expect(kit.reportLines == ["leak Chart"])
        chart.children[0].remove()
        kit.clock.advance(by: 10_000)
        #expect(kit.reportLines == ["leak Chart", "leak Button"])
    }

    @Test func `subviews that outlive a leaked view are checked again`() {
        let button = Button()
        close(kit.keep(Chart(button)))
        kit.advancePastChecks()
        kit.releaseKeptObjects()
        kit.clock.advance(by: 10_000)
        #expect(kit.reportLines == ["leak Chart", "freed Chart", "leak Button"])
        withExtendedLifetime(button) {}
    }

    @Test func `a view that is replaced is reported if it stays`() {
        let home = kit.window.root
        kit.keep(home?.view ?? View())
        home?.setView(View())
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak View"])
        #expect(kit.report(0).reason == "replaced")
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Home", "View"])
    }

    @Test func `a view that replaced another view is reported if it outlives its controller`() {
        kit.window.root?.present(Cart(kit))
        kit.advancePastChecks()
        kit.window.root?.presented?.setView(kit.keep(Chart()))
        kit.advancePastChecks()
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"])
    }

    @Test func `a replaced view is not retained by the detector`() {
        weak let old = kit.window.root?.view
        kit.window.root?.setView(View())
        #expect(old == nil)
    }

    @Test func `a view that was replaced without an event is not retained by the detector`() {
        let cart = kit.keep(Cart(kit))
        kit.window.root?.present(cart)
        kit.hasHooks = false
        weak let old = cart.view
        cart.setView(Chart())
        kit.keep(cart.view ?? View())
        kit.hasHooks = true
        kit.notifyDetector(.didDisappear, Home(kit))
        kit.advancePastChecks()
        #expect(old == nil)
    }

    @Test func `a view that was removed from its superview is reported if it stays`() {
        let chart = kit.keep(Chart(Label(), Label()))
        kit.window.root?.view?.add(chart)
        chart.remove()
        kit.screens.expectDeallocation(ofRemoved: chart, reason: "removed")
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a view that is freed after its removal from its superview counts as one check`() {
        kit.screens.expectDeallocation(ofRemoved: Chart(Label()), reason: "removed")
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Chart 1"])
    }

    @Test func `a leaked button that closed its screen is reported only after another button is touched`() {
        let (button, chart) = (kit.keep(Button()), kit.keep(Chart()))
        kit.screens.didTouch([button])
        close(View(button, View(chart)))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"])
        kit.screens.didTouch([button])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart"], "another touch of the same button changes nothing")
        kit.screens.didTouch([Button()])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Chart", "leak Button"])
    }

    @Test func `views under several fingers are reported only after the next touch`() {
        let buttons = [kit.keep(Button()), kit.keep(Button())]
        kit.screens.didTouch(buttons)
        close(View(buttons[0], buttons[1]))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        kit.screens.didTouch([])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Button", "leak Button"])
    }

    @Test func `a touched view is not retained by the detector`() {
        var button: Button? = Button()
        weak let touched = button
        kit.screens.didTouch([Button(), button].compactMap { $0 })
        button = nil
        #expect(touched == nil)
    }

    @Test func `separate view trees of one screen are reported at the same time`() {
        let (chart, button) = (kit.keep(Chart()), kit.keep(Button()))
        close(View(chart, View(button)))
        kit.clock.advance(by: 1_700)
        #expect(Set(kit.reportLines) == ["leak Chart", "leak Button"])
    }
}

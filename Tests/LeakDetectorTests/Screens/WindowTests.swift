import LeakMessage
import Testing

@testable import LeakDetector

/// Windows, the life cycle of the app, and screens outside of all windows.
@MainActor @Suite struct WindowTests {
    private let kit = SimulatedUIKit()

    private func closeCart() {
        kit.window.root?.present(kit.keep(Cart(kit)))
        kit.window.root?.dismiss()
    }

    @Test func `a replaced root view controller is reported if it stays`() {
        kit.window.root = kit.keep(Cart(kit))
        kit.window.root = Home(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "replaced")
        #expect(kit.report(0).stack == [])
    }

    @Test
    func `a leaked root that was replaced while it presented a screen is reported, and the screen is not`() {
        let (cart, order) = (kit.keep(Cart(kit)), kit.keep(Order(kit)))
        kit.window.root = cart
        cart.present(order)
        kit.advancePastChecks()
        kit.window.root = Home(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"], "the root keeps the presented screen")
        #expect(kit.report(0).reason == "replaced")
        cart.dismiss()
        kit.notifyDetector(.didDisappear, order)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart", "leak Order"])
    }

    @Test func `if a root that presents a screen is replaced and freed, each of the two counts as one check`()
    {
        kit.window.root = Cart(kit)
        kit.window.root?.present(Order(kit))
        kit.advancePastChecks()
        kit.window.root = Home(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `a root view controller that moves to another window is not reported`() {
        let home = Home(kit)
        let other = Window(kit)
        kit.window.root = home
        kit.window.root = nil
        other.root = home
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `closing screens in one window does not report screens of another window`() {
        let other = Window(kit)
        kit.window.root = Home(kit)
        other.root = Nav(kit, Order(kit))
        closeCart()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        other.root = nil
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen whose window disappeared without an event is reported after the next screen event`()
    {
        var other: Window? = Window(kit)
        kit.window.root = Home(kit)
        other?.root = kit.keep(Cart(kit))
        kit.advancePastChecks()
        other = nil
        kit.window.root?.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `time in the background is not part of the grace period of a screen`() {
        kit.window.root = Home(kit)
        closeCart()
        kit.clock.advance(by: 300)
        kit.detector.pause()
        kit.clock.advance(by: 60_000)
        #expect(kit.reportLines.isEmpty)
        kit.detector.resume()
        kit.clock.advance(by: 1_000)
        #expect(kit.reportLines.isEmpty)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen closed in the background is reported when the app is active again`() {
        kit.window.root = Home(kit)
        kit.detector.pause()
        closeCart()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        kit.detector.resume()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `time in which the main thread is blocked is not part of the grace period of a screen`() {
        kit.window.root = Home(kit)
        closeCart()
        kit.clock.advance(by: 200)
        kit.clock.advance(by: 1_000, stall: 4_000)
        kit.releaseKeptObjects()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen whose view is in the view of another screen is not reported`() {
        kit.window.root = Home(kit)
        let cell = View()
        let cart = kit.keep(Cart(kit))
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        if let view = cart.view { cell.add(view) }
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a closed screen whose view is in a leftover view of a transition is reported`() {
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        let leftover = kit.keep(LeftoverView())
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        if let view = cart.view { leftover.add(view) }
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen in a layout container that belongs to a controller is not reported`() {
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        let (container, owner) = (LeftoverView(), kit.keep(Home(kit)))
        owner.setView(container)
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        if let view = cart.view { container.add(view) }
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a screen that was never loaded is not reported`() {
        kit.keep(Cart(kit))
        kit.window.root = Home(kit)
        kit.window.root = Help(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.screens.count == 1)
    }

    @Test func `a screen that was loaded in advance and never shown is not reported`() {
        kit.keep(Cart(kit)).load()
        kit.window.root = Home(kit)
        kit.window.root = Help(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        kit.releaseKeptObjects()
        kit.advancePastChecks()
        #expect(kit.takeChecks() == ["Home 1"])
    }

    @Test func `a screen without a viewDidAppear event is watched because its view is in a window`() {
        let cart = kit.keep(Cart(kit))
        kit.window.root = Home(kit)
        cart.load()
        cart.view?.window = kit.window
        kit.notifyDetector(.didDisappear, kit.window.root!)
        kit.advancePastChecks()
        cart.view?.remove()
        kit.notifyDetector(.didDisappear, cart)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen that was loaded before the detector started is watched when it appears`() {
        kit.window.root = Home(kit)
        let cart = kit.keep(Cart(kit))
        kit.hasHooks = false
        cart.load()
        kit.hasHooks = true
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `leaks at reused addresses are reported`() {
        kit.window.root = Home(kit)
        for _ in 0..<30 {
            closeCart()
            kit.advancePastChecks()
            kit.releaseKeptObjects()
            kit.clock.advance(by: 0)
        }
        #expect(kit.reportLines == Array(repeating: ["leak Cart", "freed Cart"], count: 30).flatMap { $0 })
    }

    @Test func `a detector keeps no state for five hundred freed screens`() {
        kit.window.root = Home(kit)
        for _ in 0..<500 {
            kit.window.root?.present(Cart(kit))
            kit.window.root?.dismiss()
        }
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 500"])
        #expect(kit.screens.count == 1)
        #expect(kit.detector.counts.outstanding == 0)
        #expect(kit.clock.timers.set == 0, "no timer while nothing waits")
    }

    @Test func `screens beyond the limit of expected objects are expected again later`() {
        let kit = SimulatedUIKit { $0.outstanding = 1 }
        kit.window.root = Home(kit)
        for _ in 0..<2 {
            kit.window.root?.present(kit.keep(Cart(kit)))
            kit.window.root?.dismiss()
        }
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.detector.counts.dropped == 1)
        kit.window.root?.present(Help(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart", "leak Cart"])
    }
}

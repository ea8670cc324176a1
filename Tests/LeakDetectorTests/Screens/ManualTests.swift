import LeakMessage
import Testing

@testable import LeakDetector

/// Screens that request their check in `viewDidDisappear`, without events from UIKit.
@MainActor @Suite struct ManualTests {
    private let kit = SimulatedUIKit()
    private let nav: Nav

    init() {
        kit.hasHooks = false
        nav = Nav(kit, Home(kit))
        kit.window.root = nav
    }

    private func cart() -> Cart {
        let cart = Cart(kit)
        cart.checksItself = true
        return cart
    }

    @Test func `a popped screen that stays is reported with the source line of its expectation`() {
        nav.push(kit.keep(cart()))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Nav", "Cart"])
        #expect(kit.report(0).keys.contains(CustomKey("file", .string("App/Screen.swift"))))
    }

    @Test func `a popped screen that is freed is checked and not reported`() {
        nav.push(cart())
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen taken out of a custom container is reported if it stays`() {
        let cart = kit.keep(cart())
        nav.children[0].add(cart)
        cart.removeFromParent()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test(arguments: [true, false])
    func `a dismissed screen is reported if it stays, whether it covered the whole screen or was a sheet`(
        coversAll: Bool
    ) {
        nav.present(kit.keep(cart()), coveringAll: coversAll)
        nav.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "dismissed")
    }

    @Test func `a screen whose container is dismissed is reported if it stays`() {
        nav.present(Nav(kit, kit.keep(cart())))
        nav.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "dismissed")
    }

    @Test func `if a dismissed tab bar controller leaks with its tab, the tab is reported`() {
        nav.present(kit.keep(Tabs(kit, cart())))
        nav.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `if checks of a container and of its child are requested, only the container is reported`() {
        let tabs = kit.keep(Tabs(kit, cart()))
        tabs.checksItself = true
        nav.present(tabs)
        nav.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Tabs"])
    }

    @Test func `a tab that is not selected any more is not reported`() {
        let tabs = Tabs(kit, cart(), Order(kit))
        kit.window.root = tabs
        tabs.select(1)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == [])
    }

    @Test func `a tab whose isMovingFromParent is true, but which stays in its parent, is not reported`() {
        let cart = cart()
        let tabs = Tabs(kit, cart, Order(kit))
        kit.window.root = tabs
        cart.isMovingFromParent = true
        tabs.select(1)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a screen popped inside a tab is reported if it stays`() {
        let nav = Nav(kit, Home(kit))
        kit.window.root = Tabs(kit, nav)
        nav.push(kit.keep(cart()))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen that is covered is not reported`() {
        let cart = cart()
        nav.push(cart)
        nav.push(Order(kit))
        nav.present(Help(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(cart.screenLifetimeToken == nil, "the detector attaches no token to it")
    }

    @Test func `a screen that is closed and shown again is not reported`() {
        let cart = kit.keep(cart())
        nav.push(cart)
        nav.pop()
        kit.clock.advance(by: 500)
        nav.push(cart)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test
    func `a screen is reported once, even if several checks of it are requested before and after the report`()
    {
        let cart = kit.keep(cart())
        for _ in 0..<2 {
            nav.push(cart)
            nav.pop()
        }
        kit.advancePastChecks()
        nav.push(cart)
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a freed screen for which two checks were requested counts as one check`() {
        do {
            let cart = cart()
            nav.push(cart)
            nav.pop()
            cart.isMovingFromParent = true
            kit.screens.check(cart, after: nil, file: #fileID, line: #line)
        }
        kit.advancePastChecks()
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test
    func `a screen that UIKit's events report too is reported once, with the source line of its expectation`()
    {
        kit.hasHooks = true
        nav.push(kit.keep(cart()))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).keys.contains(CustomKey("line", .number(7))))
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen that is freed late is reported as freed`() {
        nav.push(kit.keep(cart()))
        nav.pop()
        kit.advancePastChecks()
        kit.releaseKeptObjects()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart", "freed Cart"])
    }

    @Test func `screens for which no check is requested are not checked`() {
        nav.push(kit.keep(Order(kit)))
        nav.push(cart())
        nav.popToRoot()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a requested check may have its own grace period`() {
        let cart = kit.keep(Cart(kit))
        nav.push(cart)
        cart.isMovingFromParent = true
        kit.screens.check(cart, after: 30, file: #fileID, line: #line)
        nav.pop()
        kit.clock.advance(by: 29_000)
        #expect(kit.reportLines.isEmpty)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }
}

import LeakMessage
import Testing

@testable import LeakDetector

/// Screens in navigation controllers.
@MainActor @Suite struct StackTests {
    private let kit = SimulatedUIKit()
    private let nav: Nav

    init() {
        nav = Nav(kit, Home(kit))
        kit.window.root = nav
    }

    @Test func `a screen below a pushed screen is not reported`() {
        nav.push(Cart(kit))
        nav.push(Order(kit))
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
    }

    @Test func `a popped screen that stays is reported, with its container`() {
        nav.push(kit.keep(Cart(kit)))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
        #expect(kit.report(0).stack == ["LeakDetectorTests.Nav", "LeakDetectorTests.Cart"])
    }

    @Test func `a popped screen that is freed is checked and not reported`() {
        nav.push(Cart(kit))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test
    func `after a pop to the root the screens between are reported although UIKit sends no events for them`()
    {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.popToRoot()
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `after a pop to one screen the screens above it are reported`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.push(kit.keep(Order(kit)))
        nav.push(kit.keep(Help(kit)))
        nav.setStack([nav.children[0], cart])
        kit.advancePastChecks()
        #expect(Set(kit.told) == ["leak Order", "leak Help"])
    }

    @Test func `screens that a set stack does not contain are reported`() {
        kit.keep(nav.children[0])
        nav.setStack([Cart(kit)])
        kit.advancePastChecks()
        #expect(kit.told == ["leak Home"])
    }

    @Test
    func `screens that a stack set below a sheet does not contain are reported when any screen appears`() {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        nav.children.remove(at: 1).parent = nil
        kit.advancePastChecks()
        #expect(kit.told.isEmpty, "an array that is changed tells nobody")
        nav.presented?.present(Home(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a cancelled swipe reports nothing`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.cancelSwipe(nav.beginSwipe())
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
    }

    @Test func `a swipe that is held for long reports nothing`() {
        nav.push(kit.keep(Cart(kit)))
        let cart = nav.beginSwipe()
        kit.window.root?.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.told.isEmpty, "it is still in a window")
        nav.cancelSwipe(cart)
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
    }

    @Test func `a finished swipe is a pop`() {
        nav.push(kit.keep(Cart(kit)))
        nav.finishSwipe(nav.beginSwipe())
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
    }

    @Test func `a whole navigation stack that stays is reported as its container, with its screens`() {
        let home = kit.window.root
        kit.window.root = Home(kit)
        withExtendedLifetime(home) {}
        nav.push(Cart(kit))
        kit.advancePastChecks()
        #expect(kit.told == ["leak Nav"])
        #expect(kit.report(0).children == ["LeakDetectorTests.Home", "LeakDetectorTests.Cart"])
    }
}

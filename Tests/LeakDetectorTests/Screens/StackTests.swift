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
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a popped screen that stays is reported, with its container`() {
        nav.push(kit.keep(Cart(kit)))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
        #expect(kit.report(0).stack == ["LeakDetectorTests.Nav", "LeakDetectorTests.Cart"])
    }

    @Test func `a popped screen that is freed is checked and not reported`() {
        nav.push(Cart(kit))
        nav.pop()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test
    func
        `leaked screens that a pop to the root removed are reported although UIKit sends no events for them`()
    {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.popToRoot()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `after a pop to a screen, leaked screens above it are reported`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.push(kit.keep(Order(kit)))
        nav.push(kit.keep(Help(kit)))
        nav.setStack([nav.children[0], cart])
        kit.advancePastChecks()
        #expect(Set(kit.reportLines) == ["leak Order", "leak Help"])
    }

    @Test func `a leaked screen is reported if a newly set navigation stack does not contain it`() {
        kit.keep(nav.children[0])
        nav.setStack([Cart(kit)])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Home"])
    }

    @Test
    func `a leaked screen that was removed from a stack below a sheet is reported when a screen appears`() {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        nav.children.remove(at: 1).parent = nil
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty, "a change of the stack alone causes no event")
        nav.presented?.present(Home(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a cancelled swipe back does not cause a report`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.cancelSwipe(nav.beginSwipe())
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a swipe back that the user holds for long does not cause a report`() {
        nav.push(kit.keep(Cart(kit)))
        let cart = nav.beginSwipe()
        kit.window.root?.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty, "the screen is still in a window")
        nav.cancelSwipe(cart)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a screen that stays after a finished swipe back is reported as popped`() {
        nav.push(kit.keep(Cart(kit)))
        nav.finishSwipe(nav.beginSwipe())
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
    }

    @Test func `if a navigation controller stays, it is reported with its screens as children`() {
        let home = kit.window.root
        kit.window.root = Home(kit)
        withExtendedLifetime(home) {}
        nav.push(Cart(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Nav"])
        #expect(kit.report(0).children == ["LeakDetectorTests.Home", "LeakDetectorTests.Cart"])
    }
}

import LeakMessage
import Testing

@testable import LeakDetector

/// Screens that are presented and dismissed.
@MainActor @Suite struct PresentationTests {
    private let kit = SimulatedUIKit()
    private let home: Home

    init() {
        home = Home(kit)
        kit.window.root = home
    }

    @Test func `a dismissed screen that is freed is checked and not reported`() {
        home.present(Cart(kit))
        home.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
        #expect(kit.screens.count == 1, "only the home screen is still recorded")
    }

    @Test(arguments: [true, false])
    func `a dismissed screen that stays is reported, whether it covered the whole screen or was a sheet`(
        coversAll: Bool
    ) {
        home.present(kit.keep(Cart(kit)), coveringAll: coversAll)
        home.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "dismissed")
        #expect(kit.report(0).kind == .viewController)
    }

    @Test func `nothing is reported before the grace period and the second check are over`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.reportLines.isEmpty)
        kit.clock.advance(by: 300)
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen is reported once, even if other screens open and close afterwards`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.advancePastChecks()
        for _ in 0..<3 {
            home.present(Help(kit))
            home.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Help 3"])
    }

    @Test func `a screen that is freed late is reported at that moment, and counted once`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_700)
        #expect(kit.reportLines == ["leak Cart"])
        kit.clock.advance(by: 400)
        kit.releaseKeptObjects()
        kit.clock.advance(by: 0)
        #expect(kit.reportLines == ["leak Cart", "freed Cart"])
        #expect(kit.report(1).livedMilliseconds == 500)
        kit.advancePastChecks()
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a reported screen that appears again is immediately reported as back in use`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 2_100)
        home.present(cart)
        #expect(kit.reportLines == ["leak Cart", "came back Cart"])
        kit.advancePastChecks()
        #expect(kit.reportLines.count == 2)
    }

    @Test func `a reported screen that gets a parent is reported as back in use`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.advancePastChecks()
        home.add(Tabs(kit, Help(kit), cart))
        kit.advancePastChecks()
        #expect(
            kit.reportLines == ["leak Cart", "came back Cart"], "an unselected tab, so it has not appeared")
    }

    @Test
    func `a screen that got a parent within its grace period is expected again when the parent removes it`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.add(Tabs(kit, Help(kit), cart))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        cart.removeFromParent()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen that came back once after its report is not reported again`() {
        let cart = kit.keep(Cart(kit))
        for _ in 0..<3 {
            home.present(cart)
            home.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines == ["leak Cart", "came back Cart"])
    }

    @Test func `a screen that comes back within its grace period is not reported`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == [], "it was not closed for good")
    }

    @Test func `a screen that came back and was dismissed again has a new grace period`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.reportLines.isEmpty)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a screen that was dismissed twice and is freed counts as one check`() {
        var cart: Cart? = Cart(kit)
        home.present(cart!)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart!)
        home.dismiss()
        cart = nil
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen that a full-screen presentation covers is not reported`() {
        home.add(Nav(kit, Cart(kit)))
        home.present(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a screen in the middle of a chain of presentations is reported if it stays`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        cart.present(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty, "a covered presenter is in use")
        home.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `covered presenters have their own grace period`() {
        let (cart, order) = (kit.keep(Cart(kit)), kit.keep(Order(kit)))
        home.present(cart)
        cart.present(order)
        cart.dismiss()
        kit.clock.advance(by: 1_000)
        home.dismiss()
        kit.clock.advance(by: 800)
        #expect(kit.reportLines == ["leak Order"])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Order", "leak Cart"])
    }

    @Test func `a sheet that presents another screen is not reported while it is not in a window`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart, coveringAll: false)
        cart.present(Order(kit), coveringAll: true)
        home.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a search controller is kept by its owner between two searches, and not reported`() {
        let search = kit.keep(Order(kit))
        search.isKeptByOwner = true
        for _ in 0..<2 {
            home.present(search, coveringAll: false)
            home.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `two screens that present each other do not cause an endless path`() {
        let cart = kit.keep(Cart(kit))
        (home.presenter, cart.presenter) = (cart, home)
        kit.notifyDetector(.didAppear, cart)
        (home.presenter, cart.presenter) = (nil, nil)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }
}

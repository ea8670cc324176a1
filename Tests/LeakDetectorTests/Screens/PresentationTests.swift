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
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
        #expect(kit.screens.count == 1, "nothing of it is left")
    }

    @Test(arguments: [true, false])
    func `a dismissed screen that stays is reported, whether it was a full screen or a sheet`(coversAll: Bool)
    {
        home.present(kit.keep(Cart(kit)), coveringAll: coversAll)
        home.dismiss()
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "dismissed")
        #expect(kit.report(0).kind == .viewController)
    }

    @Test func `nothing is reported before the grace period and the second check are over`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.told.isEmpty)
        kit.clock.advance(by: 300)
        #expect(kit.told == ["leak Cart"])
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
        #expect(kit.told == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Help 3"])
    }

    @Test func `a screen that is freed late is reported at that moment, and counted once`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_700)
        #expect(kit.told == ["leak Cart"])
        kit.clock.advance(by: 400)
        kit.releaseObjects()
        kit.clock.advance(by: 0)
        #expect(kit.told == ["leak Cart", "freed Cart"])
        #expect(kit.report(1).livedMilliseconds == 500)
        kit.advancePastChecks()
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen that appears after its report has come back, at that moment`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 2_100)
        home.present(cart)
        #expect(kit.told == ["leak Cart", "came back Cart"])
        kit.advancePastChecks()
        #expect(kit.told.count == 2)
    }

    @Test func `a screen that gets a parent after its report has come back`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.advancePastChecks()
        home.add(Tabs(kit, Help(kit), cart))
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart", "came back Cart"], "an unselected tab, so it has not appeared")
    }

    @Test func `a screen that got a parent in time is expected again when the parent removes it`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.add(Tabs(kit, Help(kit), cart))
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
        cart.removeFromParent()
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a screen that came back is kept on purpose, and not reported again`() {
        let cart = kit.keep(Cart(kit))
        for _ in 0..<3 {
            home.present(cart)
            home.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.told == ["leak Cart", "came back Cart"])
    }

    @Test func `a screen that comes back in time is not reported`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == [], "it was not closed for good")
    }

    @Test func `a screen that came back and left again has a new grace period`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.told.isEmpty)
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a screen that left twice and is freed counts as one check`() {
        var cart: Cart? = Cart(kit)
        home.present(cart!)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart!)
        home.dismiss()
        cart = nil
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen below a full screen is not reported`() {
        home.add(Nav(kit, Cart(kit)))
        home.present(Order(kit))
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
    }

    @Test func `the middle of a chain of presentations is reported if it stays`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        cart.present(Order(kit))
        kit.advancePastChecks()
        #expect(kit.told.isEmpty, "a covered presenter is in use")
        home.dismiss()
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
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
        #expect(kit.told == ["leak Order"])
        kit.advancePastChecks()
        #expect(kit.told == ["leak Order", "leak Cart"])
    }

    @Test func `a sheet that presents another is in use while it is not in a window`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart, coveringAll: false)
        cart.present(Order(kit), coveringAll: true)
        home.present(Help(kit), coveringAll: false)
        kit.advancePastChecks()
        #expect(kit.told.isEmpty)
    }

    @Test func `a search controller is kept by its owner between two searches, and not reported`() {
        let search = kit.keep(Order(kit))
        search.isKeptByOwner = true
        for _ in 0..<2 {
            home.present(search, coveringAll: false)
            home.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.told.isEmpty)
    }

    @Test func `screens that present each other in a ring have a path that ends`() {
        let cart = kit.keep(Cart(kit))
        (home.presenter, cart.presenter) = (cart, home)
        kit.notifyDetector(.didAppear, cart)
        (home.presenter, cart.presenter) = (nil, nil)
        kit.advancePastChecks()
        #expect(kit.told == ["leak Cart"])
    }
}

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

    @Test func `a dismissed screen that goes is checked and not told`() {
        home.present(Cart(kit))
        home.dismiss()
        kit.settle()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
        #expect(kit.screens.count == 1, "nothing of it is left")
    }

    @Test(arguments: [true, false])
    func `a dismissed screen that stays is told, full or as a sheet`(coversAll: Bool) {
        home.present(kit.keep(Cart(kit)), coveringAll: coversAll)
        home.dismiss()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "dismissed")
        #expect(kit.report(0).kind == .viewController)
    }

    @Test func `nothing is told before the grace period and the second look are over`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.told.isEmpty)
        kit.clock.advance(by: 300)
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a screen is told once, whatever happens after`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.settle()
        for _ in 0..<3 {
            home.present(Help(kit))
            home.dismiss()
            kit.settle()
        }
        #expect(kit.told == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Help 3"])
    }

    @Test func `a screen that goes late is told at that very moment, and counted once`() {
        home.present(kit.keep(Cart(kit)))
        home.dismiss()
        kit.clock.advance(by: 1_700)
        #expect(kit.told == ["leak Cart"])
        kit.clock.advance(by: 400)
        kit.letGo()
        kit.clock.advance(by: 0)
        #expect(kit.told == ["leak Cart", "freed Cart"])
        #expect(kit.report(1).livedMilliseconds == 500)
        kit.settle()
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a screen that appears after it was told has come back, at that very moment`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 2_100)
        home.present(cart)
        #expect(kit.told == ["leak Cart", "came back Cart"])
        kit.settle()
        #expect(kit.told.count == 2)
    }

    @Test func `a screen that gets a parent after it was told has come back`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.settle()
        home.add(Tabs(kit, Help(kit), cart))
        kit.settle()
        #expect(kit.told == ["leak Cart", "came back Cart"], "an unselected tab, so it has not appeared")
    }

    @Test func `a screen that got a parent in time is expected anew when that lets go of it`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.add(Tabs(kit, Help(kit), cart))
        kit.settle()
        #expect(kit.told.isEmpty)
        cart.removeFromParent()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a screen that came back is kept on purpose, and not told again`() {
        let cart = kit.keep(Cart(kit))
        for _ in 0..<3 {
            home.present(cart)
            home.dismiss()
            kit.settle()
        }
        #expect(kit.told == ["leak Cart", "came back Cart"])
    }

    @Test func `a screen that comes back in time is not told`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        kit.settle()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == [], "it was not closed for good")
    }

    @Test func `a screen that came back and left again has a grace period anew`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart)
        home.dismiss()
        kit.clock.advance(by: 1_500)
        #expect(kit.told.isEmpty)
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a screen that left twice and goes is one check`() {
        var cart: Cart? = Cart(kit)
        home.present(cart!)
        home.dismiss()
        kit.clock.advance(by: 500)
        home.present(cart!)
        home.dismiss()
        cart = nil
        kit.settle()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `what a full screen covers is not told`() {
        home.add(Nav(kit, Cart(kit)))
        home.present(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `of a chain of presentations the middle is told if it stays`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart)
        cart.present(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty, "a covered presenter is in use")
        home.dismiss()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `in time covered presenters have their own grace period`() {
        let (cart, order) = (kit.keep(Cart(kit)), kit.keep(Order(kit)))
        home.present(cart)
        cart.present(order)
        cart.dismiss()
        kit.clock.advance(by: 1_000)
        home.dismiss()
        kit.clock.advance(by: 800)
        #expect(kit.told == ["leak Order"])
        kit.settle()
        #expect(kit.told == ["leak Order", "leak Cart"])
    }

    @Test func `a sheet that presents another is in use while it is not in a window`() {
        let cart = kit.keep(Cart(kit))
        home.present(cart, coveringAll: false)
        cart.present(Order(kit), coveringAll: true)
        home.present(Help(kit), coveringAll: false)
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a search controller is kept by its owner between two searches, and not told`() {
        let search = kit.keep(Order(kit))
        search.isKeptByOwner = true
        for _ in 0..<2 {
            home.present(search, coveringAll: false)
            home.dismiss()
            kit.settle()
        }
        #expect(kit.told.isEmpty)
    }

    @Test func `screens that present each other in a ring have a path that ends`() {
        let cart = kit.keep(Cart(kit))
        (home.presenter, cart.presenter) = (cart, home)
        kit.tell(.didAppear, cart)
        (home.presenter, cart.presenter) = (nil, nil)
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }
}

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

    @Test func `what a pushed screen covers is not told`() {
        nav.push(Cart(kit))
        nav.push(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a popped screen that stays is told, with its container`() {
        nav.push(kit.keep(Cart(kit)))
        nav.pop()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
        #expect(kit.report(0).stack == ["LeakDetectorTests.Nav", "LeakDetectorTests.Cart"])
    }

    @Test func `a popped screen that goes is checked and not told`() {
        nav.push(Cart(kit))
        nav.pop()
        kit.settle()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `popped to the root, the middle is told though UIKit is silent about it`() {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.popToRoot()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.takeChecks() == ["Cart 1", "Order 1"])
    }

    @Test func `popped to one, those above are told`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.push(kit.keep(Order(kit)))
        nav.push(kit.keep(Help(kit)))
        nav.setStack([nav.children[0], cart])
        kit.settle()
        #expect(Set(kit.told) == ["leak Order", "leak Help"])
    }

    @Test func `a stack that is set drops what is told`() {
        kit.keep(nav.children[0])
        nav.setStack([Cart(kit)])
        kit.settle()
        #expect(kit.told == ["leak Home"])
    }

    @Test func `a stack that is set below a sheet drops what is told when anything appears`() {
        nav.push(kit.keep(Cart(kit)))
        nav.push(Order(kit))
        nav.present(Help(kit), coveringAll: false)
        kit.settle()
        nav.children.remove(at: 1).parent = nil
        kit.settle()
        #expect(kit.told.isEmpty, "an array that is changed tells nobody")
        nav.presented?.present(Home(kit), coveringAll: false)
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a swipe that is cancelled tells nothing`() {
        let cart = Cart(kit)
        nav.push(cart)
        nav.cancelSwipe(nav.beginSwipe())
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a swipe that is held for long tells nothing`() {
        nav.push(kit.keep(Cart(kit)))
        let cart = nav.beginSwipe()
        kit.window.root?.present(Help(kit), coveringAll: false)
        kit.settle()
        #expect(kit.told.isEmpty, "it is still in a window")
        nav.cancelSwipe(cart)
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a swipe that is finished is a pop`() {
        nav.push(kit.keep(Cart(kit)))
        nav.finishSwipe(nav.beginSwipe())
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "popped")
    }

    @Test func `a whole stack that stays is told by its container, with those in it`() {
        let home = kit.window.root
        kit.window.root = Home(kit)
        withExtendedLifetime(home) {}
        nav.push(Cart(kit))
        kit.settle()
        #expect(kit.told == ["leak Nav"])
        #expect(kit.report(0).children == ["LeakDetectorTests.Home", "LeakDetectorTests.Cart"])
    }
}

import LeakMessage
import Testing

@testable import LeakDetector

/// Screens in tab bar, page, split and custom containers.
@MainActor @Suite struct ContainerTests {
    private let kit = SimulatedUIKit()

    @Test func `tabs that are not selected are not told`() {
        let tabs = Tabs(kit, Cart(kit), Order(kit))
        kit.window.root = tabs
        for index in [1, 0, 1] {
            tabs.select(index)
            kit.settle()
        }
        #expect(kit.told.isEmpty)
    }

    @Test func `a tab that is replaced is told if it stays`() {
        let tabs = Tabs(kit, kit.keep(Cart(kit)), Order(kit))
        kit.window.root = tabs
        tabs.set([Help(kit)])
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `owners are told from the outermost in, presenters too`() {
        let nav = Nav(kit, Home(kit))
        let sheet = Nav(kit, Order(kit))
        kit.window.root = Tabs(kit, nav)
        kit.window.root?.present(sheet)
        sheet.push(kit.keep(Cart(kit)))
        sheet.pop()
        kit.settle()
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Tabs", "Nav", "Cart"])
    }

    @Test func `a page that is cached is not told`() {
        let pages = Pages(kit, Cart(kit))
        kit.window.root = pages
        pages.show(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a page that is dropped from the cache is told if it stays`() {
        let pages = Pages(kit, kit.keep(Cart(kit)))
        kit.window.root = pages
        pages.show(Order(kit))
        kit.settle()
        pages.show(Help(kit))
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a split view parks its last detail, which is not told`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(Cart(kit))
        split.leaveDetail()
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a parked detail is told if it stays after the next was shown`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(kit.keep(Cart(kit)))
        split.leaveDetail()
        kit.settle()
        split.showDetail(Order(kit))
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "replaced")
    }

    @Test func `a detail that goes when the next is shown is checked and not told`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(Cart(kit))
        split.showDetail(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `the detail of another split view is none of this one's`() {
        let (one, other) = (Split(kit), Split(kit))
        kit.window.root = Tabs(kit, one, other)
        one.showDetail(kit.keep(Cart(kit)))
        one.leaveDetail()
        other.showDetail(Order(kit))
        kit.settle()
        #expect(kit.told.isEmpty)
    }

    @Test func `a detail whose place another took without a word is told if it stays`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(kit.keep(Cart(kit)))
        split.leaveDetail()
        kit.settle()
        split.expand(Order(kit))
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "replaced")
    }

    @Test func `a column that is not shown is kept by its split view, and not told`() {
        let columns = Columns(kit, Nav(kit, Home(kit)), Nav(kit, Cart(kit)))
        kit.window.root = columns
        for _ in 0..<2 {
            columns.showSecondary()
            kit.settle()
            columns.goBack()
            kit.settle()
        }
        #expect(kit.told.isEmpty)
    }

    @Test func `a column that another takes the place of is told if it stays`() {
        let columns = Columns(kit, Nav(kit, Home(kit)), kit.keep(Nav(kit, Cart(kit))))
        kit.window.root = columns
        columns.showSecondary()
        kit.settle()
        columns.goBack()
        columns.setSecondary(Order(kit))
        kit.tell(.didDisappear, Home(kit))
        kit.settle()
        #expect(kit.told == ["leak Nav"])
    }

    @Test func `a screen that moved to another container without a word is told with that one`() {
        let (nav, cart) = (Nav(kit, Home(kit)), kit.keep(Cart(kit)))
        let tabs = Tabs(kit, Order(kit), nav)
        kit.window.root = tabs
        tabs.add(cart)
        cart.disappearFromContainer()
        tabs.children.removeAll { $0 === cart }
        nav.setStack([cart, Home(kit)])
        kit.settle()
        nav.setStack([Home(kit)])
        kit.tell(.didDisappear, Home(kit))
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Tabs", "Nav", "Cart"])
        #expect(kit.report(0).reason == "popped")
    }

    @Test func `a parked detail is told if it stays after its split view`() {
        kit.window.root = Split(kit)
        (kit.window.root as? Split)?.showDetail(kit.keep(Cart(kit)))
        (kit.window.root as? Split)?.leaveDetail()
        kit.window.root = Home(kit)
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `of a container that stays only the outermost is told`() {
        let nav = Nav(kit, Cart(kit), Order(kit))
        kit.window.root = Home(kit)
        kit.window.root?.present(kit.keep(Tabs(kit, nav)))
        kit.window.root?.dismiss()
        kit.settle()
        #expect(kit.told == ["leak Tabs"])
        #expect(kit.report(0).children == ["LeakDetectorTests.Nav"])
    }

    @Test func `when a leaked container goes, those in it are looked at anew`() {
        kit.window.root = Home(kit)
        let cart = Cart(kit)
        kit.window.root?.present(kit.keep(Nav(kit, cart)))
        kit.window.root?.dismiss()
        kit.settle()
        kit.letGo()
        kit.settle()
        #expect(kit.told == ["leak Nav", "freed Nav", "leak Cart"])
        #expect(kit.report(2).reason == "closed")
        withExtendedLifetime(cart) {}
    }

    @Test func `a child that outlives its container is told, with where it was`() {
        kit.window.root = Home(kit)
        kit.window.root?.present(Nav(kit, Order(kit), kit.keep(Cart(kit))))
        kit.window.root?.dismiss()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Home", "Nav", "Cart"])
        #expect(kit.report(0).reason == "closed")
    }

    @Test func `each screen in a container that goes is one check`() {
        kit.window.root = Home(kit)
        for _ in 0..<2 {
            kit.window.root?.present(Tabs(kit, Nav(kit, Cart(kit))))
            kit.window.root?.dismiss()
            kit.settle()
        }
        #expect(kit.told.isEmpty)
        #expect(kit.takeChecks() == ["Cart 2", "Nav 2", "Tabs 2"])
    }

    @Test func `children of a tab bar controller that is dismissed are told if they stay`() {
        kit.window.root = Home(kit)
        kit.window.root?.present(Tabs(kit, kit.keep(Cart(kit)), Order(kit)))
        kit.window.root?.dismiss()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }

    @Test func `a child that is removed is told if it stays`() {
        let cart = kit.keep(Cart(kit))
        kit.window.root = Home(kit)
        kit.window.root?.add(cart)
        cart.removeFromParent()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a child that is removed while it is not shown is told if it stays`() {
        let cart = kit.keep(Cart(kit))
        let tabs = Tabs(kit, Home(kit), cart)
        kit.window.root = tabs
        tabs.select(1)
        tabs.select(0)
        kit.settle()
        cart.removeFromParent()
        kit.settle()
        #expect(kit.told == ["leak Cart"])
    }
}

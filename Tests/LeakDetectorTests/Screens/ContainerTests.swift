import LeakMessage
import Testing

@testable import LeakDetector

/// Screens in tab bar, page, split and custom containers.
@MainActor @Suite struct ContainerTests {
    private let kit = SimulatedUIKit()

    @Test func `tabs that are not selected are not reported`() {
        let tabs = Tabs(kit, Cart(kit), Order(kit))
        kit.window.root = tabs
        for index in [1, 0, 1] {
            tabs.select(index)
            kit.advancePastChecks()
        }
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a tab that is replaced is reported if it stays`() {
        let tabs = Tabs(kit, kit.keep(Cart(kit)), Order(kit))
        kit.window.root = tabs
        tabs.set([Help(kit)])
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a report lists containers and presenters from the outermost inwards`() {
        let nav = Nav(kit, Home(kit))
        let sheet = Nav(kit, Order(kit))
        kit.window.root = Tabs(kit, nav)
        kit.window.root?.present(sheet)
        sheet.push(kit.keep(Cart(kit)))
        sheet.pop()
        kit.advancePastChecks()
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Tabs", "Nav", "Cart"])
    }

    @Test func `a page that a page view controller caches is not reported`() {
        let pages = Pages(kit, Cart(kit))
        kit.window.root = pages
        pages.show(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a page that a page view controller removes from its cache is reported if it stays`() {
        let pages = Pages(kit, kit.keep(Cart(kit)))
        kit.window.root = pages
        pages.show(Order(kit))
        kit.advancePastChecks()
        pages.show(Help(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a detail that a split view keeps after the user has left the detail is not reported`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(Cart(kit))
        split.leaveDetail()
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a detail that a split view kept is reported if it stays after the next detail was shown`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(kit.keep(Cart(kit)))
        split.leaveDetail()
        kit.advancePastChecks()
        split.showDetail(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "replaced")
    }

    @Test func `a detail that is freed when the next detail is shown is checked and not reported`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(Cart(kit))
        split.showDetail(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 1"])
    }

    @Test func `a kept detail is not reported when another split view shows a detail`() {
        let (one, other) = (Split(kit), Split(kit))
        kit.window.root = Tabs(kit, one, other)
        one.showDetail(kit.keep(Cart(kit)))
        one.leaveDetail()
        other.showDetail(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a detail that was replaced without an event is reported if it stays`() {
        let split = Split(kit)
        kit.window.root = split
        split.showDetail(kit.keep(Cart(kit)))
        split.leaveDetail()
        kit.advancePastChecks()
        split.expand(Order(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "replaced")
    }

    @Test func `a hidden column is kept by its split view, and not reported`() {
        let columns = Columns(kit, Nav(kit, Home(kit)), Nav(kit, Cart(kit)))
        kit.window.root = columns
        for _ in 0..<2 {
            columns.showSecondary()
            kit.advancePastChecks()
            columns.goBack()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a replaced column is reported if it stays`() {
        let columns = Columns(kit, Nav(kit, Home(kit)), kit.keep(Nav(kit, Cart(kit))))
        kit.window.root = columns
        columns.showSecondary()
        kit.advancePastChecks()
        columns.goBack()
        columns.setSecondary(Order(kit))
        kit.notifyDetector(.didDisappear, Home(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Nav"])
    }

    @Test func `a screen that moved to another container without an event is reported with that container`() {
        let (nav, cart) = (Nav(kit, Home(kit)), kit.keep(Cart(kit)))
        let tabs = Tabs(kit, Order(kit), nav)
        kit.window.root = tabs
        tabs.add(cart)
        cart.disappearFromContainer()
        tabs.children.removeAll { $0 === cart }
        nav.setStack([cart, Home(kit)])
        kit.advancePastChecks()
        nav.setStack([Home(kit)])
        kit.notifyDetector(.didDisappear, Home(kit))
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Tabs", "Nav", "Cart"])
        #expect(kit.report(0).reason == "popped")
    }

    @Test func `a detail that a split view kept is reported if it outlives the split view`() {
        kit.window.root = Split(kit)
        (kit.window.root as? Split)?.showDetail(kit.keep(Cart(kit)))
        (kit.window.root as? Split)?.leaveDetail()
        kit.window.root = Home(kit)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `if a container stays with its children, only the outermost screen is reported`() {
        let nav = Nav(kit, Cart(kit), Order(kit))
        kit.window.root = Home(kit)
        kit.window.root?.present(kit.keep(Tabs(kit, nav)))
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Tabs"])
        #expect(kit.report(0).children == ["LeakDetectorTests.Nav"])
    }

    @Test func `when a leaked container is freed, its children are checked again`() {
        kit.window.root = Home(kit)
        let cart = Cart(kit)
        kit.window.root?.present(kit.keep(Nav(kit, cart)))
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        kit.releaseKeptObjects()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Nav", "freed Nav", "leak Cart"])
        #expect(kit.report(2).reason == "closed")
        withExtendedLifetime(cart) {}
    }

    @Test func `a child that outlives its container is reported with its former path`() {
        kit.window.root = Home(kit)
        kit.window.root?.present(Nav(kit, Order(kit), kit.keep(Cart(kit))))
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).stack.map(SimulatedUIKit.short) == ["Home", "Nav", "Cart"])
        #expect(kit.report(0).reason == "closed")
    }

    @Test func `each screen in a freed container counts as one check`() {
        kit.window.root = Home(kit)
        for _ in 0..<2 {
            kit.window.root?.present(Tabs(kit, Nav(kit, Cart(kit))))
            kit.window.root?.dismiss()
            kit.advancePastChecks()
        }
        #expect(kit.reportLines.isEmpty)
        #expect(kit.takeChecks() == ["Cart 2", "Nav 2", "Tabs 2"])
    }

    @Test func `children of a tab bar controller that is dismissed are reported if they stay`() {
        kit.window.root = Home(kit)
        kit.window.root?.present(Tabs(kit, kit.keep(Cart(kit)), Order(kit)))
        kit.window.root?.dismiss()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }

    @Test func `a child that is removed is reported if it stays`() {
        let cart = kit.keep(Cart(kit))
        kit.window.root = Home(kit)
        kit.window.root?.add(cart)
        cart.removeFromParent()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.report(0).reason == "removed")
    }

    @Test func `a child that is removed while it is not shown is reported if it stays`() {
        let cart = kit.keep(Cart(kit))
        let tabs = Tabs(kit, Home(kit), cart)
        kit.window.root = tabs
        tabs.select(1)
        tabs.select(0)
        kit.advancePastChecks()
        cart.removeFromParent()
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
    }
}

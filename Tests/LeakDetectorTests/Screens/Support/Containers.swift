@testable import LeakDetector

/// A navigation controller.
final class Nav: Screen {
    init(_ kit: SimulatedUIKit, _ stack: Screen...) {
        super.init(kit)
        setStack(stack)
    }

    override var shownChildren: [Screen] { children.last.map { [$0] } ?? [] }

    func push(_ screen: Screen) { setStack(children + [screen]) }

    func pop() { setStack(children.dropLast()) }

    func popToRoot() { setStack([children[0]]) }

    /// Replaces the stack. UIKit sends no events for screens in the middle.
    func setStack(_ stack: [Screen]) {
        let (old, top) = (children, children.last)
        children = stack
        for screen in stack { screen.parent = self }
        let left = old.filter { screen in !stack.contains { $0 === screen } }
        for screen in left { screen.isMovingFromParent = true }
        if top !== stack.last {
            if isVisible { stack.last?.appear(in: self) }
            top?.disappearFromContainer()
        }
        for screen in left {
            screen.parent = nil
            screen.isMovingFromParent = false
        }
    }

    /// Begins a swipe back: the top screen has left the stack, but is still visible under the finger.
    func beginSwipe() -> Screen {
        let screen = children.removeLast()
        screen.parent = nil
        return screen
    }

    /// Cancels a swipe back. UIKit reports that the screen below, which had not appeared completely, has disappeared, and that
    /// the top screen has appeared.
    func cancelSwipe(_ screen: Screen) {
        let below = children.last
        children.append(screen)
        screen.parent = self
        if let below { kit.notifyDetector(.didDisappear, below) }
        kit.notifyDetector(.didAppear, screen)
    }

    func finishSwipe(_ screen: Screen) {
        if isVisible { children.last?.appear(in: self) }
        screen.disappearFromContainer()
    }
}

/// A tab bar controller.
final class Tabs: Screen {
    private var selected = 0

    init(_ kit: SimulatedUIKit, _ tabs: Screen...) {
        super.init(kit)
        set(tabs)
    }

    override var shownChildren: [Screen] { children.isEmpty ? [] : [children[selected]] }

    func select(_ index: Int) {
        let old = children[selected]
        selected = index
        if isVisible { children[index].appear(in: self) }
        old.disappearFromContainer()
    }

    func set(_ tabs: [Screen]) {
        for tab in children {
            tab.disappearFromContainer()
            tab.parent = nil
        }
        (children, selected) = (tabs, 0)
        for tab in tabs { tab.parent = self }
        if isVisible { tabs.first?.appear(in: self) }
    }
}

/// A page view controller: it retains the previous page as its child, outside of the window.
final class Pages: Screen {
    init(_ kit: SimulatedUIKit, _ page: Screen) {
        super.init(kit)
        show(page)
    }

    override var shownChildren: [Screen] { children.last.map { [$0] } ?? [] }

    func show(_ page: Screen) {
        let old = children.last
        children.append(page)
        page.parent = self
        if isVisible { page.appear(in: self) }
        old?.disappearFromContainer()
        while children.count > 2 { children[0].removeFromParent() }
    }
}

/// A collapsed split view controller: after going back to the list, it retains the detail until there is room for both.
final class Split: Screen {
    private var detail: Screen?
    private(set) var isCollapsed = true

    override var shownChildren: [Screen] { children }

    /// Shows list and detail side by side, with another detail, and sends no event for the change.
    func expand(_ other: Screen) {
        leaveDetail()
        isCollapsed = false
        detail = other
        add(other)
    }

    func showDetail(_ screen: Screen) {
        if kit.hasHooks { kit.screens.willShowDetail(screen, in: self) }
        leaveDetail()
        detail = screen
        add(screen)
    }

    func leaveDetail() {
        guard let screen = detail, screen.parent === self else { return }
        screen.disappearFromContainer()
        children.removeAll { $0 === screen }
        screen.parent = nil
    }
}

/// A collapsed split view controller with columns: it pushes the second column on the stack of the first, and retains it
/// afterwards.
final class Columns: Screen {
    private(set) var columns: [Screen]

    init(_ kit: SimulatedUIKit, _ primary: Nav, _ secondary: Screen) {
        columns = [primary, secondary]
        super.init(kit)
        children = [primary]
        primary.parent = self
    }

    func showSecondary() { (columns[0] as? Nav)?.push(columns[1]) }

    func goBack() { (columns[0] as? Nav)?.pop() }

    func setSecondary(_ screen: Screen) { columns[1] = screen }
}

@testable import LeakDetector

/// A view controller.
@MainActor
class Screen: ScreenNode {
    unowned let kit: SimulatedUIKit
    private(set) var view: View?
    weak var parent: Screen?
    var children: [Screen] = []
    private(set) var presented: Screen?
    weak var presenter: Screen?
    /// True if the screen covers its presenter, which UIKit then removes from the window.
    private var covers = false
    private(set) var isVisible = false
    var isMovingFromParent = false
    var isBeingDismissed = false
    /// True if the screen requests a check in its `viewDidDisappear`.
    var checksItself = false
    /// True if the creator of the screen retains it, as with search controllers.
    var isKeptByOwner = false
    var screenLifetimeToken: ScreenLifetimeToken?

    init(_ kit: SimulatedUIKit) { self.kit = kit }

    var screenParent: (any ScreenNode)? { parent }
    var screenPresented: (any ScreenNode)? { presented }
    var screenPresenter: (any ScreenNode)? { presenter }
    var screenContained: [any ScreenNode] { (self as? Columns).map { $0.columns } ?? children }
    var screenIsKeptByOwner: Bool { isKeptByOwner }
    var screenHidesDetail: Bool { (self as? Split)?.isCollapsed == true }
    var screenIsStack: Bool { self is Nav }
    var screenWindowClass: AnyClass? { view?.viewWindowClass }
    var screenIsMovingFromParent: Bool { isMovingFromParent }
    var screenIsBeingDismissed: Bool { isBeingDismissed }
    var screenView: (any ViewNode)? { view }

    func makeView() -> View { View(Label()) }

    func load() {
        guard view == nil else { return }
        setView(makeView())
        kit.notifyDetector(.didLoad, self)
    }

    func setView(_ new: View) {
        if kit.hasHooks { kit.screens.viewWillChange(of: self) }
        view?.controller = nil
        view?.replace(by: new)
        view = new
        new.controller = self
    }

    /// The children that are visible when the screen is visible.
    var shownChildren: [Screen] { children }

    func appear() {
        load()
        for child in shownChildren { child.appear(in: self) }
        isVisible = true
        kit.notifyDetector(.didAppear, self)
    }

    func appear(in container: Screen) {
        load()
        if let view { container.view?.add(view) }
        appear()
    }

    func disappear() {
        guard isVisible else { return }
        for child in shownChildren { child.disappear() }
        isVisible = false
        if checksItself { kit.screens.check(self, after: nil, file: "App/Screen.swift", line: 7) }
        kit.notifyDetector(.didDisappear, self)
    }

    /// Removes the screen from the view of its container, in which it was shown.
    func disappearFromContainer() {
        disappear()
        view?.remove()
    }

    func enter(_ window: Window) {
        load()
        view?.window = window
        appear()
    }

    func leaveWindow() {
        disappear()
        view?.remove()
    }

    var outermost: Screen {
        var screen = self
        while let parent = screen.parent { screen = parent }
        return screen
    }

    func present(_ screen: Screen, coveringAll: Bool = true) {
        let window = outermost.view?.window
        (presented, screen.presenter, screen.covers) = (screen, self, coveringAll)
        if coveringAll { outermost.leaveWindow() }
        screen.load()
        screen.view?.window = window
        screen.appear()
    }

    func dismiss() {
        guard let screen = presented else { return }
        screen.dismiss()
        let window = screen.view?.window
        screen.isBeingDismissed = true
        screen.disappear()
        // UIKit shows the presenter before it removes the dismissed screen.
        if screen.covers, let window { outermost.enter(window) }
        screen.view?.remove()
        (presented, screen.presenter) = (nil, nil)
        screen.isBeingDismissed = false
    }

    /// Adds a child as a custom container does.
    func add(_ child: Screen) {
        children.append(child)
        child.parent = self
        if isVisible { child.appear(in: self) }
    }

    func removeFromParent() {
        isMovingFromParent = true
        disappearFromContainer()
        parent?.children.removeAll { $0 === self }
        parent = nil
        isMovingFromParent = false
        kit.notifyDetector(.didRemoveFromParent, self)
    }
}

final class Home: Screen {}
final class Cart: Screen {}
final class Order: Screen {}
final class Help: Screen {}

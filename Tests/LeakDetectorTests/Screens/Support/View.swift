@testable import LeakDetector

@MainActor
class View: ViewNode {
    private(set) weak var parent: View?
    private(set) var children: [View] = []
    weak var window: Window?
    weak var controller: Screen?

    init(_ children: View...) {
        for child in children { add(child) }
    }

    func add(_ child: View) {
        child.remove()
        children.append(child)
        child.parent = self
    }

    func remove() {
        window = nil
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    /// Replaces the view by another view, in the same superview and window.
    func replace(by other: View) {
        let (window, parent) = (window, parent)
        remove()
        parent?.add(other)
        other.window = window
    }

    var viewParent: (any ViewNode)? { parent }
    var viewChildren: [any ViewNode] { children }
    var viewWindowClass: AnyClass? {
        var top = self
        while let parent = top.parent { top = parent }
        return top.window.map { type(of: $0) }
    }
    var viewController: (any ScreenNode)? { controller }
    var viewIsTransitionLeftover: Bool { self is LeftoverView }
    var viewBorrowsChildren: Bool { self is BarView }
}

final class LeftoverView: View {}
final class BarView: View {}
final class Label: View {}
final class Chart: View {}
final class Button: View {}

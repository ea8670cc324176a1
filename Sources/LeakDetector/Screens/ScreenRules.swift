/// The rules that decide whether a screen is closed, from its window, parent and presenter. They change nothing.
@MainActor
enum ScreenRules {
    /// Returns `true` if nothing shows a screen, and UIKit's API does not retain it to show it again.
    static func isDetached(_ node: any ScreenNode) -> Bool {
        node.screenWindowClass == nil && node.screenParent == nil && !node.screenIsKeptByOwner
            && !presentsShownScreen(node) && !isPresented(node)
            && node.screenLifetimeToken?.isKeptByContainer != true && !isHeldByViews(node)
    }

    /// Returns `true` if this screen presents a screen that is in a window, directly or through other screens. After the root of
    /// the window was replaced, no presented screen is in a window.
    private static func presentsShownScreen(_ node: any ScreenNode) -> Bool {
        var presented = node.screenPresented
        var length = 0
        while let next = presented, length < longestPath {
            if next.screenWindowClass != nil { return true }
            presented = next.screenPresented
            length += 1
        }
        return false
    }

    /// Returns `true` if the presenter of the screen keeps it. Then only the presenter is reported.
    private static func isPresented(_ node: any ScreenNode) -> Bool {
        guard let presenter = node.screenPresenter else { return false }
        return presenter.screenPresented === node
    }

    /// Returns `true` if the view of the screen is inside another view, for example because the app added the view alone,
    /// without the controller. A container that UIKit leaves behind after a transition does not count.
    private static func isHeldByViews(_ node: any ScreenNode) -> Bool {
        guard let view = node.screenView, view.viewParent != nil else { return false }
        let root = ViewTree.root(of: view)
        return !root.viewIsTransitionLeftover || root.viewController != nil
    }

    /// Returns the outermost parent, or the screen itself.
    static func root(of node: any ScreenNode) -> any ScreenNode {
        var root = node
        while let parent = root.screenParent { root = parent }
        return root
    }

    /// Returns all owners of a screen, innermost first: its parents, the presenter of the outermost parent, the parents of that
    /// presenter.
    static func owners(of node: any ScreenNode) -> [any ScreenNode] {
        var owners: [any ScreenNode] = []
        var owner = node.screenParent ?? node.screenPresenter
        while let next = owner, owners.count < longestPath {
            owners.append(next)
            owner = next.screenParent ?? next.screenPresenter
        }
        return owners
    }

    /// The maximum length of a path: longer than any chain of containers and sheets in which a person can navigate back.
    private static let longestPath = 32
}

/// What follows from where a screen is. Asks, changes nothing.
@MainActor
enum ScreenRules {
    /// Whether nothing shows a screen, and nothing will show it again by contract.
    static func isDetached(_ node: any ScreenNode) -> Bool {
        node.screenWindowClass == nil && node.screenParent == nil && !node.screenIsKeptByOwner
            && !presentsWhatIsShown(node) && !isPresented(node)
            && node.screenTicket?.isKeptByContainer != true && !isHeldByViews(node)
    }

    /// Whether a screen covers it, or one that covers that. Of a root that was replaced meanwhile none is in a window.
    private static func presentsWhatIsShown(_ node: any ScreenNode) -> Bool {
        var presented = node.screenPresented
        var length = 0
        while let next = presented, length < longestPath {
            if next.screenWindowClass != nil { return true }
            presented = next.screenPresented
            length += 1
        }
        return false
    }

    /// Whether its presenter keeps it: of the two, that one is told.
    private static func isPresented(_ node: any ScreenNode) -> Bool {
        guard let presenter = node.screenPresenter else { return false }
        return presenter.screenPresented === node
    }

    /// Whether its view is in another view, such as one that shows it without being its parent's.
    private static func isHeldByViews(_ node: any ScreenNode) -> Bool {
        guard let view = node.screenView, view.viewParent != nil else { return false }
        let root = ViewTree.root(of: view)
        return !root.viewIsTransitionLeftover || root.viewController != nil
    }

    /// The outermost parent, or the screen itself.
    static func root(of node: any ScreenNode) -> any ScreenNode {
        var root = node
        while let parent = root.screenParent { root = parent }
        return root
    }

    /// All that a screen is in, innermost first: parents, the presenter of the outermost, its parents.
    static func owners(of node: any ScreenNode) -> [any ScreenNode] {
        var owners: [any ScreenNode] = []
        var owner = node.screenParent ?? node.screenPresenter
        while let next = owner, owners.count < longestPath {
            owners.append(next)
            owner = next.screenParent ?? next.screenPresenter
        }
        return owners
    }

    /// Longer than any chain of containers and sheets that a person can find the way back from.
    private static let longestPath = 32
}

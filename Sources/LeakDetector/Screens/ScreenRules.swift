/// What follows from where a screen is. Asks, changes nothing.
@MainActor
enum ScreenRules {
    /// Whether nothing shows a screen, and nothing will show it again by contract.
    static func isDetached(_ node: any ScreenNode) -> Bool {
        node.screenWindowClass == nil && node.screenParent == nil && node.screenPresented == nil
            && node.screenTicket?.record.split == nil && !isHeldByViews(node)
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

    /// Classes of all that a screen is in: parents, the presenter of the outermost, its parents.
    static func owners(of node: any ScreenNode) -> [AnyClass] {
        var owners: [AnyClass] = []
        var owner = node.screenParent ?? node.screenPresenter
        while let next = owner, owners.count < longestPath {
            owners.append(type(of: next))
            owner = next.screenParent ?? next.screenPresenter
        }
        return owners.reversed()
    }

    /// Longer than any chain of containers and sheets that a person can find the way back from.
    private static let longestPath = 32
}

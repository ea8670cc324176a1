/// Walks through views.
@MainActor
enum ViewTree {
    static func root(of view: any ViewNode) -> any ViewNode {
        var root = view
        while let parent = root.viewParent { root = parent }
        return root
    }

    /// The views below one in which no others are, or that view itself. Those of other controllers, and what a bar shows
    /// for them, are left out.
    static func leaves(of root: any ViewNode) -> [any ViewNode] {
        var leaves: [any ViewNode] = []
        var rest = [root]
        while let view = rest.popLast() {
            let children = view.viewBorrowsChildren ? [] : view.viewChildren
            let own = children.filter { $0.viewController == nil }
            if own.isEmpty { leaves.append(view) }
            rest += own.reversed()
        }
        return leaves
    }

    static func isInside(_ view: any ViewNode, _ container: any ViewNode) -> Bool {
        var next: (any ViewNode)? = view
        while let view = next {
            if view === container { return true }
            next = view.viewParent
        }
        return false
    }

    /// The outermost view around one, if no window and no controller has them.
    static func detachedRoot(of view: any ViewNode) -> (any ViewNode)? {
        var root = view
        while true {
            if root.viewController != nil { return nil }
            guard let parent = root.viewParent else { break }
            root = parent
        }
        return root.viewWindowClass == nil ? root : nil
    }
}

/// Functions on trees of views.
@MainActor
enum ViewTree {
    static func root(of view: any ViewNode) -> any ViewNode {
        var root = view
        while let parent = root.viewParent { root = parent }
        return root
    }

    /// Returns the descendants of `root` that have no subviews; `root` itself if it has none. Leaves out views that a bar shows for its
    /// controllers.
    static func leaves(of root: any ViewNode) -> [any ViewNode] {
        var leaves: [any ViewNode] = []
        var rest = [root]
        while let view = rest.popLast() {
            let children = view.viewBorrowsChildren ? [] : view.viewChildren
            if children.isEmpty { leaves.append(view) }
            rest += children.reversed()
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

    /// Returns the outermost view around a view; `nil` if the view is in a window, or if it or a view around it is a
    /// controller's view.
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

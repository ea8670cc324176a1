internal import LeakMessage
internal import LeakPlatform

/// Views that should be deallocated, checked on the main queue. If views stay, the outermost of them is reported.
final class ViewSubject: Subject {
    private struct WeakView {
        weak var node: (any ViewNode)?
    }

    private let owners: [AnyClass]
    private let context: ExpectationContext
    private let root = Guarded<WeakSubject?>(nil)
    @MainActor private weak var screens: Screens?
    @MainActor private var leaves: [WeakView]
    @MainActor private var isReported = false

    /// - Parameters:
    ///   - leaves: the views without subviews.
    ///   - owners: classes of the controllers that the views were in, outermost first.
    @MainActor
    init(_ leaves: [any ViewNode], _ context: ExpectationContext, owners: [AnyClass], in screens: Screens) {
        self.leaves = leaves.map { WeakView(node: $0) }
        self.context = context
        self.owners = owners
        self.screens = screens
    }

    var object: AnyObject? { root.with { $0 }?.object }

    func readState() -> ObjectState {
        MainActor.assumeIsolated { isReported ? readReportedState() : findRoot() }
    }

    func description(in context: ExpectationContext) -> ObjectDescription {
        MainActor.assumeIsolated { isReported = true }
        return ObjectDescription(
            kind: .view, type: object.map { type(of: $0) } ?? context.type, containers: owners)
    }

    @MainActor
    private func findRoot() -> ObjectState {
        let alive = leaves.compactMap(\.node)
        guard !alive.isEmpty else { return .gone }
        if let controller = owners.last, screens?.ignoresViews(of: controller) != false { return .inUse }
        let detached = alive.compactMap { leaf in ViewTree.detachedRoot(of: leaf).map { (leaf, root: $0) } }
        guard let root = detached.first?.root else { return .inUse }
        // Views that are separated from this root by now are leaks of their own.
        expect(detached.filter { $0.root !== root }.map(\.0), after: 0)
        leaves = detached.filter { $0.root === root }.map { WeakView(node: $0.0) }
        self.root.with { $0 = WeakSubject(root) }
        guard screens?.postponeIfTouched(self, context, root: root) == false else { return .inUse }
        return .retained(ObjectIdentifier(root))
    }

    /// Checks the reported view. Expects the subviews that it no longer contains to be deallocated on their own.
    @MainActor
    private func readReportedState() -> ObjectState {
        let root = object as? any ViewNode
        let orphans = leaves.compactMap(\.node).filter { leaf in
            root.map { !ViewTree.isInside(leaf, $0) } ?? true
        }
        expect(orphans, after: nil)
        guard let root else {
            leaves = []
            return .gone
        }
        leaves = ViewTree.leaves(of: root).map { WeakView(node: $0) }
        return ViewTree.detachedRoot(of: root) == nil ? .inUse : .retained(ObjectIdentifier(root))
    }

    @MainActor
    private func expect(_ leaves: [any ViewNode], after seconds: Double?) {
        guard !leaves.isEmpty else { return }
        screens?.expect(leaves, context, owners: owners, after: seconds)
    }
}

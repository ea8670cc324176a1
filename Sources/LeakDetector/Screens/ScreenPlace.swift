/// Where a screen was while it was in use: from that follows why it went.
@MainActor
struct ScreenPlace {
    enum Role {
        /// At the root of a window, or a detail whose successor is shown.
        case replaced
        case presented
        case child(isInStack: Bool)
    }

    /// Classes of parents and presenters, outermost first.
    let owners: [AnyClass]
    var role: Role
    /// Parents and presenters, innermost first.
    private let keepers: [WeakScreen]

    init(of node: any ScreenNode) {
        let owners = ScreenRules.owners(of: node)
        self.owners = owners.reversed().map { type(of: $0) }
        keepers = owners.prefix { !isEnding($0) }.map(WeakScreen.init)
        role =
            if let parent = node.screenParent {
                .child(isInStack: parent.screenIsStack)
            } else if node.screenPresenter != nil {
                .presented
            } else {
                .replaced
            }
    }

    /// The container that it was in.
    var parent: (any ScreenNode)? {
        if case .child = role { keepers.first?.node } else { nil }
    }

    /// Whether one of those it was in still has it, such as a column that is not shown, or a tab.
    func keeps(_ node: any ScreenNode) -> Bool {
        keepers.contains { keeper in
            keeper.node?.screenContained.contains { $0 === node } == true
        }
    }

    /// Why the screen is not there any more.
    var reason: String {
        switch role {
        case .replaced: "replaced"
        case .presented: "dismissed"
        // Not taken out of its container: that went, and this one stayed.
        case .child where parent == nil: "closed"
        case .child: reasonOfRemoval
        }
    }

    /// Why the screen is not in its container any more.
    var reasonOfRemoval: String {
        if case .child(isInStack: true) = role { "popped" } else { "removed" }
    }
}

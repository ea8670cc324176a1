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
    private weak var parent: (any ScreenNode)?

    init(of node: any ScreenNode) {
        owners = ScreenRules.owners(of: node)
        parent = node.screenParent
        role =
            if let parent = node.screenParent {
                .child(isInStack: parent.screenIsStack)
            } else if node.screenPresenter != nil {
                .presented
            } else {
                .replaced
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

/// The parents and presenters of a screen while the screen was in use, and its role there. The reason for its removal follows from
/// the role.
@MainActor
struct ScreenLocation {
    enum Role {
        /// The screen was the root of a window, or a detail that another detail replaced.
        case replaced
        case presented
        case child(isInStack: Bool)
    }

    /// Classes of parents and presenters, outermost first.
    let owners: [AnyClass]
    var role: Role
    /// Parents and presenters, innermost first.
    private let containers: [WeakScreen]

    init(of node: any ScreenNode) {
        let owners = ScreenRules.owners(of: node)
        self.owners = owners.reversed().map { type(of: $0) }
        containers = owners.prefix { !isDeallocating($0) }.map(WeakScreen.init)
        role =
            if let parent = node.screenParent {
                .child(isInStack: parent.screenIsStack)
            } else if node.screenPresenter != nil {
                .presented
            } else {
                .replaced
            }
    }

    /// The container that the screen was in.
    var parent: (any ScreenNode)? {
        if case .child = role { containers.first?.node } else { nil }
    }

    /// Returns `true` if a former parent or presenter still keeps the screen, as a tab bar controller keeps hidden tabs, and a
    /// split view controller hidden columns.
    func keeps(_ node: any ScreenNode) -> Bool {
        containers.contains { container in
            container.node?.screenContained.contains { $0 === node } == true
        }
    }

    /// The reason why the screen is no longer there.
    var reason: String {
        switch role {
        case .replaced: "replaced"
        case .presented: "dismissed"
        // The screen was not removed from its container: the container was deallocated, and the screen stayed.
        case .child where parent == nil: "closed"
        case .child: reasonOfRemoval
        }
    }

    /// The reason why the screen is no longer in its container.
    var reasonOfRemoval: String {
        if case .child(isInStack: true) = role { "popped" } else { "removed" }
    }
}

/// The views that were touched last. UIKit retains them until the next touch, even the button that closed its screen.
@MainActor
struct LastTouch {
    private struct WeakView {
        weak var node: (any ViewNode)?
    }

    private var views: [WeakView] = []
    private var postponedChecks: [(subject: ViewSubject, context: ExpectationContext)] = []

    func isKept(_ view: any ViewNode) -> Bool { views.contains { $0.node === view } }

    /// Postpones the check of views that the last touch keeps.
    mutating func postpone(_ subject: ViewSubject, _ context: ExpectationContext) {
        postponedChecks.append((subject, context))
    }

    /// Replaces the views of the last touch.
    ///
    /// - Parameter views: the views under the fingers, one for each finger.
    /// - Returns: the checks that were postponed until this touch.
    mutating func touch(_ views: [any ViewNode]) -> [(subject: ViewSubject, context: ExpectationContext)] {
        self.views = views.map { WeakView(node: $0) }
        defer { postponedChecks = [] }
        return postponedChecks
    }
}

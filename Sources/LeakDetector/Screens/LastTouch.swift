/// The views that were touched last. UIKit keeps them until the next touch, be it the button that closed its screen.
@MainActor
struct LastTouch {
    private struct WeakView {
        weak var node: (any ViewNode)?
    }

    private var views: [WeakView] = []
    private var waiting: [(subject: ViewSubject, circumstances: Circumstances)] = []

    func isKept(_ view: any ViewNode) -> Bool { views.contains { $0.node === view } }

    /// Puts off what is kept by the last touch.
    mutating func wait(_ subject: ViewSubject, _ circumstances: Circumstances) {
        waiting.append((subject, circumstances))
    }

    /// - Parameter views: one for each finger.
    /// - Returns: what was put off until now.
    mutating func touch(_ views: [any ViewNode]) -> [(subject: ViewSubject, circumstances: Circumstances)] {
        self.views = views.map { WeakView(node: $0) }
        defer { waiting = [] }
        return waiting
    }
}

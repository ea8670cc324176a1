/// The view that was touched last. UIKit keeps it until the next touch, be it the button that closed its screen.
@MainActor
struct LastTouch {
    private weak var view: (any ViewNode)?
    private var waiting: [(subject: ViewSubject, circumstances: Circumstances)] = []

    func isKept(_ view: any ViewNode) -> Bool { view === self.view }

    /// Puts off what is kept by the last touch.
    mutating func wait(_ subject: ViewSubject, _ circumstances: Circumstances) {
        waiting.append((subject, circumstances))
    }

    /// - Returns: what was put off until now.
    mutating func touch(_ view: any ViewNode) -> [(subject: ViewSubject, circumstances: Circumstances)] {
        self.view = view
        defer { waiting = [] }
        return waiting
    }
}

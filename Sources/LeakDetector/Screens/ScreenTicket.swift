/// Lives exactly as long as the screen that holds it, and keeps the screen's view a moment longer.
@MainActor
final class ScreenTicket {
    let record: ScreenRecord
    let view = HeldView()
    private weak var screens: Screens?
    /// A screen has one slot, whoever watches it.
    private var next: ScreenTicket?
    private let ended: @Sendable (ScreenRecord, HeldView) -> Void

    /// - Parameters:
    ///   - screens: who watches the screen.
    ///   - next: of others who watch it too.
    ///   - ended: called when the screen is gone, on whatever thread let go of it last.
    init(
        _ record: ScreenRecord, of screens: Screens, next: ScreenTicket?,
        ended: @escaping @Sendable (ScreenRecord, HeldView) -> Void
    ) {
        self.record = record
        self.screens = screens
        self.next = next
        self.ended = ended
    }

    deinit { ended(record, view) }

    func ticket(of screens: Screens) -> ScreenTicket? {
        self.screens === screens ? self : next?.ticket(of: screens)
    }

    /// What is left of them without one watcher's.
    func without(_ screens: Screens) -> ScreenTicket? {
        if self.screens === screens { return next }
        next = next?.without(screens)
        return self
    }

    /// Whether what the screen was in still keeps it by contract, as far as any watcher knows.
    var isKeptByContainer: Bool { record.isKeptByContainer || next?.isKeptByContainer == true }
}

/// A view, kept until it is taken out on the main thread, where views have to be released.
@MainActor
final class HeldView {
    var node: (any ViewNode)?
}

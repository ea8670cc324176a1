/// An object that lives exactly as long as the screen that holds it, and retains the screen's view a moment longer.
@MainActor
final class ScreenTicket {
    let record: ScreenRecord
    let view = HeldView()
    private weak var screens: Screens?
    /// The ticket of the next watcher: a screen has one slot for all its watchers.
    private var next: ScreenTicket?
    private let ended: @Sendable (ScreenRecord, HeldView) -> Void

    /// - Parameters:
    ///   - screens: the watcher of the screen.
    ///   - next: the ticket of the other watchers of the screen.
    ///   - ended: called when the screen is deallocated, on the thread that released it last.
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

    /// Returns the remaining tickets without that of one watcher.
    func without(_ screens: Screens) -> ScreenTicket? {
        if self.screens === screens { return next }
        next = next?.without(screens)
        return self
    }

    /// `true` if the former container of the screen still keeps it by contract, as far as any watcher knows.
    var isKeptByContainer: Bool { record.isKeptByContainer || next?.isKeptByContainer == true }
}

/// A view that is retained until it is taken out on the main thread, where views have to be released.
@MainActor
final class HeldView {
    var node: (any ViewNode)?
}

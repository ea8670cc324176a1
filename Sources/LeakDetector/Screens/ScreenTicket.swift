/// Lives exactly as long as the screen that holds it, and keeps the screen's view a moment longer.
@MainActor
final class ScreenTicket {
    let record: ScreenRecord
    let view = HeldView()
    private let ended: @Sendable (ScreenRecord, HeldView) -> Void

    /// - Parameter ended: called when the screen is gone, on whatever thread let go of it last.
    init(_ record: ScreenRecord, ended: @escaping @Sendable (ScreenRecord, HeldView) -> Void) {
        self.record = record
        self.ended = ended
    }

    deinit { ended(record, view) }
}

/// A view, kept until it is taken out on the main thread, where views have to be released.
@MainActor
final class HeldView {
    var node: (any ViewNode)?
}

/// An object that lives exactly as long as the screen that holds it, and retains the screen's view a moment longer.
@MainActor
final class ScreenLifetimeToken {
    let record: ScreenRecord
    let view = RetainedView()
    private weak var screens: Screens?
    /// The token of the next watcher: a screen stores one token, and the tokens of its other watchers follow in a chain.
    private var next: ScreenLifetimeToken?
    private let ended: @Sendable (ScreenRecord, RetainedView) -> Void

    /// - Parameters:
    ///   - screens: the watcher of the screen.
    ///   - next: the token of the other watchers of the screen.
    ///   - ended: called when the screen is deallocated, on the thread that released it last.
    init(
        _ record: ScreenRecord, of screens: Screens, next: ScreenLifetimeToken?,
        ended: @escaping @Sendable (ScreenRecord, RetainedView) -> Void
    ) {
        self.record = record
        self.screens = screens
        self.next = next
        self.ended = ended
    }

    deinit { ended(record, view) }

    /// Returns the token of one watcher.
    func token(of screens: Screens) -> ScreenLifetimeToken? {
        self.screens === screens ? self : next?.token(of: screens)
    }

    /// Returns the chain of tokens without that of one watcher.
    func without(_ screens: Screens) -> ScreenLifetimeToken? {
        if self.screens === screens { return next }
        next = next?.without(screens)
        return self
    }

    /// `true` if at least one watcher recorded that the former container retains the screen by design, as a tab bar controller
    /// retains hidden tabs.
    var isKeptByContainer: Bool { record.isKeptByContainer || next?.isKeptByContainer == true }
}

/// A view that is retained until it is taken out on the main thread, where views have to be released.
@MainActor
final class RetainedView {
    var node: (any ViewNode)?
}

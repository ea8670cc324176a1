/// What tests leak, or do not.
class Screen {
    var onClose: (() -> Void)?

    /// The mistake that most leaks are.
    func leak() { onClose = { self.onClose = nil } }
}

final class Sheet: Screen {}

/// May be let go of by another thread.
final class Upload: Sendable {}

@MainActor
final class MainScreen {
    var child: MainScreen?
    func load() async { await Task.yield() }
}

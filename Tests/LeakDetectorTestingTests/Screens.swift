/// An object that tests leak or release.
class Screen {
    var onClose: (() -> Void)?

    /// Makes the most common mistake: a closure that captures `self` strongly.
    func leak() { onClose = { self.onClose = nil } }
}

final class Sheet: Screen {}

/// An object that another thread may release.
final class Upload: Sendable {}

@MainActor
final class MainScreen {
    var child: MainScreen?
    func load() async { await Task.yield() }
}

/// What is known of one screen. Does not keep it, and may outlive it.
@MainActor
final class ScreenRecord {
    nonisolated let identity: ObjectIdentifier
    nonisolated let type: AnyClass
    nonisolated let screen: WeakScreen

    /// How often it appeared: what was expected in an earlier visit is expected no more.
    private(set) var visits = 0
    /// In which visit it was expected to go.
    var expectedInVisit: Int?
    /// Where it was when last seen to be in use; `nil` for a screen that never was, such as one that was loaded ahead.
    private(set) var place: ScreenPlace?
    /// Whether it is shown in a window that is none of the app's.
    private(set) var isForeign = false
    /// The split view controller that keeps it by contract until it shows another detail.
    private(set) weak var split: (any ScreenNode)?
    var isReported = false
    /// Whether it came back after it was reported: its owner keeps it on purpose.
    var isKept = false

    /// The weak reference is made here, so the screen must not be in its end yet.
    init(_ node: any ScreenNode) {
        identity = ObjectIdentifier(node)
        type = Swift.type(of: node)
        screen = WeakScreen(node)
    }

    var node: (any ScreenNode)? { screen.node }

    /// Whether what it was in still keeps it by contract.
    var isKeptByContainer: Bool {
        guard let node else { return false }
        return split != nil || place?.keeps(node) == true
    }

    /// Not if it is expected or was told of already, nor if it is meant to stay.
    var mayBeExpected: Bool { expectedInVisit != visits && !isKept && !isForeign }

    func appear() { visits += 1 }

    /// - Parameter isForeign: `nil` while it is in no window.
    func note(_ place: ScreenPlace, isForeign: Bool?) {
        self.place = place
        self.isForeign = isForeign ?? self.isForeign
    }

    func hold(by split: any ScreenNode) { self.split = split }

    /// Another detail is shown.
    func replaceDetail() {
        split = nil
        place?.role = .replaced
    }

    /// The split view controller may have got another detail without a word.
    func noteDetail() {
        guard let split, let node, !split.screenHidesDetail, node.screenParent == nil else { return }
        if !split.screenContained.contains(where: { $0 === node }) { replaceDetail() }
    }

    /// Expects it no more.
    func takeBack() {
        expectedInVisit = nil
        if isReported { isKept = true }
    }
}

/// A screen, without keeping it. In a box, since a copy of a bare weak reference holds the screen for a moment.
final class WeakScreen: @unchecked Sendable {
    // Unchecked: written by `init` alone; the runtime reads a weak reference in one step.
    private(set) weak var node: (any ScreenNode)?

    init(_ node: any ScreenNode) { self.node = node }
}

/// The state of one screen. Does not retain the screen, and may outlive it.
@MainActor
final class ScreenRecord {
    nonisolated let identity: ObjectIdentifier
    nonisolated let type: AnyClass
    nonisolated let screen: WeakScreen

    /// The number of times that the screen appeared. An expectation made before the last appearance no longer holds.
    private(set) var appearanceCount = 0
    /// The value of ``appearanceCount`` when the screen was expected to be deallocated; `nil` if it was not expected or came back.
    var appearanceCountWhenExpected: Int?
    /// The location of the screen when last seen in use; `nil` for a screen that was never in use, such as a screen that was loaded
    /// in advance.
    private(set) var location: ScreenLocation?
    /// `true` if the screen is, or was last, in a window that does not belong to the app.
    private(set) var isForeign = false
    /// The split view controller that retains the screen until it shows another detail, as UIKit's API says.
    private(set) weak var split: (any ScreenNode)?
    var isReported = false
    /// `true` if the screen came back after it was reported: its owner keeps it on purpose.
    var isKeptOnPurpose = false

    /// Makes a weak reference to the screen, so the screen must not be in deallocation yet.
    init(_ node: any ScreenNode) {
        identity = ObjectIdentifier(node)
        type = Swift.type(of: node)
        screen = WeakScreen(node)
    }

    var node: (any ScreenNode)? { screen.node }

    /// `true` if the former container of the screen still retains it because UIKit's API says so.
    var isKeptByContainer: Bool {
        guard let node else { return false }
        return split != nil || location?.keeps(node) == true
    }

    /// `false` if the screen is expected already, if its owner keeps it on purpose, or if it is in a window that does not belong to
    /// the app.
    var mayBeExpected: Bool {
        appearanceCountWhenExpected != appearanceCount && !isKeptOnPurpose && !isForeign
    }

    func appear() { appearanceCount += 1 }

    /// - Parameter isForeign: `nil` while the screen is in no window.
    func recordLocation(_ location: ScreenLocation, isForeign: Bool?) {
        self.location = location
        self.isForeign = isForeign ?? self.isForeign
    }

    /// Records that a split view controller retains the screen as its detail.
    func recordAsDetail(of split: any ScreenNode) { self.split = split }

    /// Records that the split view controller shows another detail.
    func replaceDetail() {
        split = nil
        location?.role = .replaced
    }

    /// Checks whether the split view controller shows another detail, since it may change it without an event.
    func checkDetail() {
        guard let split, let node, !split.screenHidesDetail, node.screenParent == nil else { return }
        if !split.screenContained.contains(where: { $0 === node }) { replaceDetail() }
    }

    /// Withdraws the expectation.
    func withdrawExpectation() {
        appearanceCountWhenExpected = nil
        if isReported { isKeptOnPurpose = true }
    }
}

/// A weak reference to a screen. It is a property of a class, since copying a weak reference retains the screen for a moment.
final class WeakScreen: @unchecked Sendable {
    // `Sendable` is unchecked: `node` is written only by `init`; the runtime reads a weak reference atomically.
    private(set) weak var node: (any ScreenNode)?

    init(_ node: any ScreenNode) { self.node = node }
}

/// The view controllers and views that one detector watches. Events of UIKit decide which of them should be deallocated.
///
/// A screen is closed when nothing shows it, and UIKit's API does not retain it to show it again (``ScreenRules``). All screens are
/// checked a moment after any change, since UIKit does not report every removal: it removes screens in the middle of a stack silently.
@MainActor
final class Screens {
    private let checker: ExpirationChecker
    private let ignores: (AnyClass) -> Bool
    private let ignoresWindow: (AnyClass) -> Bool
    /// Records of the screens that UIKit reported, until the screens are deallocated.
    private var records: [ObjectIdentifier: ScreenRecord] = [:]
    private var isCheckDue = false
    private var lastTouch = LastTouch()
    private(set) var isStopped = false

    /// The delay of a check, one tick of ``TimingWheel``. After it, the cleanup of a transition is done, and most screens are
    /// deallocated.
    private static let transitionMilliseconds = 100

    /// - Parameters:
    ///   - checker: a checker that checks objects on the main queue.
    ///   - ignores: returns `true` if views that outlived a controller of this class do not belong to the app.
    ///   - ignoresWindow: returns `true` if windows of this class do not belong to the app.
    init(
        checker: ExpirationChecker, ignores: @escaping (AnyClass) -> Bool,
        ignoresWindow: @escaping (AnyClass) -> Bool
    ) {
        self.checker = checker
        self.ignores = ignores
        self.ignoresWindow = ignoresWindow
    }

    /// The number of watched screens.
    var count: Int { records.count }

    /// Handles an event of a screen. Call it after UIKit's own method.
    func handle(_ event: ScreenEvent, _ node: any ScreenNode) {
        guard !isStopped else { return }
        switch event {
        case .didLoad:
            watch(node)
        case .didAppear:
            appear(watch(node), node)
            checkScreensSoon()
        case .didDisappear, .didRemoveFromParent:
            // No token is made here: the screen may be in deallocation, and a weak reference to it would stop the app.
            checkScreensSoon()
        }
    }

    /// Records the detail that a split view controller is about to show. UIKit's API retains it in the split view controller until the
    /// next detail is shown. Call it before the change.
    func willShowDetail(_ detail: any ScreenNode, in split: any ScreenNode) {
        guard !isStopped else { return }
        for record in records.values where record.split === split { record.replaceDetail() }
        watch(detail).recordAsDetail(of: split)
    }

    /// Expects the current view of a controller to be deallocated. Call it before the view changes.
    func viewWillChange(of node: any ScreenNode) {
        guard let token = node.screenLifetimeToken?.token(of: self), let view = token.view.node else {
            return
        }
        token.view.node = nil
        expectViews(of: view, token.record, reason: "replaced")
        checkScreensSoon()
    }

    /// Expects a screen to be deallocated if its controller says that it is being closed; else does nothing.
    ///
    /// It works without the events of ``handle(_:_:)``. Call it from `viewDidDisappear`. UIKit retains a screen that is moving
    /// from its parent or being dismissed until after that call, so the screen is not in deallocation. Its views are not read,
    /// because no event reports their changes.
    ///
    /// - Parameter seconds: `nil` for the usual grace period.
    func check(_ node: any ScreenNode, after seconds: Double?, file: StaticString, line: UInt) {
        let root = ScreenRules.root(of: node)
        guard !isStopped, node.screenIsMovingFromParent || root.screenIsBeingDismissed else { return }
        let record = token(of: node).record
        if record.location == nil { recordLocation(record, node) }
        guard record.mayBeExpected else { return }
        let reason = root.screenIsBeingDismissed ? "dismissed" : record.location?.reasonOfRemoval
        let context = ExpectationContext(
            type: record.type, reason: reason, file: file, line: line,
            owner: root === node ? nil : WeakSubject(root))
        expect(record, context, after: seconds, allowsParent: true)
    }

    /// Expects a view that was removed from its superview to be deallocated.
    func expectDeallocation(ofRemoved root: any ViewNode, reason: String) {
        expect(
            ViewTree.leaves(of: root), ExpectationContext(type: type(of: root), reason: reason), owners: [],
            after: nil)
    }

    /// Records the views under all fingers when a finger touches the screen. UIKit retains the views of the last touch, so the checks
    /// that waited for the next touch start now.
    func didTouch(_ views: [any ViewNode]) {
        guard !isStopped else { return }
        for (subject, context) in lastTouch.touch(views) {
            checker.expect(subject: subject, context, after: nil)
        }
    }

    /// Postpones the check of a view that the last touch keeps until after the next touch.
    ///
    /// - Returns: `true` if the check was postponed.
    func postponeIfTouched(_ subject: ViewSubject, _ context: ExpectationContext, root: any ViewNode) -> Bool
    {
        guard !isStopped, lastTouch.isKept(root) else { return false }
        lastTouch.postpone(subject, context)
        return true
    }

    /// Expects views to be deallocated.
    ///
    /// - Parameters:
    ///   - leaves: the views without subviews.
    ///   - owners: classes of the objects around the views, outermost first.
    func expect(
        _ leaves: [any ViewNode], _ context: ExpectationContext, owners: [AnyClass],
        after seconds: Double?
    ) {
        checker.expect(
            subject: ViewSubject(leaves, context, owners: owners, in: self), context,
            after: seconds)
    }

    /// Returns `true` if views that outlived a controller of this class do not belong to the app.
    func ignoresViews(of type: AnyClass) -> Bool { ignores(type) }

    /// Releases all views and records, and accepts nothing more.
    func stop() {
        isStopped = true
        for node in records.values.compactMap(\.node) {
            node.screenLifetimeToken?.token(of: self)?.view.node = nil
            node.screenLifetimeToken = node.screenLifetimeToken?.without(self)
        }
        records = [:]
        lastTouch = LastTouch()
    }

    @discardableResult
    private func watch(_ node: any ScreenNode) -> ScreenRecord {
        let token = token(of: node)
        token.view.node = node.screenView
        records[ObjectIdentifier(token.record)] = token.record
        return token.record
    }

    private func token(of node: any ScreenNode) -> ScreenLifetimeToken {
        if let token = node.screenLifetimeToken?.token(of: self) { return token }
        let token = ScreenLifetimeToken(ScreenRecord(node), of: self, next: node.screenLifetimeToken) {
            [weak self, checker] record, view in
            // Runs later, since the deallocation of the screen may not be finished, and on the main thread.
            checker.call(afterMilliseconds: 0) { [weak self] in
                MainActor.assumeIsolated {
                    self?.handleDeallocation(of: record, view.node)
                    view.node = nil
                }
            }
        }
        node.screenLifetimeToken = token
        return token
    }

    private func appear(_ record: ScreenRecord, _ node: any ScreenNode) {
        let subject = ScreenSubject(record)
        let wasExpected = record.appearanceCountWhenExpected != nil
        record.appear()
        recordLocation(record, node)
        guard wasExpected else { return }
        record.withdrawExpectation()
        checker.end(of: record.identity, as: .inUse, subject, ExpectationContext(type: record.type))
    }

    private func recordLocation(_ record: ScreenRecord, _ node: any ScreenNode) {
        record.recordLocation(
            ScreenLocation(of: node), isForeign: node.screenWindowClass.map(ignoresWindow))
    }

    private func handleDeallocation(of record: ScreenRecord, _ view: (any ViewNode)?) {
        guard !isStopped else { return }
        records[ObjectIdentifier(record)] = nil
        if record.appearanceCountWhenExpected != nil {
            checker.end(
                of: record.identity, as: .gone, ScreenSubject(record), ExpectationContext(type: record.type))
        } else if record.location != nil, !record.isForeign {
            checker.countCheck(ExpectationContext(type: record.type))
        }
        if let view { expectViews(of: view, record, reason: record.location?.reason ?? "closed") }
        // The children of the screen have no parent now.
        checkScreensSoon()
    }

    private func expectViews(of root: any ViewNode, _ record: ScreenRecord, reason: String) {
        guard !record.isForeign else { return }
        var context = ExpectationContext(type: type(of: root), reason: reason)
        context.isPart = true
        expect(
            ViewTree.leaves(of: root), context, owners: (record.location?.owners ?? []) + [record.type],
            after: nil)
    }

    private func checkScreensSoon() {
        guard !isCheckDue else { return }
        isCheckDue = true
        checker.call(afterMilliseconds: Self.transitionMilliseconds) { [weak self] in
            MainActor.assumeIsolated { self?.checkScreens() }
        }
    }

    private func checkScreens() {
        isCheckDue = false
        for record in records.values {
            guard let node = record.node else { continue }
            node.screenLifetimeToken?.token(of: self)?.view.node = node.screenView
            record.checkDetail()
            if !ScreenRules.isDetached(node) {
                if record.location == nil || hasMoved(record, node) { recordLocation(record, node) }
            } else if record.mayBeExpected, let location = record.location {
                expect(record, ExpectationContext(type: record.type, reason: location.reason), after: nil)
            }
        }
    }

    /// Returns `true` if the screen is in another container than before: UIKit does not report such a move.
    private func hasMoved(_ record: ScreenRecord, _ node: any ScreenNode) -> Bool {
        node.screenParent.map { $0 !== record.location?.parent } ?? false
    }

    private func expect(
        _ record: ScreenRecord, _ context: ExpectationContext, after seconds: Double?,
        allowsParent: Bool = false
    ) {
        let subject = ScreenSubject(record, allowsParent: allowsParent)
        guard checker.expect(subject: subject, context, record.identity, after: seconds) else { return }
        record.appearanceCountWhenExpected = record.appearanceCount
    }
}

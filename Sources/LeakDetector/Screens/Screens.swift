/// Watches view controllers and their views for one detector: from UIKit's events it decides which ones should be deallocated.
///
/// A screen is closed when nothing shows it and nothing will show it by contract (``ScreenRules``). All screens are checked a
/// moment after any change, since UIKit does not report each: those in the middle of a stack are removed silently.
@MainActor
final class Screens {
    private let sweeper: Sweeper
    private let ignores: (AnyClass) -> Bool
    private let ignoresWindow: (AnyClass) -> Bool
    /// Records of the screens that UIKit reported, until the screens are deallocated.
    private var records: [ObjectIdentifier: ScreenRecord] = [:]
    private var isSweepDue = false
    private var lastTouch = LastTouch()
    private(set) var isStopped = false

    /// The length of one tick. After it, the cleanup of a transition is done, and most screens are deallocated.
    private static let transitionMilliseconds = 100

    /// - Parameters:
    ///   - sweeper: a sweeper that looks at objects on the main queue.
    ///   - ignores: called with the classes of controllers whose views outlived them.
    ///   - ignoresWindow: called with the classes of windows.
    init(
        sweeper: Sweeper, ignores: @escaping (AnyClass) -> Bool,
        ignoresWindow: @escaping (AnyClass) -> Bool
    ) {
        self.sweeper = sweeper
        self.ignores = ignores
        self.ignoresWindow = ignoresWindow
    }

    /// The number of watched screens.
    var count: Int { records.count }

    /// Call it after UIKit's own method.
    func handle(_ event: ScreenEvent, _ node: any ScreenNode) {
        guard !isStopped else { return }
        switch event {
        case .didLoad:
            watch(node)
        case .didAppear:
            appear(watch(node), node)
            sweepSoon()
        case .didDisappear, .didRemoveFromParent:
            // No ticket is made here: the screen may be in deallocation, and a weak reference to it would stop the app.
            sweepSoon()
        }
    }

    /// Records the detail that a split view controller is about to show. The split view controller keeps it by contract until the
    /// next detail is shown. Call it before the change.
    func willShowDetail(_ detail: any ScreenNode, in split: any ScreenNode) {
        guard !isStopped else { return }
        for record in records.values where record.split === split { record.replaceDetail() }
        watch(detail).hold(by: split)
    }

    /// Expects the current view of a controller to be deallocated. Call it before the view changes.
    func viewWillChange(of node: any ScreenNode) {
        guard let ticket = node.screenTicket?.ticket(of: self), let view = ticket.view.node else { return }
        ticket.view.node = nil
        expectViews(of: view, ticket.record, reason: "replaced")
        sweepSoon()
    }

    /// Expects a screen to be deallocated if its controller says that it is being closed; else does nothing.
    ///
    /// Needs none of the events. Call it from `viewDidDisappear`. UIKit retains a screen that is moving from its parent or being
    /// dismissed until after that call, so the screen is not in deallocation. Its views are not looked at, because no event tells
    /// when they change.
    ///
    /// - Parameter seconds: `nil` for the usual grace period.
    func check(_ node: any ScreenNode, after seconds: Double?, file: StaticString, line: UInt) {
        let root = ScreenRules.root(of: node)
        guard !isStopped, node.screenIsMovingFromParent || root.screenIsBeingDismissed else { return }
        let record = ticket(of: node).record
        if record.place == nil { note(record, node) }
        guard record.mayBeExpected else { return }
        let reason = root.screenIsBeingDismissed ? "dismissed" : record.place?.reasonOfRemoval
        let circumstances = Circumstances(
            type: record.type, reason: reason, file: file, line: line,
            owner: root === node ? nil : WeakSubject(root))
        expect(record, circumstances, after: seconds, withinParent: true)
    }

    /// Expects a view that was removed from its superview to be deallocated.
    func expectRemoval(of root: any ViewNode, reason: String) {
        expect(
            ViewTree.leaves(of: root), Circumstances(type: type(of: root), reason: reason), owners: [],
            after: nil)
    }

    /// Records the views under the fingers when another finger came down. Expects the views that an earlier touch kept to be
    /// deallocated now.
    func didTouch(_ views: [any ViewNode]) {
        guard !isStopped else { return }
        for (subject, circumstances) in lastTouch.touch(views) {
            sweeper.expect(subject: subject, circumstances, after: nil)
        }
    }

    /// Returns `true` if the last touch keeps a view; the view is then looked at again after the next touch.
    func putsOff(_ subject: ViewSubject, _ circumstances: Circumstances, with root: any ViewNode) -> Bool {
        guard !isStopped, lastTouch.isKept(root) else { return false }
        lastTouch.wait(subject, circumstances)
        return true
    }

    /// Expects views to be deallocated.
    ///
    /// - Parameters:
    ///   - leaves: the views in which no others are.
    ///   - owners: classes of the objects around the views, outermost first.
    func expect(
        _ leaves: [any ViewNode], _ circumstances: Circumstances, owners: [AnyClass],
        after seconds: Double?
    ) {
        sweeper.expect(
            subject: ViewSubject(leaves, circumstances, owners: owners, in: self), circumstances,
            after: seconds)
    }

    /// Returns `true` if views that outlived a controller of this class do not belong to the app.
    func ignoresViews(of type: AnyClass) -> Bool { ignores(type) }

    /// Releases everything, and accepts nothing more.
    func stop() {
        isStopped = true
        for node in records.values.compactMap(\.node) {
            node.screenTicket?.ticket(of: self)?.view.node = nil
            node.screenTicket = node.screenTicket?.without(self)
        }
        records = [:]
        lastTouch = LastTouch()
    }

    @discardableResult
    private func watch(_ node: any ScreenNode) -> ScreenRecord {
        let ticket = ticket(of: node)
        ticket.view.node = node.screenView
        records[ObjectIdentifier(ticket.record)] = ticket.record
        return ticket.record
    }

    private func ticket(of node: any ScreenNode) -> ScreenTicket {
        if let ticket = node.screenTicket?.ticket(of: self) { return ticket }
        let ticket = ScreenTicket(ScreenRecord(node), of: self, next: node.screenTicket) {
            [weak self, sweeper] record, view in
            // Later, since the deallocation of the screen may not be finished; and on the main thread.
            sweeper.call(afterMilliseconds: 0) { [weak self] in
                MainActor.assumeIsolated {
                    self?.end(record, view.node)
                    view.node = nil
                }
            }
        }
        node.screenTicket = ticket
        return ticket
    }

    private func appear(_ record: ScreenRecord, _ node: any ScreenNode) {
        let subject = ScreenSubject(record)
        let wasExpected = record.expectedInVisit != nil
        record.appear()
        note(record, node)
        guard wasExpected else { return }
        record.takeBack()
        sweeper.end(of: record.identity, as: .inUse, subject, Circumstances(type: record.type))
    }

    private func note(_ record: ScreenRecord, _ node: any ScreenNode) {
        record.note(
            ScreenPlace(of: node), isForeign: node.screenWindowClass.map(ignoresWindow))
    }

    private func end(_ record: ScreenRecord, _ view: (any ViewNode)?) {
        guard !isStopped else { return }
        records[ObjectIdentifier(record)] = nil
        if record.expectedInVisit != nil {
            sweeper.end(
                of: record.identity, as: .gone, ScreenSubject(record), Circumstances(type: record.type))
        } else if record.place != nil, !record.isForeign {
            sweeper.countCheck(Circumstances(type: record.type))
        }
        if let view { expectViews(of: view, record, reason: record.place?.reason ?? "closed") }
        // The children of the screen have no parent now.
        sweepSoon()
    }

    private func expectViews(of root: any ViewNode, _ record: ScreenRecord, reason: String) {
        guard !record.isForeign else { return }
        var circumstances = Circumstances(type: type(of: root), reason: reason)
        circumstances.isPart = true
        expect(
            ViewTree.leaves(of: root), circumstances, owners: (record.place?.owners ?? []) + [record.type],
            after: nil)
    }

    private func sweepSoon() {
        guard !isSweepDue else { return }
        isSweepDue = true
        sweeper.call(afterMilliseconds: Self.transitionMilliseconds) { [weak self] in
            MainActor.assumeIsolated { self?.sweep() }
        }
    }

    private func sweep() {
        isSweepDue = false
        for record in records.values {
            guard let node = record.node else { continue }
            node.screenTicket?.ticket(of: self)?.view.node = node.screenView
            record.noteDetail()
            if !ScreenRules.isDetached(node) {
                if record.place == nil || hasMoved(record, node) { note(record, node) }
            } else if record.mayBeExpected, let place = record.place {
                expect(record, Circumstances(type: record.type, reason: place.reason), after: nil)
            }
        }
    }

    /// Returns `true` if the screen is in another container than before: UIKit does not report that.
    private func hasMoved(_ record: ScreenRecord, _ node: any ScreenNode) -> Bool {
        node.screenParent.map { $0 !== record.place?.parent } ?? false
    }

    private func expect(
        _ record: ScreenRecord, _ circumstances: Circumstances, after seconds: Double?,
        withinParent: Bool = false
    ) {
        let subject = ScreenSubject(record, withinParent: withinParent)
        guard sweeper.expect(subject: subject, circumstances, record.identity, after: seconds) else { return }
        record.expectedInVisit = record.visits
    }
}

/// Watches view controllers and their views for one detector: told what UIKit does, it decides what should be gone.
///
/// A screen is closed when nothing shows it and nothing will by contract (``ScreenRules``). That is looked for a moment
/// after anything changed, in all screens, since UIKit does not tell of each: those in the middle of a stack go silently.
@MainActor
final class Screens {
    private let sweeper: Sweeper
    private let ignores: (AnyClass) -> Bool
    private let ignoresWindow: (AnyClass) -> Bool
    /// Of the screens that UIKit told of, until they are gone.
    private var records: [ObjectIdentifier: ScreenRecord] = [:]
    private var isSweepDue = false
    private var lastTouch = LastTouch()
    private(set) var isStopped = false

    /// Of one tick: what a transition leaves to be cleaned up is done by then, and most screens have gone.
    private static let transitionMilliseconds = 100

    /// - Parameters:
    ///   - sweeper: one that looks on the main queue.
    ///   - ignores: asked of classes of controllers whose views outlived them.
    ///   - ignoresWindow: asked of classes of windows.
    init(
        sweeper: Sweeper, ignores: @escaping (AnyClass) -> Bool,
        ignoresWindow: @escaping (AnyClass) -> Bool
    ) {
        self.sweeper = sweeper
        self.ignores = ignores
        self.ignoresWindow = ignoresWindow
    }

    /// How many screens are watched.
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
            // No ticket is made here: this may be part of the screen's end, when a weak reference to it stops the app.
            sweepSoon()
        }
    }

    /// A split view controller keeps its last detail by contract until the next one is shown. Call it before.
    func willShowDetail(_ detail: any ScreenNode, in split: any ScreenNode) {
        guard !isStopped else { return }
        for record in records.values where record.split === split { record.replaceDetail() }
        watch(detail).hold(by: split)
    }

    /// The view that a controller had should go. Call it before the change.
    func viewWillChange(of node: any ScreenNode) {
        guard let ticket = node.screenTicket?.ticket(of: self), let view = ticket.view.node else { return }
        ticket.view.node = nil
        expectViews(of: view, ticket.record, reason: "replaced")
        sweepSoon()
    }

    /// Expects a screen to go that its controller says is being closed; does nothing if it is not.
    ///
    /// Needs none of the events. Call it from `viewDidDisappear`. What is moving from its parent, or is dismissed, is held
    /// by UIKit until after that, so it is not in its end. Its views are not looked at, as nobody tells when they change.
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

    /// Expects a view to go that was taken out of its superview.
    func expectRemoval(of root: any ViewNode, reason: String) {
        expect(
            ViewTree.leaves(of: root), Circumstances(type: type(of: root), reason: reason), owners: [],
            after: nil)
    }

    /// Says which views fingers are on, when one more came down. Views that an earlier touch kept are expected to go now.
    func didTouch(_ views: [any ViewNode]) {
        guard !isStopped else { return }
        for (subject, circumstances) in lastTouch.touch(views) {
            sweeper.expect(subject: subject, circumstances, after: nil)
        }
    }

    /// Whether a view is kept by the last touch; then it is looked at again after the next.
    func putsOff(_ subject: ViewSubject, _ circumstances: Circumstances, with root: any ViewNode) -> Bool {
        guard !isStopped, lastTouch.isKept(root) else { return false }
        lastTouch.wait(subject, circumstances)
        return true
    }

    /// Expects views to go.
    ///
    /// - Parameters:
    ///   - leaves: the views in which no others are.
    ///   - owners: classes of what they were in, outermost first.
    func expect(
        _ leaves: [any ViewNode], _ circumstances: Circumstances, owners: [AnyClass],
        after seconds: Double?
    ) {
        sweeper.expect(
            subject: ViewSubject(leaves, circumstances, owners: owners, in: self), circumstances,
            after: seconds)
    }

    /// Whether views that outlived a controller of a class are none of the app's.
    func ignoresViews(of type: AnyClass) -> Bool { ignores(type) }

    /// Lets go of everything, and takes nothing more.
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
            // Later, since the screen's end may still go on; and on the main thread.
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
        // Its children have no parent now.
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

    /// Whether it is in another container than it was: UIKit does not tell of that.
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

public import Dispatch
// The public API has types of LeakMessage, which is no product of the package: an app gets them with this module.
@_exported public import LeakMessage
internal import LeakPlatform

/// Notices objects that stay in memory though they should have gone.
///
/// ```swift
/// let detector = LeakDetector(report: reporter.record(leak:))
/// detector.expectDeallocation(of: model)          // where its last owner lets go of it
/// ```
///
/// Safe in release builds: it never keeps an object alive, never stops the app (but in the mode ``Mode/assert``), and does
/// nothing while nothing is expected. It tells names of types and of places in the source, nothing of what objects hold.
public final class LeakDetector: Sendable {
    let sweepers: Sweepers
    let announcer: Announcer
    @MainActor var watchedScreens: Screens?
    /// Objects with their owners: ``Deallocating`` and ``LeakWatcher``.
    let owned: OwnedObjects
    /// Of the self-tests that run.
    let probes: Guarded<[Probe]>
    private let pauses: Pauses
    private let session = Guarded(SessionCount(startedAt: WireTime.now))
    #if canImport(UIKit) && !os(watchOS)
        private let foreground: Foreground
    #endif

    /// - Parameters:
    ///   - mode: what to do with what is found.
    ///   - limits: grace periods and bounds.
    ///   - suppression: which objects are never reported.
    ///   - explainer: finds out what keeps a leaked object, after the leak was reported; `nil` explains nothing.
    ///   - queue: where objects are looked at and told of; a serial one. A look holds the object for a
    ///     moment, so that its last release can fall there: choose the queue on which such objects are let go of
    ///     anyway. `nil` is the main queue on Apple's systems, where views have to be released, and a queue of the
    ///     detector's own elsewhere, since a server need not run a main queue.
    public convenience init(
        _ mode: Mode, limits: Limits = Limits(), suppression: Suppression = .standard,
        explainer: (any LeakExplainer)? = nil, queue: DispatchQueue? = nil
    ) {
        self.init(
            mode, limits: limits, suppression: suppression, explainer: explainer, queue: queue,
            owned: OwnedObjects())
    }

    /// - Parameter owned: the objects with their owners, those of a detector whose place this one takes included.
    convenience init(
        _ mode: Mode, limits: Limits, suppression: Suppression, explainer: (any LeakExplainer)?,
        queue: DispatchQueue?, owned: OwnedObjects
    ) {
        #if canImport(Darwin)
            let queue = queue ?? .main
        #else
            let queue = queue ?? DispatchQueue(label: "LeakDetector", qos: .utility)
        #endif
        self.init(
            limits: limits, clock: QueueClock(queue: queue),
            mainClock: queue === DispatchQueue.main ? nil : QueueClock(queue: .main),
            Announcer(mode, suppression, explainer: explainer, alerts: .standard), owned: owned)
    }

    /// Reports each leak, as release builds should.
    ///
    /// - Parameter report: takes what was found: a leak, or the end of an object that was reported before.
    public convenience init(
        limits: Limits = Limits(), queue: DispatchQueue? = nil,
        report: @escaping @Sendable (LeakReport) -> Void
    ) {
        self.init(.report(report), limits: limits, queue: queue)
    }

    /// - Parameter mainClock: the clock of the main queue; `nil` if `clock` is that.
    init(
        limits: Limits, clock: any WakeClock, mainClock: (any WakeClock)? = nil, _ announcer: Announcer,
        owned: OwnedObjects = OwnedObjects()
    ) {
        self.announcer = announcer
        self.owned = owned
        let probes = Guarded([Probe]())
        self.probes = probes
        @Sendable func sweeper(_ clock: any WakeClock) -> Sweeper {
            Sweeper(limits: limits, clock: clock) { sweeper, verdict, entry in
                for probe in probes.with({ $0 }) { probe.hear(verdict) }
                if entry.circumstances.isCounted { announcer.tell(sweeper, verdict, entry) }
            }
        }
        sweepers = Sweepers(sweeper(clock), mainClock.map(sweeper))
        pauses = Pauses(of: sweepers)
        #if canImport(UIKit) && !os(watchOS)
            foreground = Foreground(of: pauses)
        #endif
    }

    /// Says that an object should be gone soon, and has it reported if it is not.
    ///
    /// Call it where the object's life should end, such as after its screen was dismissed: the weak reference that is
    /// made here slows each later retain and release of the object. An object that is expected twice is reported once.
    ///
    /// - Parameters:
    ///   - object: any class instance.
    ///   - seconds: its grace period; `nil` for the usual one, ``Limits/graceMilliseconds``.
    ///   - path: names of its owners, outermost first; with them one class leaked in two places is two leaks.
    ///   - owner: the object that keeps it, if that should go too: while that one is reported as leaked, this one is not, and
    ///     if that one is in use again (``cameBack(_:)``), this one is.
    ///   - reason: why it should go, such as `dismissed`.
    public func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], owner: AnyObject? = nil,
        reason: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        let circumstances = Circumstances(
            type: type(of: object), path: path, reason: reason, file: file, line: line,
            owner: owner.flatMap { isEnding($0) ? nil : WeakSubject($0) })
        expect(object, circumstances, after: seconds)
    }

    func expect(_ object: AnyObject, _ circumstances: Circumstances, after seconds: Double?) {
        guard !isEnding(object) else { return sweepers.first.countCheck(circumstances) }
        sweepers.first.expect(object, circumstances, after: seconds)
    }

    /// Never reports an object, such as one that a cache keeps on purpose. It is not kept.
    public func ignore(_ object: AnyObject) {
        if !isEnding(object) { sweepers.ignore(object) }
    }

    /// Says that an object is in use again, such as one that a cache handed out: what was expected of it before holds no
    /// more, and if it was reported, its report is followed by its return (``Counts/cameBack``).
    public func cameBack(_ object: AnyObject) {
        if !isEnding(object) { sweepers.use(object) }
    }

    /// Which objects are never reported. A change holds for leaks that are found from then on; an object that was left out
    /// once stays left out. Where several threads add to it, use ``changeSuppression(_:)``: reading, adding and writing are
    /// separate steps here.
    public var suppression: Suppression {
        get { announcer.suppression }
        set { announcer.changeSuppression { $0 = newValue } }
    }

    /// Changes which objects are never reported, in one step, so that no change of another thread is lost.
    ///
    /// - Parameter change: may ask the detector. Called again with the newer value if another change was made meanwhile.
    public func changeSuppression(_ change: (inout Suppression) -> Void) {
        announcer.changeSuppression(change)
    }

    /// True if leaks are explained, where an explainer was given: a switch for your server. A change holds at once.
    public var explainsLeaks: Bool {
        get { announcer.explanations?.isOn ?? false }
        set { announcer.explanations?.isOn = newValue }
    }

    /// Stops all grace periods: what happens now is none of the app's active time. An app with UIKit does so by itself
    /// while it is not in front. Pauses are counted: each ends with a ``resume()`` of its own.
    public func pause() { pauses.begin(.asked) }

    /// Ends one ``pause()``. After the last one grace periods go on, in an app with UIKit as soon as it is in front.
    public func resume() { pauses.end(.asked) }

    /// Forgets all that is waited for and takes nothing more: what a switch on your server can turn off. This detector stays
    /// stopped; ``start(_:limits:suppression:explainer:queue:)`` makes another.
    public func stop() {
        sweepers.stop()
        announcer.forgetAll()
        for probe in probes.with({ $0 }) { probe.finish(.stopped) }
        stopScreens()
    }

    /// How many objects were checked, leaked, freed.
    public var counts: Counts { sweepers.counts }

    /// How often objects of each class were checked since the last call, leaked or not: what the number of leaks is to
    /// be divided by. With each class the number of its objects that were expected and not looked at, since too many waited
    /// (``ClassChecks/unseen``); those of classes beyond ``Limits/checkedTypes`` stand together under the name `other`.
    public func takeChecks() -> [ClassChecks] {
        var checks: [String: ClassChecks] = [:]
        for check in sweepers.takeChecks() {
            let name = announcer.name(of: check.type)
            checks[name, default: ClassChecks(className: name, count: 0)].count += check.count
            checks[name]?.unseen += check.unseen
        }
        let unseen = sweepers.takeUnseenOfOthers()
        if unseen > 0 { checks["other", default: ClassChecks(className: "other", count: 0)].unseen += unseen }
        return checks.values.sorted { $0.className < $1.className }
    }

    /// What was checked since the last call, as a session that ends here: what the share of leak-free sessions is a share
    /// of. Call it where a use of the app ends, such as when it goes to the background. Objects whose grace period still
    /// runs count in the next. Objects that were not looked at, since too many waited, are ``EndedSession/unseen``: without a
    /// leak such a session is not leak-free but unknown.
    ///
    /// - Returns: `nil` when nothing was checked, which says nothing about leaks.
    public func takeSession() -> EndedSession? {
        session.with { $0.take(sweepers.counts, id: SightingID.make(at: .now), at: WireTime.now) }
    }
}

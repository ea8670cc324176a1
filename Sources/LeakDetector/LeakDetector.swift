public import Dispatch
// The public API has types of LeakMessage, which is not a product of the package: an app gets them with this module.
@_exported public import LeakMessage
internal import LeakPlatform

/// A detector of objects that stay in memory though they should have been deallocated.
///
/// ```swift
/// let detector = LeakDetector(report: reporter.record(leak:))
/// detector.expectDeallocation(of: model)          // call this where its last owner releases it
/// ```
///
/// The detector is safe in release builds: it retains an object only for the moment of a check, never stops the app (except in
/// the mode ``Mode/assert``), and sets no timer while it waits for no object. It reports names of types, source lines and the
/// texts that the app passes to it, and nothing of the content of objects.
public final class LeakDetector: Sendable {
    let checkers: ExpirationCheckers
    let notifier: LeakNotifier
    @MainActor var watchedScreens: Screens?
    /// The objects of ``Deallocating`` properties and ``LeakWatcher``s, with the number of owners of each object.
    let owned: OwnedObjects
    /// The probes of the self-tests that are running.
    let probes: Guarded<[Probe]>
    private let pauses: PauseController
    private let session = Guarded(SessionCount(startedAt: WireTime.now))
    #if canImport(UIKit) && !os(watchOS)
        private let foreground: ForegroundObserver
    #endif

    /// Makes a detector.
    ///
    /// - Parameters:
    ///   - mode: the behavior when a leak is found.
    ///   - limits: grace periods and limits.
    ///   - suppression: rules for objects that are never reported.
    ///   - explainer: finds the references that keep a leaked object, after the leak was reported; `nil` explains nothing.
    ///   - queue: the serial queue on which objects are checked and reported. A check retains the object for a moment, so its last
    ///     release can happen there: choose the queue on which such objects are released anyway. `nil` uses the main queue on
    ///     Apple's systems, where views have to be released. On other systems it uses a queue of the detector's own, since a
    ///     server need not run a main queue.
    public convenience init(
        _ mode: Mode, limits: Limits = Limits(), suppression: Suppression = .standard,
        explainer: (any LeakExplainer)? = nil, queue: DispatchQueue? = nil
    ) {
        self.init(
            mode, limits: limits, suppression: suppression, explainer: explainer, queue: queue,
            owned: OwnedObjects())
    }

    /// - Parameter owned: the objects with their owners, including those of a detector that this detector replaces.
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
            LeakNotifier(mode, suppression, explainer: explainer, alerts: .standard), owned: owned)
    }

    /// Makes a detector that reports each leak, as release builds should.
    ///
    /// - Parameter report: receives the reports: of leaks, and of leaked objects that were deallocated or came into use again
    ///   later.
    public convenience init(
        limits: Limits = Limits(), queue: DispatchQueue? = nil,
        report: @escaping @Sendable (LeakReport) -> Void
    ) {
        self.init(.report(report), limits: limits, queue: queue)
    }

    /// - Parameter mainClock: the clock of the main queue; `nil` if `clock` is that clock.
    init(
        limits: Limits, clock: any WakeClock, mainClock: (any WakeClock)? = nil, _ notifier: LeakNotifier,
        owned: OwnedObjects = OwnedObjects()
    ) {
        self.notifier = notifier
        self.owned = owned
        let probes = Guarded([Probe]())
        self.probes = probes
        @Sendable func makeChecker(_ clock: any WakeClock) -> ExpirationChecker {
            ExpirationChecker(limits: limits, clock: clock) { checker, result, entry in
                for probe in probes.with({ $0 }) { probe.handle(result) }
                if entry.context.isCounted { notifier.handle(result, on: entry, from: checker) }
            }
        }
        checkers = ExpirationCheckers(makeChecker(clock), mainClock.map(makeChecker))
        pauses = PauseController(of: checkers)
        #if canImport(UIKit) && !os(watchOS)
            foreground = ForegroundObserver(of: pauses)
        #endif
    }

    /// Expects an object to be deallocated soon, and reports it if it is not.
    ///
    /// Call it where the object's life should end, such as after its screen was dismissed, and not earlier: the call makes a
    /// weak reference, which slows each later retain and release of the object. An object that is expected twice is reported
    /// once.
    ///
    /// - Parameters:
    ///   - object: any class instance.
    ///   - seconds: its grace period; `nil` for the usual grace period, ``Limits/graceMilliseconds``.
    ///   - path: names of the object's owners, outermost first. A class that leaks with two different paths is two leaks.
    ///   - owner: an owner that keeps the object and should be deallocated too. While the owner is reported as leaked, the object
    ///     is not reported. When the owner is in use again (``cameBack(_:)``), the object counts as in use too.
    ///   - reason: the reason why the object should be deallocated, such as `dismissed`.
    public func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], owner: AnyObject? = nil,
        reason: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        let context = ExpectationContext(
            type: type(of: object), path: path, reason: reason, file: file, line: line,
            owner: owner.flatMap { isDeallocating($0) ? nil : WeakSubject($0) })
        expect(object, context, after: seconds)
    }

    func expect(_ object: AnyObject, _ context: ExpectationContext, after seconds: Double?) {
        guard !isDeallocating(object) else { return checkers.onAnyQueue.countCheck(context) }
        checkers.onAnyQueue.expect(object, context, after: seconds)
    }

    /// Stops all reports of an object, such as an object that a cache keeps on purpose. Does not retain the object.
    public func ignore(_ object: AnyObject) {
        if !isDeallocating(object) { checkers.ignore(object) }
    }

    /// Tells the detector that an object is in use again, such as an object that a cache handed out. Earlier expectations of the object
    /// no longer hold. If the object was reported, its return is reported too (``Counts/cameBack``).
    public func cameBack(_ object: AnyObject) {
        if !isDeallocating(object) { checkers.use(object) }
    }

    /// Rules for objects that are never reported. A change applies to leaks that are found from then on; an object that the rules
    /// excluded once is not reported later. If several threads add to the rules, use ``changeSuppression(_:)``: reading, adding and
    /// writing are separate steps here.
    public var suppression: Suppression {
        get { notifier.suppression }
        set { notifier.changeSuppression { $0 = newValue } }
    }

    /// Changes, in one step, the rules for objects that are never reported, so that no change of another thread is lost.
    ///
    /// - Parameter change: changes the rules, and may call the detector. It is called again with the newer rules if another thread
    ///   changed them meanwhile.
    public func changeSuppression(_ change: (inout Suppression) -> Void) {
        notifier.changeSuppression(change)
    }

    /// `true` if leaks are explained; always `false` without an explainer. Set it to `false` to switch explanations off, for
    /// example when your server asks for that. A change applies at once.
    public var explainsLeaks: Bool {
        get { notifier.explanations?.isOn ?? false }
        set { notifier.explanations?.isOn = newValue }
    }

    /// Pauses all grace periods: from now on, no time counts towards them. An app with UIKit pauses by itself while it is not
    /// active. Pauses are counted: each call needs its own ``resume()``.
    public func pause() { pauses.begin(.asked) }

    /// Ends one ``pause()``. After the last pause has ended, grace periods continue, in an app with UIKit as soon as it is
    /// active.
    public func resume() { pauses.end(.asked) }

    /// Drops all expectations and accepts no new ones, for example when your server switches the detector off. This detector stays
    /// stopped; ``start(_:limits:suppression:explainer:queue:)`` makes another.
    public func stop() {
        checkers.stop()
        notifier.forgetAll()
        for probe in probes.with({ $0 }) { probe.finish(.stopped) }
        stopScreens()
    }

    /// Counts of the objects that were checked, leaked or were freed since the detector was made.
    public var counts: Counts { checkers.counts }

    /// Returns how often objects of each class were checked since the last call, leaked or not: the denominator for the number of
    /// leaks. Each class has the number of its objects that were expected but not checked, because too many waited
    /// (`ClassChecks.unseen`). Such objects of classes beyond ``Limits/checkedTypes`` are counted together under the name `other`.
    public func takeChecks() -> [ClassChecks] {
        var checks: [String: ClassChecks] = [:]
        for check in checkers.takeChecks() {
            let name = notifier.name(of: check.type)
            checks[name, default: ClassChecks(className: name, count: 0)].count += check.checked
            checks[name]?.unseen += check.unseen
        }
        let unseen = checkers.takeUnseenOfOtherTypes()
        if unseen > 0 { checks["other", default: ClassChecks(className: "other", count: 0)].unseen += unseen }
        return checks.values.sorted { $0.className < $1.className }
    }

    /// Returns the checks since the last call as a session that ends now. The collector counts these sessions, and shows which share
    /// of them had no leak. Call this method where the use of the app ends, for example when the app goes to the background. An object
    /// whose grace period has not ended counts in the next session. `EndedSession.unseen` is the number of objects that were not
    /// checked because too many objects were waiting. A session with such objects and without a leak counts neither as leak-free nor
    /// as leaky.
    ///
    /// - Returns: `nil` if no object was checked or left out, because such a session says nothing about leaks. Then the session
    ///   continues.
    public func takeSession() -> EndedSession? {
        session.with {
            $0.endSession(id: SightingID.make(at: .now), counts: checkers.counts, at: WireTime.now)
        }
    }
}

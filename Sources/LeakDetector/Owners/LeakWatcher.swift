internal import Threads

/// Expects objects to go when it goes itself: what holds it is their owner.
///
/// ```swift
/// final class CheckoutFlow {
///     private let watcher = LeakWatcher()
///     func show(_ model: PaymentModel) { watcher.expectDeallocation(of: model) }
/// }
/// ```
///
/// It keeps none of them. As long as there is no detector it does nothing.
public final class LeakWatcher: Sendable {
    private struct Watch: Sendable {
        let subject: WeakSubject
        let circumstances: Circumstances
        let seconds: Double?
    }

    private struct Watches {
        var byIdentity: [ObjectIdentifier: Watch] = [:]
        /// From how many on to look for those that have gone.
        var crowd = 64
    }

    private let detector: LeakDetector?
    private let watches = Guarded(Watches())

    /// - Parameter detector: `nil` is the shared one, ``LeakDetector/shared``, once it was started.
    public init(_ detector: LeakDetector? = nil) { self.detector = detector }

    /// Says that an object should be gone soon after this watcher. Said again of the same object it changes nothing.
    ///
    /// The parameters are those of ``LeakDetector/expectDeallocation(of:after:path:owner:reason:file:line:)``.
    public func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], reason: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard let detector = detector ?? LeakDetector.shared, !isEnding(object) else { return }
        let identity = ObjectIdentifier(object)
        let known = watches.with { $0.byIdentity[identity] }
        guard known?.subject.object == nil else { return }
        // Its place in memory belonged to another object.
        if let known { detector.sweepers.first.countCheck(known.circumstances) }
        let watch = Watch(
            subject: WeakSubject(object),
            circumstances: Circumstances(
                type: type(of: object), path: path, reason: reason, file: file, line: line),
            seconds: seconds)
        let isCrowded = watches.with { watches in
            watches.byIdentity[identity] = watch
            return watches.byIdentity.count >= watches.crowd
        }
        if isCrowded { settleGone(detector) }
    }

    /// Counts those that have gone already, so that a watcher that lives long does not grow with what it has seen.
    private func settleGone(_ detector: LeakDetector) {
        let gone = watches.with { $0.byIdentity }.filter { $0.value.subject.object == nil }
        let settled = watches.with { watches in
            let settled = gone.filter { identity, watch in
                watches.byIdentity[identity]?.subject === watch.subject
            }
            for identity in settled.keys { watches.byIdentity[identity] = nil }
            watches.crowd = max(64, watches.byIdentity.count * 2)
            return Array(settled.values)
        }
        for watch in settled { detector.sweepers.first.countCheck(watch.circumstances) }
    }

    deinit {
        guard let detector = detector ?? LeakDetector.shared else { return }
        for watch in watches.with({ Array($0.byIdentity.values) }) {
            // As it is: a strong reference could become the last one, on a thread where the object must not end.
            detector.sweepers.first.expect(
                subject: watch.subject, watch.circumstances, watch.subject.identity, after: watch.seconds)
        }
    }
}

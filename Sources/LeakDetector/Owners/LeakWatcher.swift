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

    private let detector: LeakDetector?
    private let watches = Guarded([ObjectIdentifier: Watch]())

    /// - Parameter detector: `nil` is the shared one, ``LeakDetector/shared``, once it was started.
    public init(_ detector: LeakDetector? = nil) { self.detector = detector }

    /// Says that an object should be gone soon after this watcher. Said again of the same object it changes nothing.
    ///
    /// The parameters are those of ``LeakDetector/expectDeallocation(of:after:path:owner:reason:file:line:)``.
    public func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], reason: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard detector ?? LeakDetector.shared != nil else { return }
        let identity = ObjectIdentifier(object)
        let known = watches.with { $0[identity] }
        // Its place in memory may have belonged to another object.
        guard known?.subject.object == nil else { return }
        let watch = Watch(
            subject: WeakSubject(object),
            circumstances: Circumstances(
                type: type(of: object), path: path, reason: reason, file: file, line: line),
            seconds: seconds)
        watches.with { $0[identity] = watch }
    }

    deinit {
        guard let detector = detector ?? LeakDetector.shared else { return }
        for watch in watches.with({ Array($0.values) }) {
            guard let object = watch.subject.object else {
                detector.sweepers.first.settle(watch.circumstances)
                continue
            }
            detector.sweepers.first.expect(object, watch.circumstances, after: watch.seconds)
        }
    }
}

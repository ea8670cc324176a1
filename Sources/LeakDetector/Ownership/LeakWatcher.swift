internal import LeakPlatform

extension LeakDetector {
    /// A watcher that expects objects to be deallocated once it is deallocated itself: the object that holds the watcher is their
    /// owner.
    ///
    /// ```swift
    /// final class CheckoutFlow {
    ///     private let watcher = LeakWatcher()
    ///     func show(_ model: PaymentModel) { watcher.expectDeallocation(of: model) }
    /// }
    /// ```
    ///
    /// A watcher retains none of the objects. While there is no detector it does nothing. An object that has several owners (watchers
    /// or ``Deallocating`` properties) should be deallocated when its last owner is.
    public final class LeakWatcher: Sendable {
        private struct Watch: Sendable {
            let subject: WeakSubject
            let context: ExpectationContext
            let seconds: Double?
            let owned: OwnedObjects.OwnerCounts
        }

        private struct Watches {
            var byIdentity: [ObjectIdentifier: Watch] = [:]
            /// When this many objects are watched, the entries of deallocated objects are removed.
            var scanThreshold = 64
            /// The owned objects of the detector that the first watch was for. A later
            /// ``LeakDetector/start(_:limits:suppression:explainer:queue:)`` may have replaced that detector.
            var owned: OwnedObjects?
        }

        private let detector: LeakDetector?
        private let watches = Guarded(Watches())

        /// Makes a watcher that watches no objects yet.
        ///
        /// - Parameter detector: `nil` uses the shared detector, ``LeakDetector/shared``, once it was started.
        public init(_ detector: LeakDetector? = nil) { self.detector = detector }

        /// Expects an object to be in use while this watcher exists, and to be deallocated soon after the watcher. Earlier expectations
        /// of the object are withdrawn, as by ``LeakDetector/cameBack(_:)``. Another call for the same object withdraws the
        /// expectations made meanwhile, and changes nothing else.
        ///
        /// The parameters are those of ``LeakDetector/expectDeallocation(of:after:path:owner:reason:file:line:)``, without `owner`.
        public func expectDeallocation(
            of object: AnyObject, after seconds: Double? = nil, path: [String] = [], reason: String? = nil,
            file: StaticString = #fileID, line: UInt = #line
        ) {
            guard let detector = detector ?? LeakDetector.shared, !isDeallocating(object) else { return }
            let identity = ObjectIdentifier(object)
            let isWatched = watches.with { watches in
                // The caller retains the object, so reading the reference does not deallocate it.
                watches.byIdentity[identity]?.subject.object != nil
            }
            guard !isWatched else { return detector.cameBack(object) }
            let (all, deallocatedWatch) = watches.with { watches -> (OwnedObjects, Watch?) in
                let all = watches.owned ?? detector.owned
                watches.owned = all
                return (all, watches.byIdentity.removeValue(forKey: identity))
            }
            // A watched object that was deallocated had the same address.
            if let deallocatedWatch { countDeallocated(deallocatedWatch, in: all, for: detector) }
            let subject = WeakSubject(object)
            let watch = Watch(
                subject: subject,
                context: ExpectationContext(
                    type: type(of: object), path: path, reason: reason, file: file, line: line),
                seconds: seconds,
                owned: all.addWatcher(of: object, subject) { detector.cameBack(object) })
            let (twin, isCrowded) = watches.with { watches in
                let twin = watches.byIdentity.updateValue(watch, forKey: identity)
                return (twin, watches.byIdentity.count >= watches.scanThreshold)
            }
            // Another thread watched the same object at the same time.
            if let twin { all.removeWatcher(from: twin.owned) {} }
            if isCrowded { countAllDeallocated(in: all, for: detector) }
        }

        /// Counts the watched objects that were deallocated, and removes their entries, so that a watcher that lives long does
        /// not grow.
        private func countAllDeallocated(in all: OwnedObjects, for detector: LeakDetector) {
            let deallocatedWatches = watches.with { $0.byIdentity }.filter { $0.value.subject.object == nil }
            let ended = watches.with { watches in
                let ended = deallocatedWatches.filter { identity, watch in
                    watches.byIdentity[identity]?.subject === watch.subject
                }
                for identity in ended.keys { watches.byIdentity[identity] = nil }
                watches.scanThreshold = max(64, watches.byIdentity.count * 2)
                return Array(ended.values)
            }
            for watch in ended { countDeallocated(watch, in: all, for: detector) }
        }

        /// Removes this watcher from the owners of a deallocated object. The last owner that is removed counts the object.
        private func countDeallocated(_ watch: Watch, in all: OwnedObjects, for detector: LeakDetector) {
            all.removeWatcher(from: watch.owned) { detector.checkers.onAnyQueue.countCheck(watch.context) }
        }

        deinit {
            let watches = watches.with { $0 }
            guard let all = watches.owned, let detector = detector ?? LeakDetector.shared else { return }
            for watch in watches.byIdentity.values {
                all.removeWatcher(from: watch.owned) {
                    // Passes the weak reference on: a strong reference could become the last one, on a thread where the object must
                    // not be deallocated.
                    detector.checkers.onAnyQueue.expect(
                        subject: watch.subject, watch.context, watch.subject.identity, after: watch.seconds)
                }
            }
        }
    }
}

/// ``LeakDetector/LeakDetector/LeakWatcher`` without the name of the detector.
public typealias LeakWatcher = LeakDetector.LeakWatcher

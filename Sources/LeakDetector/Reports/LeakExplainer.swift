public import LeakMessage

extension LeakDetector {
    /// An explainer that finds the references that keep an object in memory, such as `RetainPathFinder` of the library `RetainPaths`.
    public protocol LeakExplainer: Sendable {
        /// Explains why an object is alive.
        ///
        /// Called after the leak was reported, on a thread of its own, for one object at a time. An explanation that takes more than
        /// two seconds is dropped, and no other leak is explained until the call returns.
        ///
        /// - Parameters:
        ///   - object: the address of the object, which may be deallocated at any time, since nothing retains it for the explainer.
        ///   - callerReferences: the number of strong references to the object that the detector itself holds.
        func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation

        /// Returns advice on how to remove the references of an explanation; `nil` if there is none. The modes ``LeakDetector/Mode/log``
        /// and ``LeakDetector/Mode/alert`` print it after the explanation.
        func advice(on explanation: RetainExplanation) -> String?
    }
}

extension LeakDetector.LeakExplainer {
    /// Returns `nil`: an explainer gives no advice unless it implements this.
    public func advice(on explanation: RetainExplanation) -> String? { nil }
}

/// ``LeakDetector/LeakDetector/LeakExplainer`` without the name of the detector.
public typealias LeakExplainer = LeakDetector.LeakExplainer

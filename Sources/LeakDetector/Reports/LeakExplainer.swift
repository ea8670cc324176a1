public import LeakMessage

/// Finds out why an object is still in memory. `RetainPathFinder` of the library `RetainPaths` is one.
public protocol LeakExplainer: Sendable {
    /// Explains why an object is alive.
    ///
    /// Called after the leak was reported, on a thread of its own, for one object at a time. An answer that takes more than
    /// two seconds is dropped, and no other leak is explained until it has come.
    ///
    /// - Parameters:
    ///   - object: the address. The object may end at any time, since nothing holds it for the explainer.
    ///   - callerReferences: the strong references to it that the detector itself holds.
    func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation
}

public import LeakDetector
public import LeakMessage

/// Explains leaks to a ``LeakDetector``: `LeakDetector.start(.log, explainer: RetainPathFinder())`.
extension RetainPathFinder: LeakExplainer {
    /// Explains why an object is alive, within ``Budget/release`` and without a search for holders.
    public func explain(_ object: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation {
        unsafe explain(object, callerReferences: callerReferences, budget: .release, search: [])
    }
}

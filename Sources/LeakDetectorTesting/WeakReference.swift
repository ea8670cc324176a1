/// A reference that does not keep its object.
final class WeakReference: @unchecked Sendable {
    // Unchecked: written by `init` alone; the runtime reads a weak reference in one step.
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}

internal import LeakMessage

/// What tells whether an object is there, without keeping it.
///
/// Called on the queue of its ``Sweeper``, where not said otherwise, with no lock held.
protocol Subject: AnyObject, Sendable {
    func look() -> Sight

    /// The object to report, while it is there: not always the one that was expected to go. Asked on any thread.
    var object: AnyObject? { get }

    /// What to say of it. Asked once, right after the look that proved the leak.
    func portrait(_ circumstances: Circumstances) -> Portrait
}

/// What is said of a leaked object: names of types, nothing of what it holds.
struct Portrait {
    var kind = LeakReport.Kind.object
    let type: AnyClass
    /// Names of the owners, outermost first.
    var owners: [String] = []
    /// Types of the owners below those, outermost first.
    var containers: [AnyClass] = []
    /// Types of the controllers that a container holds.
    var children: [AnyClass] = []
}

/// A reference that does not keep its object.
///
/// In a box, since a copy of a bare weak reference holds the object for a moment on Apple's systems, and copies are
/// made inside the lock.
final class WeakSubject: Subject, @unchecked Sendable {
    // Unchecked: written by `init` alone; the runtime reads a weak reference in one step.
    private(set) weak var object: AnyObject?
    /// Of the object, whether it is still there or not.
    let identity: ObjectIdentifier

    init(_ object: AnyObject) {
        self.object = object
        identity = ObjectIdentifier(object)
    }

    /// Its identity, while it is there.
    var alive: ObjectIdentifier? { object == nil ? nil : identity }

    func look() -> Sight { alive.map { .retained($0) } ?? .gone }

    func portrait(_ circumstances: Circumstances) -> Portrait {
        Portrait(type: circumstances.type, owners: circumstances.path)
    }
}

internal import LeakMessage

/// Access to an object, without retaining it.
///
/// The members are called on the queue of the ``ExpirationChecker`` unless stated otherwise, with no lock held.
protocol Subject: AnyObject, Sendable {
    /// Checks whether the object still exists, and whether it is in use. This retains the object for a moment.
    func readState() -> ObjectState

    /// The object to report, while it exists. It is not always the object that was expected to be deallocated. May be read on
    /// any thread.
    var object: AnyObject? { get }

    /// Returns the description of the object for its report. Called once, right after the check that proved the leak.
    func description(in context: ExpectationContext) -> ObjectDescription
}

/// Description of a leaked object: names of types, and nothing of the content of the object.
struct ObjectDescription {
    var kind = LeakReport.Kind.object
    let type: AnyClass
    /// Names of the owners, outermost first.
    var owners: [String] = []
    /// Types of further owners, which are between ``owners`` and the object, outermost first.
    var containers: [AnyClass] = []
    /// Types of the controllers that a container holds.
    var children: [AnyClass] = []
}

/// A reference that does not retain its object.
///
/// The weak reference is a property of a class: on Apple's systems, copying a weak reference retains the object for a moment,
/// and copies are made while the lock is held.
final class WeakSubject: Subject, @unchecked Sendable {
    // `Sendable` is unchecked: `object` is written only by `init`; the runtime reads a weak reference atomically.
    private(set) weak var object: AnyObject?
    /// The identity of the object, whether it still exists or not.
    let identity: ObjectIdentifier

    init(_ object: AnyObject) {
        self.object = object
        identity = ObjectIdentifier(object)
    }

    /// The identity of the object while it exists; else `nil`.
    var livingIdentity: ObjectIdentifier? { object == nil ? nil : identity }

    func readState() -> ObjectState { livingIdentity.map { .retained($0) } ?? .gone }

    func description(in context: ExpectationContext) -> ObjectDescription {
        ObjectDescription(type: context.type, owners: context.path)
    }
}

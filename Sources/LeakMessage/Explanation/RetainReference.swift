/// One strong reference of a path to an object.
public struct RetainReference: Hashable, Sendable {
    /// The kind of memory that holds the reference.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A stored property.
        case property
        /// An element of an array, dictionary or set, or a key of a dictionary.
        case element
        /// The payload of an enum case.
        case enumPayload = "enum_payload"
        /// A capture of a closure.
        case closureCapture = "closure_capture"
        /// A reference of a task that has not ended: a capture of its start function, or a value in the frames of suspended functions.
        case task
        /// A capture of a block, such as a block that Dispatch keeps.
        case block
        /// A global or static variable.
        case global
        /// Memory of a library, such as the handlers that Dispatch keeps.
        case opaque
    }

    /// The type that holds the reference, qualified with its module: `Shop.CartViewModel`. Owners without a type are `closure`,
    /// `block`, `Task` and `async frames`, and for a global or static variable `global`.
    public var owner: String
    /// The property, with `[*]` for any element, such as `children[*].parent` or `state(.loaded).0`; empty for captures.
    ///
    /// The field never contains values, keys of dictionaries or indices of elements.
    public var field: String
    /// The kind of memory that holds the reference.
    public var kind: Kind
    /// `true` if the reference was found by searching memory of unknown layout, so that the found bytes may not be a reference.
    public var isSuspected: Bool
    /// `true` if the reference is to the context of a closure, so that a closure is between the owner and the next type.
    public var isClosure: Bool

    /// Creates a reference; see the properties of the same names.
    public init(
        owner: String, field: String, kind: Kind, isSuspected: Bool = false, isClosure: Bool = false
    ) {
        self.owner = owner
        self.field = field
        self.kind = kind
        self.isSuspected = isSuspected
        self.isClosure = isClosure
    }
}

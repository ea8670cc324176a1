/// Stand-in for associated objects of Objective-C's runtime: an object keeps other objects under keys.
@MainActor
open class Associating {
    fileprivate var associated: [UInt: Any] = [:]

    public init() {}
}

public enum objc_AssociationPolicy {
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC
}

@MainActor
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    (object as? Associating)?.associated[UInt(bitPattern: key)]
}

@MainActor
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    (object as? Associating)?.associated[UInt(bitPattern: key)] = value
}

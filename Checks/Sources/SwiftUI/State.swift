public import Combine

/// State that a view's identity keeps while values of the view come and go.
@MainActor
protocol KeptState {
    /// Takes over the object that the graph keeps for this state, if there is one.
    ///
    /// - Returns: the object to keep from now on.
    func restore(from kept: AnyObject?) -> AnyObject
}

@MainActor
@propertyWrapper
public struct State<Value>: KeptState {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private final class Link {
        var box: Box
        init(_ box: Box) { self.box = box }
    }

    private let link: Link

    public init(wrappedValue: Value) { link = Link(Box(wrappedValue)) }
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    public var wrappedValue: Value {
        get { link.box.value }
        nonmutating set { link.box.value = newValue }
    }

    func restore(from kept: AnyObject?) -> AnyObject {
        if let kept = kept as? Box { link.box = kept }
        return link.box
    }
}

/// The object is made once, when the view is shown for the first time.
@MainActor
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: KeptState {
    private final class Link {
        var object: ObjectType?
    }

    private let link = Link()
    private let make: () -> ObjectType

    public init(wrappedValue make: @autoclosure @escaping () -> ObjectType) { self.make = make }

    public var wrappedValue: ObjectType { link.object ?? make() }

    func restore(from kept: AnyObject?) -> AnyObject {
        let object = kept as? ObjectType ?? make()
        link.object = object
        return object
    }
}

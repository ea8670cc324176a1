// The functions of Objective-C's runtime that the hooks call, for the type checker only.

public struct Selector {
    private let name: OpaquePointer
    public init(_ name: String) { fatalError("never run") }
    public var description: String { fatalError("never run") }
}

public struct ObjCBool {
    var value: Bool
    public var boolValue: Bool { value }
}

public func _convertBoolToObjCBool(_ value: Bool) -> ObjCBool { ObjCBool(value: value) }
public func _convertObjCBoolToBool(_ value: ObjCBool) -> Bool { value.value }

public typealias Method = OpaquePointer
public typealias IMP = OpaquePointer

public func class_getInstanceMethod(_ type: AnyClass?, _ selector: Selector) -> Method? { nil }
public func class_respondsToSelector(_ type: AnyClass?, _ selector: Selector) -> Bool { false }
public func class_getMethodImplementation(_ type: AnyClass?, _ selector: Selector) -> IMP? { nil }
public func object_getClass(_ object: Any?) -> AnyClass? { nil }
public func method_getImplementation(_ method: Method) -> IMP { method }
public func method_exchangeImplementations(_ one: Method, _ other: Method) {}
public func method_getTypeEncoding(_ method: Method) -> UnsafePointer<CChar>? { nil }
public func imp_implementationWithBlock(_ block: Any) -> IMP { fatalError("never run") }
public func class_replaceMethod(
    _ type: AnyClass?, _ selector: Selector, _ implementation: IMP, _ types: UnsafePointer<CChar>?
) -> IMP? { nil }

/// A property whose value should go when its owner goes, or when another value takes its place.
///
/// ```swift
/// final class CartScreen {
///     @Deallocating var model = CartModel()
/// }
/// struct CartView: View {
///     @StateObject @Deallocating var model = CartModel()
/// }
/// ```
///
/// In a SwiftUI view it belongs into `@StateObject` or `@State`: alone it would be made anew with each value of the view.
/// There a value that takes the place of another is not noticed by SwiftUI: it listens to the one it began with.
@propertyWrapper
@dynamicMemberLookup
public final class Deallocating<Value: AnyObject> {
    public var wrappedValue: Value {
        didSet { if oldValue !== wrappedValue { expect(oldValue, reason: "replaced") } }
    }

    public var projectedValue: Deallocating<Value> { self }

    private let detector: LeakDetector?
    private let seconds: Double?
    private let path: [String]
    private let reason: String?
    private let file: StaticString
    private let line: UInt

    /// - Parameters:
    ///   - seconds: the grace period; `nil` for the usual one.
    ///   - path: names of the owners, outermost first.
    ///   - reason: why the value should go.
    ///   - detector: `nil` is the shared one, ``LeakDetector/shared``, once it was started.
    public init(
        wrappedValue: Value, after seconds: Double? = nil, path: [String] = [],
        reason: String? = "owner deallocated", detector: LeakDetector? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.wrappedValue = wrappedValue
        self.seconds = seconds
        self.path = path
        self.reason = reason
        self.detector = detector
        self.file = file
        self.line = line
    }

    deinit { expect(wrappedValue, reason: reason) }

    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member {
        wrappedValue[keyPath: member]
    }

    public subscript<Member>(dynamicMember member: ReferenceWritableKeyPath<Value, Member>) -> Member {
        get { wrappedValue[keyPath: member] }
        set { wrappedValue[keyPath: member] = newValue }
    }

    private func expect(_ value: Value, reason: String?) {
        (detector ?? .shared)?.expectDeallocation(
            of: value, after: seconds, path: path, reason: reason, file: file, line: line)
    }
}

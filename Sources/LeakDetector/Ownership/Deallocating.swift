internal import LeakPlatform

extension LeakDetector {
    /// A property whose value should be deallocated when its owner is, or when another value replaces it.
    ///
    /// ```swift
    /// final class CartScreen {
    ///     @Deallocating var model = CartModel()
    /// }
    /// struct CartView: View {
    ///     @StateObject @Deallocating var model = CartModel()
    /// }
    /// @Observable final class CartStore {
    ///     @ObservationIgnored @Deallocating var model = CartModel()
    /// }
    /// ```
    ///
    /// In a SwiftUI view, use it inside `@StateObject` or `@State`: without them, a new wrapper would be created with each value of
    /// the view. SwiftUI does not notice when the wrapped value is replaced: it observes the first value only.
    ///
    /// In an `@Observable` class it needs `@ObservationIgnored`: the macro turns each stored property into a computed one, and a
    /// computed property cannot have a wrapper. Changes inside an observable value are still observed.
    ///
    /// A value that has several owners (wrappers or ``LeakWatcher``s) should be deallocated when its last owner is. Assigning a value
    /// withdraws earlier expectations of it, as ``LeakDetector/cameBack(_:)`` does. A value that was never read counts as a check only
    /// if it stays, since SwiftUI makes wrappers that it throws away unused.
    @propertyWrapper
    @dynamicMemberLookup
    public final class Deallocating<Value: AnyObject> {
        /// The value. Assigning another value expects the previous value to be deallocated.
        public var wrappedValue: Value {
            get {
                isAccessed.with { $0 = true }
                return value
            }
            set {
                isAccessed.with { $0 = true }
                guard newValue !== value else {
                    detector?.cameBack(newValue)
                    return
                }
                let old = (value: value, owned: owned)
                value = newValue
                owned = addHolder()
                expectDeallocation(of: old.value, old.owned, reason: "replaced", isAccessed: true)
            }
        }

        /// The wrapper itself.
        public var projectedValue: Deallocating<Value> { self }

        private var value: Value
        /// The entry of the value among the owned objects; `nil` if there was no detector when the value was assigned.
        private var owned: (all: OwnedObjects, entry: OwnedObjects.OwnerCounts)?
        /// `true` once the value was read or assigned. Guarded, since a property of a class may be read from several threads at once.
        private let isAccessed = Guarded(false)
        private let givenDetector: LeakDetector?
        private let seconds: Double?
        private let path: [String]
        private let reason: String?
        private let file: StaticString
        private let line: UInt

        /// Makes a wrapper of a value.
        ///
        /// - Parameters:
        ///   - seconds: the grace period; `nil` for the usual grace period.
        ///   - path: names of the owners, outermost first.
        ///   - reason: the reason why the value should be deallocated.
        ///   - detector: `nil` uses the shared detector, ``LeakDetector/shared``, once it was started.
        public init(
            wrappedValue: Value, after seconds: Double? = nil, path: [String] = [],
            reason: String? = "owner deallocated", detector: LeakDetector? = nil,
            file: StaticString = #fileID,
            line: UInt = #line
        ) {
            value = wrappedValue
            self.seconds = seconds
            self.path = path
            self.reason = reason
            givenDetector = detector
            self.file = file
            self.line = line
            owned = addHolder()
        }

        deinit { expectDeallocation(of: value, owned, reason: reason, isAccessed: isAccessed.with { $0 }) }

        /// Reads a property of the value.
        public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member {
            wrappedValue[keyPath: member]
        }

        /// Reads or changes a property of the value.
        public subscript<Member>(dynamicMember member: ReferenceWritableKeyPath<Value, Member>) -> Member {
            get { wrappedValue[keyPath: member] }
            set { wrappedValue[keyPath: member] = newValue }
        }

        private var detector: LeakDetector? { givenDetector ?? .shared }

        /// Makes this wrapper an owner of its value.
        private func addHolder() -> (all: OwnedObjects, entry: OwnedObjects.OwnerCounts)? {
            guard let detector else { return nil }
            let value = value
            return (detector.owned, detector.owned.addHolder(of: value) { detector.cameBack(value) })
        }

        private func expectDeallocation(
            of value: Value, _ owned: (all: OwnedObjects, entry: OwnedObjects.OwnerCounts)?, reason: String?,
            isAccessed: Bool
        ) {
            let expect = { [seconds, path, file, line] (detector: LeakDetector) in
                detector.expect(
                    value,
                    ExpectationContext(
                        type: type(of: value), path: path, reason: reason, file: file, line: line,
                        isPart: !isAccessed),
                    after: seconds)
            }
            let detector = detector
            if let owned {
                owned.all.removeHolder(from: owned.entry) { if let detector { expect(detector) } }
            } else if let detector {
                detector.owned.ifNotOwned(value) { expect(detector) }
            }
        }
    }
}

/// ``LeakDetector/LeakDetector/Deallocating`` without the name of the detector.
public typealias Deallocating = LeakDetector.Deallocating

#if canImport(Combine)
    public import Combine

    extension Deallocating: ObservableObject where Value: ObservableObject {
        public var objectWillChange: Value.ObjectWillChangePublisher { wrappedValue.objectWillChange }
    }
#endif

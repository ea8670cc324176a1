#if canImport(Combine)
    public import Combine

    extension LeakDetector.Deallocating: ObservableObject where Value: ObservableObject {
        /// The publisher of the current value.
        public var objectWillChange: Value.ObjectWillChangePublisher { wrappedValue.objectWillChange }
    }
#endif

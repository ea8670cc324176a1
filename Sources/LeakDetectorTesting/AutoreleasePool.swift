#if canImport(ObjectiveC)
    internal import ObjectiveC

    /// Runs a block and releases the objects that Objective-C autoreleased in it, which would live until the test returns.
    func withAutoreleasePool<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try autoreleasepool { Result(catching: body) }.get()
    }
#else
    /// Runs a block; without Objective-C nothing is autoreleased.
    func withAutoreleasePool<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }
#endif

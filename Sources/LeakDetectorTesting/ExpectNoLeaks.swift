#if canImport(Testing) || canImport(XCTest)
    /// Runs a block and fails the test if objects that were tracked in it stay in memory after it.
    ///
    /// ```swift
    /// @Test func `a cart is freed with its screen`() async throws {
    ///     try await expectNoLeaks { leaks in
    ///         let model = leaks.track(CartModel())
    ///         await model.load()
    ///     }
    /// }
    /// ```
    ///
    /// Works with Swift Testing and XCTest. A call of ``TrackedObjects/track(_:fileID:filePath:line:column:)`` whose objects stay
    /// in memory gives one failure for each of their classes, at the line of the call. A block that tracked nothing and threw
    /// nothing also fails, since it proves nothing.
    ///
    /// - Parameters:
    ///   - seconds: the time that objects have to be deallocated after the block, for example by a task that ends; 0 gives them no
    ///     time. A test whose objects are deallocated does not wait.
    ///   - body: makes the objects and releases them. Its errors are rethrown after the check.
    /// - Returns: the result of `body`. It is retained during the check, so return nothing that holds a tracked object.
    public func expectNoLeaks<Value, Failure: Error>(
        within seconds: Double = 1, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column, _ body: (TrackedObjects) async throws(Failure) -> sending Value
    ) async throws(Failure) -> sending Value {
        let tracked = TrackedObjects()
        let result: Value
        do {
            result = try await body(tracked)
        } catch {
            await tracked.waitSuspended(within: seconds)
            tracked.recordSurvivors(after: .block, within: seconds)
            throw error
        }
        await tracked.waitSuspended(within: seconds)
        tracked.recordSurvivors(after: .block, within: seconds)
        tracked.recordIfEmpty(
            at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
        return result
    }

    /// Runs a block that does not wait, and fails the test if objects that were tracked in it stay in memory after it.
    ///
    /// It blocks its thread while objects still exist, `seconds` at most. In an `async` test the compiler takes the `async`
    /// form and asks for `await`, which lets the test's actor continue meanwhile. On the main actor under Swift Testing, no
    /// task of the main actor runs until this function returns: use the `async` form for objects that such a task frees.
    ///
    /// - Parameters:
    ///   - seconds: the time that objects have to be deallocated after the block; 0 gives them no time.
    ///   - body: makes the objects and releases them. Its errors are rethrown after the check.
    /// - Returns: the result of `body`. It is retained during the check, so return nothing that holds a tracked object.
    // Without this attribute, a block without `await` would block its thread in an async test as well.
    @_disfavoredOverload
    public func expectNoLeaks<Value, Failure: Error>(
        within seconds: Double = 1, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        _ body: (TrackedObjects) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let tracked = TrackedObjects()
        defer {
            tracked.wait(within: seconds)
            let isMainActorBlocked = isolation === MainActor.shared && !TestFailure.runsTasksOfMainActor
            tracked.recordSurvivors(
                after: isMainActorBlocked ? .blockOnMainActor : .block, within: seconds)
        }
        let result = try withAutoreleasePool { () throws(Failure) in try body(tracked) }
        tracked.recordIfEmpty(
            at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
        return result
    }

    extension TrackedObjects {
        /// Fails the test for all objects that still exist.
        func recordSurvivors(after scope: Survivors.Scope, within seconds: Double) {
            for survivors in survivors {
                TestFailure.record(survivors.message(after: scope, within: seconds), at: survivors.place)
            }
        }

        fileprivate func recordIfEmpty(at place: TestLocation) {
            guard isEmpty else { return }
            TestFailure.record(
                "expectNoLeaks tracked no object: pass each object that must be deallocated to `track`.",
                at: place)
        }
    }
#endif

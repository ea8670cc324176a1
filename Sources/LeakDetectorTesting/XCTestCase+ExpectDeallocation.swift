#if canImport(XCTest)
    public import XCTest

    extension XCTestCase {
        /// Expects an object to be deallocated after the test method, and fails the test if it is not.
        ///
        /// ```swift
        /// func makeCart() -> CartModel { expectDeallocation(of: CartModel()) }
        /// ```
        ///
        /// The check runs in a teardown block: after the test method and after blocks that were added later, but before
        /// `tearDown()`. So an object that a property of the test case holds fails the test.
        ///
        /// - Parameter seconds: the time that the object has to be deallocated after the test; 0 gives it no time. If it is
        ///   deallocated, the test does not wait.
        /// - Returns: the object.
        @discardableResult
        public func expectDeallocation<Object: AnyObject>(
            of object: Object, within seconds: Double = 1, fileID: StaticString = #fileID,
            filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
        ) -> Object {
            let tracked = TrackedObjects()
            tracked.track(
                object, at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
            addTeardownBlock { () async in
                await tracked.waitSuspended(within: seconds)
                tracked.recordSurvivors(after: .test, within: seconds)
            }
            return object
        }
    }
#endif

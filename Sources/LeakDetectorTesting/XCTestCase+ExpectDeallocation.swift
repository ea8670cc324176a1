#if canImport(XCTest)
    public import XCTest

    extension XCTestCase {
        /// Says that an object must be gone after the test method, and fails the test if it is not.
        ///
        /// ```swift
        /// func makeCart() -> CartModel { expectDeallocation(of: CartModel()) }
        /// ```
        ///
        /// It is looked for in a teardown block: after the test method and after blocks that were added later, but before
        /// `tearDown()`. What a property of the test case holds therefore counts as still there.
        ///
        /// - Parameter seconds: how long it may take to go after the test; 0 for at once. When it is gone, nothing waits.
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

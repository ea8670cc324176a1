#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

#if canImport(Testing) || canImport(XCTest)
    /// Functions that fail the running test, in Swift Testing and in XCTest.
    enum TestFailure {
        /// `true` if a test that waits on the main actor lets other tasks of the main actor run. XCTest does, because it calls tests
        /// from the main run loop. Swift Testing does not, because it calls them from a task of the main actor.
        static var runsTasksOfMainActor: Bool {
            #if canImport(Testing)
                return Test.current == nil
            #else
                return true
            #endif
        }

        /// Fails the running test with a message at a source location.
        static func record(_ message: String, at place: TestLocation) {
            #if canImport(Testing)
                let location = Testing.SourceLocation(
                    fileID: place.fileID.description, filePath: place.filePath.description,
                    line: Int(place.line), column: Int(place.column))
                Issue.record(Comment(rawValue: message), sourceLocation: location)
                guard Test.current == nil else { return }
            #endif
            // Either XCTest runs, or a task without a link to its Swift Testing test, such as a detached task. No public API
            // distinguishes these cases, so both frameworks get the failure, and the framework that does not run drops it.
            #if canImport(XCTest)
                XCTFail(message, file: place.filePath, line: place.line)
            #endif
        }
    }
#endif

/// A source location in a test, with the parts that the test frameworks require.
struct TestLocation: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt
}

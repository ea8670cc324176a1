#if os(Linux)
    import Foundation
    import Testing

    /// Failures as XCTest shows them. XCTest cannot expect failures on Linux, so the tests of ``LeakingOnDemandCases``
    /// run in a separate process, where they leak.
    @Suite struct XCTestFailureTests {
        private static let tracked = "LeakDetectorTestingTests.Screen tracked here"

        @Test(arguments: [
            ("testTracking", ["The instance of \(tracked) is still in memory 0.01 s after the test"]),
            ("testTrackingInAnAsyncTest", ["The instance of LeakDetectorTestingTests.Sheet tracked here is"]),
            ("testAPropertyOfTheTestCase", ["The instance of \(tracked) is", "a property of the test case"]),
            ("testABlock", ["2 of 3 instances of \(tracked) are still in memory 0.01 s after the block"]),
            ("testAnAsyncBlock", ["The instance of LeakDetectorTestingTests.Sheet tracked here is"]),
            ("testADetachedTask", ["The instance of \(tracked) is"]),
        ])
        func `the failure of an XCTest case that leaks contains class, count and source line`(
            name: String, words: [String]
        ) throws {
            let run = try LeaksOnDemand.run([
                "--testing-library", "xctest", "LeakDetectorTestingTests.LeakingOnDemandCases/\(name)",
            ])
            #expect(run.code != 0)
            let failures = run.output.split(separator: "\n").filter { $0.contains(": error: ") }
            try #require(failures.count == 1, "\(run.output)")
            let line = try Self.lineOfTracking(in: name)
            let place = "XCTestCases.swift:\(line): error: LeakingOnDemandCases.\(name) : failed - "
            #expect(failures[0].contains(place), "\(failures[0])")
            for word in words { #expect(failures[0].contains(word)) }
        }

        /// Returns the number of the first line in which a test case tracks an object.
        private static func lineOfTracking(in name: String) throws -> Int {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("XCTestCases.swift")
            let lines = try String(contentsOf: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let start = try #require(lines.firstIndex { $0.contains("func \(name)(") })
            let calls = ["expectDeallocation(of:", ".track("]
            let isCall = { (line: Substring) in calls.contains { line.contains($0) } }
            return try #require(lines[start...].firstIndex(where: isCall)) + 1
        }
    }
#endif

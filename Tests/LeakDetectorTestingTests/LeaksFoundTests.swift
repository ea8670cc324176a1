import Foundation
import LeakDetectorTesting
import Testing
import LeakPlatform

/// Failures in Swift Testing: their location and their text.
@Suite struct LeaksFoundTests {
    private struct Offline: Error {}

    /// Not async, so that it uses the blocking overload.
    private static func throwing() {
        #expect(throws: Offline.self) {
            try expectNoLeaks(within: 0) { leaks in
                leaks.track(Screen()).leak()
                throw Offline()
            }
        }
    }

    /// Returns `true` if `issue` is recorded at `line` of this file and begins with `words`.
    private func isIssue(_ issue: Issue, _ line: Int, _ words: String) -> Bool {
        issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
            && issue.comments.map(\.rawValue).contains { $0.hasPrefix(words) }
    }

    @Test func `a leak fails the test where the object was tracked`() {
        let line = #line + 3
        withKnownIssue {
            expectNoLeaks(within: 0.01) { leaks in
                leaks.track(Screen()).leak()
            }
        } matching: {
            isIssue(
                $0, line,
                "The instance of LeakDetectorTestingTests.Screen tracked here is still in memory 0.01 s after"
            )
        }
    }

    @Test @MainActor
    func `the failure of a test that blocks the main actor suggests the async form of expectNoLeaks`() {
        withKnownIssue {
            expectNoLeaks(within: 0.01) { leaks in
                let screen = leaks.track(Screen())
                Task { @MainActor in withExtendedLifetime(screen) {} }
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("write `await expectNoLeaks`.") }
        }
    }

    @Test func `the failure of a test on another thread does not suggest the async form of expectNoLeaks`()
        async
    {
        let words = await recorded {
            func leakBlocking() { expectNoLeaks(within: 0) { leaks in leaks.track(Screen()).leak() } }
            leakBlocking()
        }
        #expect(words.count == 1)
        #expect(!words.contains { $0.contains("async") })
    }

    @Test func `a leak in an async block fails the test where the object was tracked`() async {
        let line = #line + 3
        await withKnownIssue {
            await expectNoLeaks(within: 0) { leaks in
                let screen = leaks.track(Screen())
                await Task.yield()
                screen.leak()
            }
        } matching: {
            isIssue(
                $0, line,
                "The instance of LeakDetectorTestingTests.Screen tracked here is still in memory 0 s after")
        }
    }

    @Test func `one failure says how many of the objects tracked in one line have leaked`() async throws {
        let issues = await recorded {
            await expectNoLeaks(within: 0) { leaks in
                for number in 0..<3 {
                    let screen = leaks.track(Screen())
                    if number > 0 { screen.leak() }
                }
            }
        }
        try #require(issues.count == 1)
        #expect(issues[0].hasPrefix("2 of 3 instances of LeakDetectorTestingTests.Screen tracked here are"))
    }

    @Test func `each class and source line with leaked objects gives a separate failure`() async {
        let issues = await recorded {
            await expectNoLeaks(within: 0) { leaks in
                leaks.track(Screen()).leak()
                leaks.track(Sheet()).leak()
                leaks.track(Sheet()).leak()
            }
        }
        let classes = issues.map { $0.split(separator: " ")[3] }
        #expect(
            classes == [
                "LeakDetectorTestingTests.Screen", "LeakDetectorTestingTests.Sheet",
                "LeakDetectorTestingTests.Sheet",
            ])
    }

    @Test func `leaks of an expectNoLeaks block that throws are found too, and its error is rethrown`() async
    {
        let sync = await recorded {
            Self.throwing()
        }
        #expect(sync.count == 1)
        let async = await recorded {
            await #expect(throws: Offline.self) {
                try await expectNoLeaks(within: 0) { leaks in
                    leaks.track(Screen()).leak()
                    await Task.yield()
                    throw Offline()
                }
            }
        }
        #expect(async.count == 1)
    }

    @Test @MainActor func `a leak on the main actor is found`() async {
        let issues = await recorded {
            await expectNoLeaks(within: 0) { leaks in
                let screen = leaks.track(MainScreen())
                await screen.load()
                screen.child = screen
            }
        }
        #expect(issues.count == 1)
    }

    @Test func `an object that is held by a task which does not end fails the test`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let issues = await recorded {
            await expectNoLeaks(within: 0.05) { leaks in
                let upload = leaks.track(Upload())
                Task.detached { for await _ in stream { withExtendedLifetime(upload) {} } }
            }
        }
        continuation.finish()
        #expect(issues.count == 1)
    }

    @Test func `an object that the block of expectNoLeaks returns counts as a leak`() async {
        let issues = await recorded { _ = await expectNoLeaks(within: 0) { $0.track(Screen()) } }
        #expect(issues.count == 1)
    }

    @Test func `expectNoLeaks fails at its own line if its block tracks no object`() {
        let line = #line + 2
        withKnownIssue {
            expectNoLeaks { _ in }
        } matching: {
            isIssue($0, line, "expectNoLeaks tracked no object")
        }
    }

    /// The object leaks only in a process that ``LeaksOnDemand`` started. The test cannot expect the issue itself, because a
    /// detached task does not know its test.
    @Test func `a detached task leaks an object if an environment variable requests it`() async {
        await Task.detached {
            await expectNoLeaks(within: 0) { leaks in
                let screen = leaks.track(Screen())
                if LeaksOnDemand.isRequested { screen.leak() }
            }
        }.value
    }

    #if os(Linux)
        @Test func `a leak in a detached task fails the test run`() throws {
            let run = try LeaksOnDemand.run([
                "--testing-library", "swift-testing", "--filter",
                "a detached task leaks an object if an environment variable requests it",
            ])
            #expect(run.code != 0)
            let words = "The instance of LeakDetectorTestingTests.Screen tracked here is still in memory"
            #expect(run.output.components(separatedBy: words).count == 2, "\(run.output)")
        }
    #endif

    /// Returns the texts of the issues that `body` records, each of which is expected.
    private func recorded(
        isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
    ) async -> [String] {
        let words = Guarded<[String]>([])
        // The caller checks the recorded texts, and so decides whether an issue must exist.
        await withKnownIssue(isIntermittent: true) {
            await body()
        } matching: { issue in
            words.with { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return words.with { $0 }
    }
}

import LeakMessage
import Dispatch
import RetainScenarios
import Testing

@testable import RetainPaths

/// The finder that the tests share; `nil` if its self-test fails in this build.
enum TestFinder {
    static let shared = RetainPathFinder()
}

/// Runs code that waits for tasks on a separate thread, because the threads that run tests also run those tasks.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "scenario").async { continuation.resume(returning: body()) }
    }
}

@Suite(.serialized) struct ScenarioTests {
    private let finder: RetainPathFinder

    init() throws { finder = try #require(TestFinder.shared) }

    @Test(arguments: RetainScenario.cycles.filter { $0.expectedPath != nil } + RetainScenario.realCode)
    func `the cycle of each scenario is found`(scenario: RetainScenario) async {
        let result = await onOwnThread { [finder] in ScenarioResult(scenario, finder) }
        // The value is at the end of the task's memory. Only the chunks of glibc's allocator show where that is, not those of
        // a sanitizer.
        if scenario.name == "task that ended with self as its value", !Allocator.hasChunkHeaders {
            #expect(result.explanation.confidence != .proven)
            return
        }
        let expected: ScenarioResult.Grade = scenario.isSuspected ? .foundSuspected : .found
        #expect(result.grade == expected, "\(result.explanation)")
        if !scenario.isSuspected {
            #expect(result.explanation.confidence == (scenario.isHeldElsewhere ? .suspected : .proven))
            #expect(result.explanation.unexplainedReferences == 0)
        }
    }

    /// Three scenarios have a reference that cannot be read. The object's reference count shows that it exists.
    @Test(arguments: RetainScenario.cycles.filter { $0.expectedPath == nil })
    func `a reference that cannot be read is counted as unexplained`(scenario: RetainScenario) async {
        let result = await onOwnThread { [finder] in ScenarioResult(scenario, finder) }
        #expect(result.grade == .nothing)
        #expect(result.explanation.unexplainedReferences == 1)
    }

    @Test(arguments: RetainScenario.negatives)
    func `no cycle is reported for an object that is in no cycle`(scenario: RetainScenario) async {
        let result = await onOwnThread { [finder] in ScenarioResult(scenario, finder) }
        #if DEBUG
            // The frame still contains the address of an object that the task has released. The global variables of all
            // tests lead to many objects, so the search may reach its limit before it finds the variable that keeps the
            // object. `HolderTests` tests this search in a separate process.
            if scenario.name == "held by a global, task that releases self before each await" {
                #expect(result.explanation.confidence != .proven)
                return
            }
        #endif
        #expect(result.grade == .nothing, "\(result.explanation)")
        // Without optimization the frames of suspended functions may hold one object twice.
        let counts = scenario.truth == .held ? 1...2 : 0...0
        #expect(counts.contains(result.explanation.unexplainedReferences))
    }

    @Test(arguments: RetainScenario.heldCycles)
    func `no cycle is proven if something outside holds a part of it`(scenario: RetainScenario) async {
        let result = await onOwnThread { [finder] in
            ScenarioResult(scenario, finder, timeout: .zero)
        }
        #expect(result.explanation.path?.description == scenario.expectedPath)
        #expect(result.explanation.confidence == .suspected)
        // All references to the object itself are known.
        #expect(result.explanation.unexplainedReferences == 0)
    }

    @Test func `there are 68 scenarios of cycles, 39 without a cycle, and at least twenty from real code`() {
        #expect(RetainScenario.cycles.count == 68)
        #expect(RetainScenario.negatives.count == 39)
        #expect(RetainScenario.realCode.count >= 20)
    }
}

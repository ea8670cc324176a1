import LeakCauses
import LeakMessage
import RetainScenarios
import Testing

@testable import RetainPaths

/// Causes recognized on paths that the finder itself has found.
@Suite(.serialized) struct CauseTests {
    /// The scenarios of each cause. Other scenarios have no cause.
    private static let scenarios: [String: [String]] = [
        "stored_closure": [
            "closure property captures self", "closure captures self and a number",
            "closure that is not optional captures two objects", "closure with arguments",
            "reference to a method of self", "async throwing closure", "lazy closure that was called",
            "captured variable", "closure of a generic function, class argument",
            "closure of a generic function, struct argument", "local function that calls itself",
            "field of a superclass", "closure property of an actor", "closure in the payload of an enum",
            "property wrapper that is a struct", "generic class of a closure", "closure of a generic class",
            "closure of a generic class of strings", "subclass of NSObject",
            "stored publisher whose transform captures self", "ignored property beside a macro's storage",
            "nested generic types and a generic method", "actor with an isolated deinit", "array of closures",
            "array of closures with arguments", "observer of a key path", "handlers in nested enums",
            "array of existential structs with closures", "undo stack",
            "closure that captures a closure that captures self", "memoized function",
        ],
        "stored_handler": [
            "closure kept by another object", "weak outer closure with a strong inner one",
            "token of a notification center", "property wrapper that is a class",
            "sink of a published property",
            "observable object", "block of a thread that did not start", "sink on a mapped publisher",
            "assignment to a key path of self", "erased sequence", "erased iterator",
            "set of cancellables",
        ],
        "strong_delegate": ["strong delegate, protocol of classes", "strong delegate, any protocol"],
        "strong_parent": [
            "parent and child", "array of children", "value of a dictionary", "ring of six objects",
            "header of a managed buffer",
        ],
        "coordinator_child": ["coordinator that keeps its child"],
        "self_reference": [
            "Any with a large value", "dictionary of delegates", "dictionary of structs",
            "array of arrays of optionals", "slice of an array", "contiguous array",
            "dictionary of any keys and values", "constrained existential", "payload of an enum",
            "payload of an indirect enum", "failure of a result", "error", "optional of an optional",
            "nested tuple", "nested struct", "property of type AnyObject", "mutex",
            "generic class of an optional", "noncopyable struct with a closure",
        ],
        "timer_block": ["block of a timer"],
        "work_item": ["block of a work item", "debounced work item"],
        "operation_block": ["block of an operation"],
        "url_session_delegate": ["delegate of a session"],
        "observation_tracking": ["change handler of an observation registrar"],
        "stream_termination": ["termination handler of a stream"],
        "stored_task": [
            "task that sleeps", "task that polls", "task with weak self that unwraps it once",
            "task with an endless for await", "task deep in nested calls", "for await over an own sequence",
            "continuation that is never resumed, in a stored task", "task group", "async let",
            "task that ended with self as its value", "task of an actor",
        ],
    ]

    private static let cycles = (RetainScenario.cycles + RetainScenario.realCode).filter {
        $0.expectedPath != nil
    }

    @Test func `each scenario with an expected cause exists`() {
        let names = Self.scenarios.values.joined()
        #expect(Set(names).isSubset(of: Self.cycles.map(\.name)))
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: cycles) func `each cycle has the expected cause`(scenario: RetainScenario) async throws {
        let finder = try #require(TestFinder.shared)
        let explanation = await onOwnThread { ScenarioResult(scenario, finder).explanation }
        let cause = explanation.cause
        let expected = Self.scenarios.first { $0.value.contains(scenario.name) }?.key
        #expect(cause?.identifier == expected, "\(explanation.path?.references ?? [])")
        #expect(cause?.isCertain != true || !scenario.isSuspected)
        #expect(finder.advice(on: explanation) == explanation.advice)
    }

    #if os(Linux)
        /// Runs in a separate process, because frames of other tests keep addresses of released objects.
        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `each object that is retained without a cycle has the expected cause`() async {
            await #expect(processExitsWith: .success) {
                let causes: [(name: String, identifier: String)] = [
                    ("held by an observer block of the notification center", "notification_observer"),
                    ("held by a timer of the main run loop", "timer_block"),
                    ("held by a checked continuation that is never resumed", "suspended_function"),
                    ("held by a block that runs later", "dispatch_after"),
                    ("handler of a dispatch source", "dispatch_source"),
                    ("held by the dictionary of a singleton", "static_cache"),
                    ("held by a global, unowned property", "global_variable"),
                ]
                let finder = try #require(RetainPathFinder())
                for (name, identifier) in causes {
                    let scenario = try #require(RetainScenario.all.first { $0.name == name })
                    let explanation = await onOwnThread {
                        ScenarioResult.holder(of: scenario, finder, .heap) {
                            $0.cause?.identifier == identifier
                        }
                    }
                    #expect(
                        explanation.cause?.identifier == identifier, "\(explanation.path?.references ?? [])")
                }
            }
        }
    #endif
}

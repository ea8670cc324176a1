import RetainPath
import RetainScenarios
import Testing

@Suite(.serialized) struct HolderTests {
    private static let inGlobals = RetainScenario.negatives.filter {
        $0.name.hasPrefix("held by a global") || $0.name.contains("singleton")
    }
    private static let held = RetainScenario.negatives.filter { $0.truth == .held }

    private let finder: RetainPathFinder

    // A finder of its own: others would wait for it.
    init() throws { finder = try #require(RetainPathFinder()) }

    private func holder(of scenario: RetainScenario, _ search: HolderSearch) async -> RetainExplanation {
        await onOwnThread { [finder] in ScenarioResult.holder(of: scenario, finder, search) }
    }

    @Test(arguments: inGlobals)
    func `finds the global variable`(scenario: RetainScenario) async throws {
        let explanation = await holder(of: scenario, .globals)
        let path = try #require(explanation.path)
        let expected = try #require(scenario.holder)
        #expect(path.description.hasPrefix("global"))
        #expect(path.description.contains(expected))
        #expect(!path.isCycle)
        #expect(path.references.first?.kind == .global)
        #expect(explanation.confidence == .suspected)
        let kinds: [Holder.Kind] = [.global, .cache]
        #expect(kinds.contains(try #require(explanation.holder).kind))
        let global = try #require(explanation.global)
        #expect(global.offset > 0)
    }

    #if os(Linux)
        @Test(arguments: held)
        func `finds any holder in the heap`(scenario: RetainScenario) async throws {
            let explanation = await holder(of: scenario, .heap)
            let path = try #require(explanation.path)
            let expected = ScenarioResult.normalized(try #require(scenario.holder))
            #expect(ScenarioResult.normalized(path.description).contains(expected))
        }

        @Test(
            arguments: [
                ("held by an observer block of the notification center", Holder.Kind.notificationCenter),
                ("held by a timer of the main run loop", .timer),
                ("held by a checked continuation that is never resumed", .task),
                ("held by a block that runs later", .dispatch),
                ("held by the dictionary of a singleton", .cache),
                ("held by a global, unowned property", .global),
            ])
        func `tells the kind of a holder`(name: String, kind: Holder.Kind) async throws {
            let scenario = try #require(RetainScenario.negatives.first { $0.name == name })
            let explanation = await holder(of: scenario, .heap)
            #expect(explanation.holder?.kind == kind)
        }

        /// Its handler stands in memory of Dispatch, but the block around it can be found.
        @Test func `finds the handler of a dispatch source`() async throws {
            let scenario = try #require(
                RetainScenario.cycles.first { $0.name == "handler of a dispatch source" })
            let object = unsafe Unmanaged.passRetained(scenario.make())
            defer { unsafe object.release() }
            let explanation = unsafe finder.explain(
                UnsafeRawPointer(object.toOpaque()), callerReferences: 1, budget: .thorough, search: .heap)
            #expect(explanation.holder?.kind == .dispatch)
        }
    #endif

    @Test func `a proven cycle is told without a search`() async throws {
        let scenario = try #require(RetainScenario.cycles.first)
        let object = unsafe Unmanaged.passRetained(scenario.make())
        defer { unsafe object.release() }
        let explanation = unsafe finder.explain(
            UnsafeRawPointer(object.toOpaque()), callerReferences: 1, search: [.globals, .heap])
        #expect(explanation.confidence == .proven)
        #expect(explanation.holder == nil)
    }

    @Test func `a variable's address is no part of a fingerprint`() {
        let path = RetainPath(
            references: [
                RetainReference(owner: "global", field: "", kind: .global),
                RetainReference(owner: "Shop.ImageCache", field: "screens[*]", kind: .element),
            ], target: "Shop.Screen", isCycle: false, fullLength: nil, description: "")
        #expect(path.edges == ["global", "Shop.ImageCache.screens[*]"])
    }
}

import Foundation
import LeakMessage
import RetainScenarios
import Testing

@testable import RetainPaths

@Suite(.serialized) struct HolderTests {
    private let finder: RetainPathFinder

    // A separate finder, because other tests would wait for a shared finder.
    init() throws { finder = try #require(RetainPathFinder()) }

    #if os(Linux)
        /// Runs in a separate process, because other tests put the objects of the same scenarios into the same variables.
        @Test func `a global variable that holds an object is found`() async {
            await #expect(processExitsWith: .success) {
                let finder = try #require(RetainPathFinder())
                let inGlobals = RetainScenario.negatives.filter {
                    $0.name.hasPrefix("held by a global") || $0.name.contains("singleton")
                }
                #expect(inGlobals.count > 1)
                for scenario in inGlobals {
                    let explanation = await onOwnThread {
                        ScenarioResult.holder(of: scenario, finder, .globals, timeout: .seconds(120))
                    }
                    let path = try #require(explanation.path, "\(scenario)")
                    let expected = try #require(scenario.expectedHolder)
                    #expect(path.description.hasPrefix("global"))
                    #expect(path.description.contains(expected))
                    #expect(!path.isCycle)
                    #expect(path.references.first?.kind == .global)
                    #expect(explanation.confidence == .suspected)
                    let kinds: [RetainExplanation.Holder.Kind] = [.global, .cache]
                    #expect(kinds.contains(try #require(explanation.holder).kind))
                    #expect(try #require(explanation.global).offset > 0)
                }
            }
        }

        @Test func `a search does not read pages without memory`() throws {
            let count = 16 << 20
            let mapping = unsafe try #require(
                unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            defer { unsafe munmap(mapping, count) }
            #expect(unsafe mapping != MAP_FAILED)
            let scenario = try #require(RetainScenario.negatives.first { $0.truth == .held })
            _ = ScenarioResult.holder(of: scenario, finder, .heap, timeout: .zero)
            var pages = [UInt8](repeating: 0, count: count / 4096)
            #expect(unsafe mincore(mapping, count, &pages) == 0)
            // The search reads whole blocks. A block that overlaps the start or end of this mapping is read too.
            #expect(pages.count { $0 & 1 != 0 } <= 2 * 256)
        }

        @Test
        func
            `a heap search skips regions larger than its limit of bytes, and visits no more bytes than that`()
            throws
        {
            let count = 2 * HeapSearch.visitedByteLimit
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            let mapping = unsafe try #require(unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0))
            defer { unsafe munmap(mapping, count) }
            try #require(unsafe mapping != MAP_FAILED)
            let start = UInt(bitPattern: mapping)
            var search = HeapSearch(target: start)
            #expect(search.scan(excluding: [], in: [start..<(start + UInt(count))]) == 0)
            let quarter = start..<(start + UInt(HeapSearch.visitedByteLimit / 4))
            #expect(
                search.scan(excluding: [], in: Array(repeating: quarter, count: 8))
                    == HeapSearch.visitedByteLimit
            )
        }

        @Test func `a search that has no time finds no holder, and the rest of the explanation is complete`()
            throws
        {
            final class Held {}
            var finder = finder
            (finder.budget, finder.search) = (.thorough, .heap)
            finder.budget.searchTime = .zero
            let reference = unsafe Unmanaged.passRetained(Held())
            let explanation = unsafe finder.explain(
                UnsafeRawPointer(reference.toOpaque()), callerReferences: 0)
            #expect(explanation.path == nil)
            #expect(explanation.unexplainedReferences == 1)
            #expect(explanation.cost?.objects == 1)
            unsafe reference.release()
        }

        /// Runs in a separate process, because frames of other tests keep addresses of released objects.
        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `the holder of each scenario's object is found in the heap`() async {
            await #expect(processExitsWith: .success) {
                let finder = try #require(RetainPathFinder())
                for scenario in RetainScenario.negatives where scenario.truth == .held {
                    // The memory around an object may by chance hide its holder, or look like another holder: about once
                    // in 200 objects on a busy machine. So the test tries up to four objects, with other memory around.
                    let expected = ScenarioResult.normalized(scenario.expectedHolder ?? "")
                    var path = ""
                    for _ in 0..<4 {
                        let explanation = await onOwnThread {
                            ScenarioResult.holder(of: scenario, finder, .heap, timeout: .seconds(30))
                        }
                        path = ScenarioResult.normalized(explanation.path?.description ?? "")
                        if path.contains(expected) { break }
                    }
                    #expect(path.contains(expected), "\(scenario): \(path)")
                }
            }
        }

        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `the kind of the holder is found in each listed scenario`() async {
            await #expect(processExitsWith: .success) {
                let kinds: [(name: String, kind: RetainExplanation.Holder.Kind)] = [
                    ("held by an observer block of the notification center", .notificationCenter),
                    ("held by a timer of the main run loop", .timer),
                    ("held by a checked continuation that is never resumed", .task),
                    ("held by a block that runs later", .dispatch),
                    ("held by the dictionary of a singleton", .cache),
                    ("held by a global, unowned property", .global),
                    // The handler is stored in memory of Dispatch, but the block around it can be found.
                    ("handler of a dispatch source", .dispatch),
                ]
                let finder = try #require(RetainPathFinder())
                for (name, kind) in kinds {
                    let scenario = try #require(RetainScenario.all.first { $0.name == name })
                    let explanation = await onOwnThread {
                        ScenarioResult.holder(of: scenario, finder, .heap, timeout: .seconds(120)) {
                            $0.holder?.kind == kind
                        }
                    }
                    #expect(explanation.holder?.kind == kind, "\(name)")
                }
            }
        }

        /// Runs in a separate process and without the variables of a sanitizer, to stay within the budget.
        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func
            `an address left in a task's frame is not reported as a cycle if a global variable holds the object`()
            async
        {
            await #expect(processExitsWith: .success) {
                let finder = try #require(RetainPathFinder())
                let name = "held by a global, task that releases self before each await"
                let scenario = try #require(RetainScenario.negatives.first { $0.name == name })
                let result = await onOwnThread { ScenarioResult(scenario, finder) }
                #expect(result.grade == .nothing, "\(result.explanation)")
            }
        }

        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `an object that only lies near a dispatch source is not its handler`() async {
            await #expect(processExitsWith: .success) {
                let finder = try #require(RetainPathFinder())
                let scenario = RetainScenario.valueOfItsQueue
                let explanation = await onOwnThread {
                    ScenarioResult.holder(of: scenario, finder, .heap, timeout: .seconds(120)) {
                        $0.path?.description.contains(scenario.expectedHolder ?? "?") == true
                    }
                }
                let path = try #require(explanation.path?.description)
                #expect(
                    path.contains(scenario.expectedHolder ?? "?") && !path.contains("DispatchSource"),
                    "\(path)")
            }
        }
    #endif

    @Test(arguments: [
        ("Foundation.Timer", RetainExplanation.Holder.Kind.timer), ("Shop.Timer", .object),
        ("Foundation.NotificationCenter", .notificationCenter), ("Shop.NotificationBadge", .object),
        ("Shop.ImageCache", .cache), ("Foundation.NSCache<Swift.Int, Shop.Timer>", .cache),
        ("Shop.Box<Shop.ImageCache>", .object), ("block", .dispatch), ("Shop.block", .object),
    ])
    func `the kind of a holder follows from the type of the holder`(
        owner: String, kind: RetainExplanation.Holder.Kind
    ) {
        let path = RetainPath(
            references: [RetainReference(owner: owner, field: "field", kind: .property)],
            target: "Shop.Screen",
            isCycle: false)
        #expect(RetainExplanation.Holder(path).kind == kind)
    }

    @Test func `a proven cycle is reported without a search for a holder`() async throws {
        let scenario = try #require(RetainScenario.cycles.first)
        var finder = finder
        finder.search = [.globals, .heap]
        let object = unsafe Unmanaged.passRetained(scenario.make())
        defer { unsafe object.release() }
        let explanation = unsafe finder.explain(UnsafeRawPointer(object.toOpaque()), callerReferences: 1)
        #expect(explanation.confidence == .proven)
        #expect(explanation.holder == nil)
    }

    @Test func `the address of a global variable is not part of a fingerprint`() {
        let path = RetainPath(
            references: [
                RetainReference(owner: "global", field: "", kind: .global),
                RetainReference(owner: "Shop.ImageCache", field: "screens[*]", kind: .element),
            ], target: "Shop.Screen", isCycle: false)
        #expect(path.edges == ["global", "Shop.ImageCache.screens[*]"])
    }
}

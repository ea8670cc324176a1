import LeakSeededRandom
import Foundation
import LeakMessage
import Synchronization
import Testing
import LeakPlatform

@testable import RetainPaths

/// Explains about ten objects while another thread disconnects and rebuilds them. A walk takes little time, so many walks are
/// possible. `RETAIN_FUZZ_SECONDS` sets how long the test runs, as in ``RandomAddressTests``.
@Suite(.serialized) struct SmallGraphTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["RETAIN_FUZZ_SECONDS"].flatMap { Double($0) } ?? 1

    /// Two finders walk at the same time, because a change of the graph takes less time than a walk.
    @Test func `a search of ten objects that change causes no crash`() throws {
        let finders = try (0..<2).map { _ in try #require(RetainPathFinder()) }
        let graph = SmallGraph()
        graph.start(seed: UInt64.random(in: 1...UInt64.max))
        defer { graph.stop() }
        let root = unsafe UInt(bitPattern: Unmanaged.passUnretained(graph.root).toOpaque())
        let total = Guarded(WalkCounts())
        let end = ContinuousClock.now + .seconds(Self.seconds)
        DispatchQueue.concurrentPerform(iterations: finders.count) { index in
            // On a busy machine the thread that changes the graph may not have begun before `end`.
            while ContinuousClock.now < end || total.with({ $0.whileChanged == 0 }) {
                let counts = Self.explain(root, of: graph, finders[index])
                let sum = total.with { total in
                    total.add(counts)
                    return total
                }
                // Shows the progress of a long run that is ended from outside.
                if sum.walks % 1_000_000 == 0 { print(sum) }
            }
        }
        let sum = total.with { $0 }
        print(sum)
        #expect(sum.withoutObject == 0)
    }

    /// Explains the first object 1,000 times.
    private static func explain(
        _ root: UInt, of graph: SmallGraph, _ finder: RetainPathFinder
    ) -> WalkCounts {
        var counts = WalkCounts()
        for _ in 0..<1_000 {
            let changes = graph.changes.load(ordering: .relaxed)
            finder.withWalker { walker in
                // The reference that the graph itself holds is passed as the caller's reference: if it is the only reference,
                // one walk is enough for an explanation.
                let explanation = walker.explanation(root, callerReferences: 1, budget: .release)
                if explanation.type.isEmpty { counts.withoutObject += 1 }
                counts.objects += walker.graph.nodes.count
            }
            counts.walks += 1
            if graph.changes.load(ordering: .relaxed) != changes { counts.whileChanged += 1 }
        }
        return counts
    }
}

private struct WalkCounts: CustomStringConvertible {
    var walks = 0
    var objects = 0
    /// Walks during which the graph was changed.
    var whileChanged = 0
    /// Walks that did not find the first object.
    var withoutObject = 0

    mutating func add(_ other: WalkCounts) {
        walks += other.walks
        objects += other.objects
        whileChanged += other.whileChanged
        withoutObject += other.withoutObject
    }

    var description: String {
        "\(walks) walks, \(whileChanged) of them while the graph changed, \(objects / max(walks, 1)) objects each"
    }
}

private final class SmallGraph: @unchecked Sendable {
    final class Node: @unchecked Sendable {
        var children: [Node] = []
        var byNumber: [Int: Node] = [:]
        var callback: (() -> Void)?
        var anything: Any?
        var nested = Nested.none
        var error: (any Error)?
        weak var parent: Node?
    }
    enum Nested {
        case none
        case one(Node)
        indirect case two(Nested, String)
    }
    struct Failure: Error { var node: Node }

    let root = Node()
    /// The number of changes so far.
    let changes = Atomic(0)
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter seed: not 0.
    func start(seed: UInt64) {
        DispatchQueue(label: "mutator").async { [self] in
            var generator = SeededRandom(seed: seed)
            while !isStopped.load(ordering: .relaxed) {
                change(&generator)
                changes.add(1, ordering: .relaxed)
            }
            done.signal()
        }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        done.wait()
    }

    private func change(_ generator: inout SeededRandom) {
        let node = Node()
        node.parent = root
        switch generator.next() % 10 {
        case 0:
            root.children.append(node)
            if root.children.count > 4 { root.children.removeFirst(3) }
        case 1: root.byNumber[Int(generator.next() % 3)] = node
        case 2: root.byNumber = [:]
        case 3: root.callback = { use(node) }
        case 4:
            let number = Int(generator.next() % 9)
            root.callback = { [weak node] in use((node, number)) }
        case 5: root.anything = (1, node, "text \(generator.next())")
        case 6: root.anything = node
        case 7: root.nested = .two(.one(node), "text \(generator.next())")
        case 8: root.error = Failure(node: node)
        default:
            root.children.last?.anything = node
            root.error = nil
        }
    }
}

@inline(never) private func use<T>(_ value: T) {}

import Foundation
import LeakMessage
import Synchronization
import Testing

@testable import RetainPaths

/// Some ten objects that another thread takes apart and builds anew while they are explained, so that a walk takes little time
/// and many can be made: `RETAIN_FUZZ_SECONDS`, as in ``RandomAddressTests``.
@Suite(.serialized) struct SmallGraphTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["RETAIN_FUZZ_SECONDS"].flatMap { Double($0) } ?? 1

    @Test func `survives ten objects that change`() throws {
        let finder = try #require(RetainPathFinder())
        let graph = SmallGraph()
        graph.start(seed: UInt64.random(in: 1...UInt64.max))
        defer { graph.stop() }
        let root = unsafe UInt(bitPattern: Unmanaged.passUnretained(graph.root).toOpaque())
        var (walks, objects, withoutObject) = (0, 0, 0)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while ContinuousClock.now < end {
            for _ in 0..<1_000 {
                finder.withWalker { walker in
                    let explanation = walker.explanation(root, callerReferences: 0, budget: .release)
                    if explanation.type.isEmpty { withoutObject += 1 }
                    objects += walker.graph.nodes.count
                }
            }
            walks += 1_000
            // A long run that is ended from outside has told how far it came.
            if walks % 1_000_000 == 0 { print("\(walks) walks, \(objects / walks) objects each") }
        }
        print("\(walks) walks, \(objects / max(walks, 1)) objects each")
        #expect(withoutObject == 0)
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
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter seed: not 0.
    func start(seed: UInt64) {
        DispatchQueue(label: "mutator").async { [self] in
            var generator = Xorshift(state: seed)
            while !isStopped.load(ordering: .relaxed) { change(&generator) }
            done.signal()
        }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        done.wait()
    }

    private func change(_ generator: inout Xorshift) {
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

import Dispatch
import Synchronization

/// A graph that a thread changes without pause.
final class MutatingGraph: @unchecked Sendable {
    final class Node {
        var children: [Node] = []
        var byNumber: [Int: Node] = [:]
        var callback: (() -> Void)?
        var anything: Any?
        var text = ""
        var nested = Nested.none
        weak var weakReference: Node?
        var parent: Node?
    }

    indirect enum Nested {
        case none
        case one(Node)
        case two(Nested, Node)
    }

    let root = Node()
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    /// Starts to change the graph.
    ///
    /// - Parameter seed: not 0. The same seed makes the same changes.
    func start(seed: UInt64) {
        let queue = DispatchQueue(label: "mutator")
        queue.async { [self] in
            var state = seed
            while !isStopped.load(ordering: .relaxed) { change(&state) }
            done.signal()
        }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        done.wait()
    }

    private func change(_ state: inout UInt64) {
        func random(_ count: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(count))
        }
        let node = Node()
        node.text = "a text that does not fit into two words \(random(1000))"
        switch random(11) {
        case 0:
            root.children.append(node)
            if root.children.count > 50 { root.children.removeFirst(25) }
        case 1: root.byNumber[random(40)] = node
        case 2: root.byNumber[random(40)] = nil
        case 3:
            let number = random(9)
            root.callback = { use((node.text, number)) }
        case 4: root.anything = (1, node, 3, 4, node.text)
        case 5: root.nested = .two(.one(node), node)
        case 6:
            if let last = root.children.last {
                last.children.append(node)
                last.callback = { use(node) }
                last.parent = node
                last.weakReference = root
            }
        case 7:
            root.anything = node
            root.callback = nil
        case 8:
            root.children.reserveCapacity(10_000)
            root.children = Array(root.children)
        case 9:
            var large: [Node] = []
            large.reserveCapacity(random(300_000) + 1)
            large.append(node)
            root.anything = large
        default:
            for child in root.children {
                child.children.removeAll()
                child.byNumber = [random(5): node]
            }
        }
    }
}

@inline(never) private func use<T>(_ value: T) {}

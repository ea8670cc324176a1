internal import LeakMessage

private final class Owner {
    var child: Child?
    var weakClosure: (() -> Void)?
    var closure: (() -> Void)?
    var children: [Child] = []
    var byNumber: [Int: Owner] = [:]
    var state = State.idle
    var anything: Any?
    weak var weakReference: Owner?
    unowned(unsafe) var unsafeReference: Owner?
    var number = 7
}

private final class Child { var owner: Owner? }

private enum State {
    case idle
    case loaded(Child, Int)
    case failed(String)
}

/// A test with a small graph of known cycles: through properties, a closure, an array, a dictionary, an enum and an existential,
/// beside references that keep nothing alive. Tasks, blocks and generic closures are not tested here.
///
/// A runtime whose layout differs from the layout described in the folder `Runtime` gives other paths or none.
enum SelfTest {
    private static let expected: Set<String> = [
        "Owner.child → Child.owner → Owner",
        "Owner.closure → closure → Owner",
        "Owner.children[*] → Child.owner → Owner",
        "Owner.byNumber[*] → Owner",
        "Owner.state(.loaded).0 → Child.owner → Owner",
        "Owner.anything.3 → Owner",
    ]

    /// The expected paths in a build without names of properties.
    private static let expectedWithoutNames: Set<String> = [
        "Owner.? → Child.? → Owner",
        "Owner.? → closure → Owner",
        "Owner.?[*] → Child.? → Owner",
        "Owner.?[*] → Owner",
        "Owner.?(.?).0 → Child.? → Owner",
        "Owner.?.3 → Owner",
    ]

    @inline(never)
    private static func makeGraph() -> Unmanaged<Owner> {
        let owner = Owner()
        let number = owner.number
        let children = [Child(), Child(), Child()]
        for child in children { child.owner = owner }
        owner.child = children[0]
        owner.weakClosure = { [weak owner] in owner?.number = 1 }
        owner.closure = { owner.number = number }
        owner.children = [children[1]]
        owner.byNumber[1] = owner
        owner.state = .loaded(children[2], 1)
        owner.anything = (1, 2, 3, owner)
        owner.weakReference = owner
        unsafe owner.unsafeReference = owner
        return unsafe .passRetained(owner)
    }

    @inline(never)
    private static func release(_ graph: Unmanaged<Owner>) {
        let owner = unsafe graph.takeRetainedValue()
        owner.child = nil
        owner.weakClosure = nil
        owner.closure = nil
        owner.children = []
        owner.byNumber = [:]
        owner.state = .failed("")
        owner.anything = nil
    }

    static func passes(_ finder: RetainPathFinder) -> Bool {
        let graph = unsafe makeGraph()
        defer { unsafe release(graph) }
        let explanation = unsafe finder.explain(UnsafeRawPointer(graph.toOpaque()), callerReferences: 1)
        let paths = [explanation.path].compactMap { $0 } + explanation.furtherCycles
        let descriptions = Set(paths.map(\.description))
        return (descriptions == expected || descriptions == expectedWithoutNames)
            && explanation.unexplainedReferences == 0
            && explanation.confidence == .proven && explanation.cost?.isAtLeast == false
    }
}

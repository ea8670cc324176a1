import RetainPaths

/// The time of one walk, compared with a walk through `Mirror`.
enum TimeTable {
    class Item {
        var name = "item"
        var number = 1
        var owner: Root?
        var callback: (() -> Void)?
        weak var weakReference: Item?
        var tags: [String] = []
        var optional: Int? = 3
    }
    final class Root {
        var items: [Item] = []
        var number = 1
    }

    static func print() {
        let clock = ContinuousClock()
        var finder: RetainPathFinder?
        let start = clock.measure { finder = RetainPathFinder() }
        guard let finder else { return }
        var thoroughFinder = finder
        thoroughFinder.budget = .thorough
        Swift.print("init with self-test: \(start)")
        Swift.print("| graph | release budget | thorough budget | Mirror | Mirror / thorough |")
        Swift.print("|---|---|---|---|---|")
        for count in [10, 1_000, 100_000] {
            let root = makeGraph(count)
            row("\(count) objects", root, repetitions: count > 10_000 ? 3 : 30, finder, thoroughFinder)
            root.items.last?.owner = nil
        }
        // Containers with up to a million elements that lead to no further object. The thorough walk reads more of them than
        // the release walk, which stops at the limit of its budget.
        let text = "a text that does not fit into two words "
        let texts = Texts()
        texts.elements = (0..<1_000_000).map { "\(text)\($0)" }
        row("1,000,000 long strings", texts, repetitions: 3, finder, thoroughFinder)
        let numbers = Numbers()
        for number in 0..<200_000 { numbers.elements["\(text)\(number)"] = number }
        row("dictionary of 200,000 long strings", numbers, repetitions: 3, finder, thoroughFinder)
        let places = Places()
        places.elements = Array(repeating: nil, count: 1_000_000)
        row("1,000,000 empty places", places, repetitions: 3, finder, thoroughFinder)
    }

    private final class Texts { var elements: [String] = [] }
    private final class Numbers { var elements: [String: Int] = [:] }
    private final class Places { var elements: [Item?] = [] }

    private static func row(
        _ name: String, _ root: AnyObject, repetitions: Int, _ release: RetainPathFinder,
        _ thorough: RetainPathFinder
    ) {
        let reference = unsafe Unmanaged.passRetained(root)
        defer { unsafe reference.release() }
        let address = unsafe UnsafeRawPointer(reference.toOpaque())
        func best(_ body: () -> Void) -> Duration {
            let clock = ContinuousClock()
            return (0..<repetitions).map { _ in clock.measure(body) }.min() ?? .zero
        }
        // Each explanation makes two walks.
        let short = best { _ = unsafe release.explain(address, callerReferences: 1) } / 2
        let long = best { _ = unsafe thorough.explain(address, callerReferences: 1) } / 2
        let mirror = best { _ = MirrorWalk.count(root) }
        Swift.print("| \(name) | \(short) | \(long) | \(mirror) | \(mirror / long) |")
    }

    @inline(never)
    private static func makeGraph(_ count: Int) -> Root {
        let root = Root()
        for index in 0..<count {
            let item = Item()
            if index % 10 == 0 {
                item.callback = { [weak root] in root?.number = index }
            }
            item.weakReference = item
            root.items.append(item)
        }
        root.items.last?.owner = root
        return root
    }
}

/// A walk through the children of an object that `Mirror` shows, breadth first.
enum MirrorWalk {
    static func count(_ root: AnyObject) -> Int {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
        var queue: [Any] = [root]
        var position = 0
        while position < queue.count {
            var mirror: Mirror? = Mirror(reflecting: queue[position])
            position += 1
            while let current = mirror {
                for child in current.children {
                    if type(of: child.value) is AnyClass {
                        guard seen.insert(ObjectIdentifier(child.value as AnyObject)).inserted else {
                            continue
                        }
                    }
                    queue.append(child.value)
                }
                mirror = current.superclassMirror
            }
        }
        return seen.count
    }
}

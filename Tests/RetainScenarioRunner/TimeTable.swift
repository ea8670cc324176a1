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
        Swift.print("| objects | release budget | thorough budget | Mirror | Mirror / thorough |")
        Swift.print("|---|---|---|---|---|")
        for count in [10, 1_000, 100_000] {
            let root = makeGraph(count)
            let reference = unsafe Unmanaged.passRetained(root)
            let address = unsafe UnsafeRawPointer(reference.toOpaque())
            let repetitions = count > 10_000 ? 3 : 30
            func best(_ body: () -> Void) -> Duration {
                (0..<repetitions).map { _ in clock.measure(body) }.min() ?? .zero
            }
            // Two walks each.
            let release = best { _ = unsafe finder.explain(address, callerReferences: 1) } / 2
            let thorough = best { _ = unsafe thoroughFinder.explain(address, callerReferences: 1) } / 2
            let mirror = best { _ = MirrorWalk.count(root) }
            Swift.print("| \(count) | \(release) | \(thorough) | \(mirror) | \(mirror / thorough) |")
            root.items.last?.owner = nil
            unsafe reference.release()
        }
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

/// Visits what `Mirror` shows of an object, breadth first.
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

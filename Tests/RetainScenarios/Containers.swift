struct Nested {
    struct Inner {
        var deep: Screen?
        var number = 1
    }
    var number = 1
    var inner = Inner()
}
final class Registry: Screen {
    var delegates: [ObjectIdentifier: any Refreshable] = [:]
    var nested: [String: Nested] = [:]
    var lists: [[Screen?]] = []
    var slice: ArraySlice<Screen> = []
    var contiguous = ContiguousArray<Screen>()
    var mixed: [AnyHashable: Any] = [:]
    var collection: (any Collection<Screen>)?
    var buffer: ManagedBuffer<Screen?, Int>?
}
final class Cancellation: Hashable {
    let cancel: () -> Void
    init(_ cancel: @escaping () -> Void) { self.cancel = cancel }
    static func == (left: Cancellation, right: Cancellation) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
final class Subscriber: Screen { var subscriptions = Set<Cancellation>() }

extension RetainScenario {
    static let containers: [RetainScenario] = [
        .cycle("array of children", "Parent.children[*] → Child.parent → Parent") {
            let parent = Parent()
            for _ in 0..<3 { parent.children.append(Child()) }
            parent.children[2].parent = parent
            return parent
        },
        .cycle("value of a dictionary", "Parent.byName[*] → Child.parent → Parent") {
            let parent = Parent()
            for index in 0..<5 { parent.byName["key \(index)"] = Child() }
            parent.byName["key 3"]?.parent = parent
            return parent
        },
        .cycle("dictionary of delegates", "Registry.delegates[*] → Registry") {
            let registry = Registry()
            let other = Screen()
            registry.delegates[ObjectIdentifier(other)] = other
            registry.delegates[ObjectIdentifier(registry)] = registry
            return registry
        },
        .cycle("dictionary of structs", "Registry.nested[*].inner.deep → Registry") {
            let registry = Registry()
            var nested = Nested()
            nested.inner.deep = registry
            registry.nested["key"] = nested
            return registry
        },
        .cycle(
            "set of cancellables", "Subscriber.subscriptions[*] → Cancellation.cancel → closure → Subscriber"
        ) {
            let subscriber = Subscriber()
            subscriber.subscriptions.insert(Cancellation { subscriber.refresh() })
            subscriber.subscriptions.insert(Cancellation {})
            return subscriber
        },
        .cycle("array of arrays of optionals", "Registry.lists[*][*] → Registry") {
            let registry = Registry()
            registry.lists = [[nil], [nil, registry]]
            return registry
        },
        .cycle("slice of an array", "Registry.slice[*] → Registry") {
            let registry = Registry()
            registry.slice = [Screen(), registry, Screen()][1...]
            return registry
        },
        .cycle("contiguous array", "Registry.contiguous[*] → Registry") {
            let registry = Registry()
            registry.contiguous = [registry]
            return registry
        },
        .cycle("dictionary of any keys and values", "Registry.mixed[*] → Registry") {
            let registry = Registry()
            registry.mixed["key"] = registry
            registry.mixed["other"] = 1
            return registry
        },
        .cycle("constrained existential", "Registry.collection[*] → Registry") {
            let registry = Registry()
            registry.collection = [registry as Screen]
            return registry
        },
        .cycle(
            "header of a managed buffer",
            "Registry.buffer → ManagedBuffer<Optional<Screen>, Int>.header → Registry"
        ) {
            let registry = Registry()
            registry.buffer = ManagedBuffer<Screen?, Int>.create(minimumCapacity: 1) { _ in registry }
            return registry
        },
    ]
}

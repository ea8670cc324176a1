final class List: Screen { var delegate: (any ScreenDelegate)? }
final class Panel: Screen {
    var delegate: (any Refreshable)?
    var anything: Any?
}
final class Parent: Screen {
    var first: Child?
    var children: [Child] = []
    var byName: [String: Child] = [:]
}
final class Child: Screen { var parent: Parent? }
class Base: Screen { var inherited: (() -> Void)? }
final class Derived: Base { var number = 1 }
actor Counter {
    var callback: (@Sendable () -> Void)?
    func bind() { callback = { use(self) } }
}
final class Link {
    var next: Link?
    var number = 0
}
final class Token {
    let block: (Int) -> Void
    init(_ block: @escaping (Int) -> Void) { self.block = block }
}
final class Center {
    var tokens: [Token] = []
    func add(_ block: @escaping (Int) -> Void) -> Token {
        let token = Token(block)
        tokens.append(token)
        return token
    }
}
final class Observer: Screen {
    var center = Center()
    var token: Token?
}

extension RetainScenario {
    static let properties: [RetainScenario] = [
        .cycle("strong delegate, protocol of classes", "List.delegate → List") {
            let list = List()
            list.delegate = list
            return list
        },
        .cycle("strong delegate, any protocol", "Panel.delegate → Panel") {
            let panel = Panel()
            panel.delegate = panel
            return panel
        },
        .cycle("Any with a large value", "Panel.anything.4 → Panel") {
            let panel = Panel()
            panel.anything = (1, 2, 3, 4, panel as Screen)
            return panel
        },
        .cycle("token of a notification center", "Observer.token → Token.block → closure → Observer") {
            let observer = Observer()
            observer.token = observer.center.add { observer.count += $0 }
            return observer
        },
        .cycle("parent and child", "Parent.first → Child.parent → Parent") {
            let parent = Parent()
            let child = Child()
            child.parent = parent
            parent.first = child
            return parent
        },
        .cycle("field of a superclass", "Derived.inherited → closure → Derived") {
            let derived = Derived()
            derived.inherited = { derived.refresh() }
            return derived
        },
        .cycle("closure property of an actor", "Counter.callback → closure → Counter") {
            let counter = Counter()
            wait { await counter.bind() }
            return counter
        },
        .cycle(
            "ring of six objects",
            Array(repeating: "Link.next", count: 6).joined(separator: " → ") + " → Link"
        ) {
            let links = (0..<6).map { _ in Link() }
            for index in 0..<6 { links[index].next = links[(index + 1) % 6] }
            return links[0]
        },
    ]
}

internal import LeakMessage
import Foundation
import Observation

/// A publisher in a chain, in which each publisher is generic over the publisher before it.
protocol Publishing<Output> {
    associatedtype Output
    func receive(_ receiver: @escaping (Output) -> Void) -> Cancellation
}
final class Relay<Output>: Publishing {
    private var receivers: [Int: (Output) -> Void] = [:]
    func receive(_ receiver: @escaping (Output) -> Void) -> Cancellation {
        let number = receivers.count
        receivers[number] = receiver
        return Cancellation { [weak self] in self?.receivers[number] = nil }
    }
}
struct MapPublisher<Upstream: Publishing, Output>: Publishing {
    let upstream: Upstream
    let transform: (Upstream.Output) -> Output
    func receive(_ receiver: @escaping (Output) -> Void) -> Cancellation {
        let transform = transform
        return upstream.receive { receiver(transform($0)) }
    }
}
extension Publishing {
    func assign<Root: AnyObject>(to path: ReferenceWritableKeyPath<Root, Output>, on root: Root)
        -> Cancellation
    {
        receive { root[keyPath: path] = $0 }
    }
}
final class Feed: Screen {
    let relay = Relay<Int>()
    var subscriptions = Set<Cancellation>()
    var publisher: (any Publishing<String>)?
}

/// A screen that stores observers by key path.
final class Settings: Screen {
    var observers: [PartialKeyPath<Settings>: [(Any) -> Void]] = [:]
    func observe<Value>(_ path: KeyPath<Settings, Value>, _ change: @escaping (Value) -> Void) {
        observers[path, default: []].append { value in (value as? Value).map(change) }
    }
}

@Observable final class Profile {
    var name = "name"
    @ObservationIgnored var onSave: (() -> Void)?
}
final class ProfileScreen: Screen, @unchecked Sendable {
    let profile = Profile()
    func track() {
        withObservationTracking {
            _ = profile.name
        } onChange: {
            self.refresh()
        }
    }
}

/// A generic type with a nested generic type, whose generic method stores a closure.
class Outer<First> {
    class Inner<Second> {
        var first: First
        var second: Second
        var callback: (() -> Void)?
        init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }
        @inline(never) func bind<Third>(_ third: Third) {
            callback = {
                use(self)
                use(third)
            }
        }
    }
}

struct Row: Refreshable {
    var number = 1
    var name = "name"
    var onSelect: (() -> Void)?
    func refresh() {}
}
final class Table: Screen { var rows: [any Refreshable] = [] }

class Coordinator {
    var children: [Coordinator] = []
    var onFinish: ((Coordinator) -> Void)?
    func start(_ child: Coordinator) {
        children.append(child)
        child.onFinish = { finished in self.children.removeAll { $0 === finished } }
    }
}

struct Request { var path = "" }
final class Router: Screen {
    enum Handler {
        case function((Request) throws -> String)
        case group([String: Handler])
    }
    var handlers: [String: Handler] = [:]
}

final class Editor: Screen {
    struct Command {
        var title: String
        var undo: () -> Void
    }
    var stack: [Command] = []
    var sequence: AnySequence<Int>?
    var iterator: AnyIterator<Int>?
}

struct Resource: ~Copyable {
    var close: (() -> Void)?
    deinit {}
}
final class Owner: Screen {
    var resource = Resource()
    var cache: ((Int) -> Screen)?
}

func memoized<Key: Hashable, Value>(_ compute: @escaping (Key) -> Value) -> (Key) -> Value {
    var values: [Key: Value] = [:]
    return { key in
        if let value = values[key] { return value }
        let value = compute(key)
        values[key] = value
        return value
    }
}

extension RetainScenario {
    static let realObjects: [RetainScenario] = [
        .cycle("sink on a mapped publisher", "Feed.relay → Relay<Int>.receivers[*] → closure → Feed") {
            let feed = Feed()
            let mapped = MapPublisher(upstream: feed.relay) { "\($0)" }
            feed.subscriptions.insert(mapped.receive { feed.title = $0 })
            return feed
        },
        .cycle("assignment to a key path of self", "Feed.relay → Relay<Int>.receivers[*] → closure → Feed") {
            let feed = Feed()
            feed.subscriptions.insert(feed.relay.assign(to: \.count, on: feed))
            return feed
        },
        .cycle(
            "stored publisher whose transform captures self", "Feed.publisher.transform → closure → Feed"
        ) {
            let feed = Feed()
            feed.publisher = MapPublisher(upstream: feed.relay) { "\($0)" + feed.title }
            return feed
        },
        .cycle("observer of a key path", "Settings.observers[*][*] → closure → Settings") {
            let settings = Settings()
            settings.observe(\.title) { settings.title = $0 }
            return settings
        },
        .cycle(
            "change handler of an observation registrar",
            "ProfileScreen.profile → Profile._$observationRegistrar.extent → ObservationRegistrar.Extent.context.state.buffer"
                + " → _ManagedCriticalState<ObservationRegistrar.State>.LockedBuffer"
                + ".header.observations[*].kind(.willSetTracking) → closure → ProfileScreen"
        ) {
            let screen = ProfileScreen()
            screen.track()
            return screen
        },
        .cycle("ignored property beside a macro's storage", "Profile.onSave → closure → Profile") {
            let profile = Profile()
            profile.onSave = { use(profile) }
            return profile
        },
        .cycle(
            "nested generic types and a generic method",
            "Outer<Int>.Inner<String>.callback → closure → Outer<Int>.Inner<String>"
        ) {
            let inner = Outer<Int>.Inner<String>(1, "text")
            inner.bind([1.5])
            return inner
        },
        .cycle("array of existential structs with closures", "Table.rows[*].onSelect → closure → Table") {
            let table = Table()
            table.rows = [Row(), Screen(), Row(onSelect: { table.refresh() })]
            return table
        },
        .cycle(
            "coordinator that keeps its child",
            "Coordinator.children[*] → Coordinator.onFinish → closure → Coordinator"
        ) {
            let coordinator = Coordinator()
            coordinator.start(Coordinator())
            return coordinator
        },
        .cycle("handlers in nested enums", "Router.handlers[*](.group)[*](.function) → closure → Router") {
            let router = Router()
            router.handlers["users"] = .group(["list": .function { router.title + $0.path }])
            return router
        },
        .cycle("undo stack", "Editor.stack[*].undo → closure → Editor") {
            let editor = Editor()
            editor.stack.append(.init(title: "type", undo: { editor.refresh() }))
            return editor
        },
        .cycle(
            "erased sequence",
            "Editor.sequence._box → _SequenceBox<_ClosureBasedSequence<AnyIterator<Int>>>._base._makeUnderlyingIterator"
                + " → closure → Editor"
        ) {
            let editor = Editor()
            editor.sequence = AnySequence { AnyIterator { editor.count } }
            return editor
        },
        .cycle(
            "erased iterator",
            "Editor.iterator._box → _IteratorBox<_ClosureBasedIterator<Int>>._base._body → closure → Editor"
        ) {
            let editor = Editor()
            editor.iterator = AnyIterator { editor.count }
            return editor
        },
        .cycle("noncopyable struct with a closure", "Owner.resource → Owner", isSuspected: true) {
            let owner = Owner()
            owner.resource.close = { owner.refresh() }
            return owner
        },
        .cycle("memoized function", "Owner.cache → closure → Owner") {
            let owner = Owner()
            owner.cache = memoized { number in
                owner.count = number
                return owner
            }
            return owner
        },
    ]
}

import Foundation
import Observation
import Synchronization

@propertyWrapper struct Handler { var wrappedValue: (() -> Void)? }
@propertyWrapper final class Reference<Value> {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
final class Subject<Value> {
    var subscribers: [UUID: (Value) -> Void] = [:]
    var value: Value
    init(_ value: Value) { self.value = value }
    func sink(_ receive: @escaping (Value) -> Void) -> Cancellation {
        let id = UUID()
        subscribers[id] = receive
        return Cancellation { [weak self] in self?.subscribers[id] = nil }
    }
}
@propertyWrapper struct PublishedValue<Value> {
    enum Storage {
        case value(Value)
        case publisher(Subject<Value>)
    }
    var storage: Storage
    init(wrappedValue: Value) { storage = .value(wrappedValue) }
    var wrappedValue: Value {
        get {
            switch storage {
            case .value(let value): value
            case .publisher(let subject): subject.value
            }
        }
        set {
            switch storage {
            case .value: storage = .value(newValue)
            case .publisher(let subject):
                subject.value = newValue
                for receive in subject.subscribers.values { receive(newValue) }
            }
        }
    }
    var projectedValue: Subject<Value> {
        mutating get {
            switch storage {
            case .value(let value):
                let subject = Subject(value)
                storage = .publisher(subject)
                return subject
            case .publisher(let subject): return subject
            }
        }
    }
}
final class Slider: Screen {
    @Handler var onChange: (() -> Void)?
    @Reference var reference: (() -> Void)? = nil
}
final class Model: Screen {
    @PublishedValue var value = 1
    var subscriptions: [Cancellation] = []
}
@Observable final class Observed {
    var child: Observed?
    var callback: (() -> Void)?
}
final class Guarded: Screen { let mutex = Mutex<Screen?>(nil) }

extension RetainScenario {
    static let wrappers: [RetainScenario] = [
        .cycle("property wrapper that is a struct", "Slider._onChange.wrappedValue → closure → Slider") {
            let slider = Slider()
            slider.onChange = { slider.refresh() }
            return slider
        },
        .cycle(
            "property wrapper that is a class",
            "Slider._reference → Reference<Optional<() -> ()>>.wrappedValue → closure → Slider"
        ) {
            let slider = Slider()
            slider.reference = { slider.refresh() }
            return slider
        },
        .cycle(
            "sink of a published property",
            "Model._value.storage(.publisher) → Subject<Int>.subscribers[*] → closure → Model"
        ) {
            let model = Model()
            model.subscriptions.append(model.$value.sink { model.count = $0 })
            return model
        },
        .cycle("observable object", "Observed._child → Observed._callback → closure → Observed") {
            let observed = Observed()
            observed.child = Observed()
            observed.child?.callback = { use(observed) }
            return observed
        },
        .cycle("mutex", "Guarded.mutex → Guarded?", isSuspected: true) {
            let guarded = Guarded()
            guarded.mutex.withLock { $0 = guarded }
            return guarded
        },
    ]
}

internal import LeakMessage

final class Holder<Value>: Screen {
    var value: Value
    var optional: Value?
    init(_ value: Value) { self.value = value }
}
class ViewModel<Value> {
    var value: Value
    var onChange: (() -> Void)?
    var onWeakChange: (() -> Void)?
    init(_ value: Value) { self.value = value }
    @inline(never) func bind(_ service: Service) {
        onChange = {
            use(self.value)
            use(service)
        }
    }
    @inline(never) func bindWeakly(_ service: Service) {
        onWeakChange = { [weak self] in
            use(self?.value)
            use(service)
        }
    }
}

extension RetainScenario {
    static let generics: [RetainScenario] = [
        .cycle("generic class of an optional", "Holder<Optional<Screen>>.value → Holder<Optional<Screen>>") {
            let holder = Holder<Screen?>(nil)
            holder.value = holder
            return holder
        },
        .cycle("generic class of a closure", "Holder<() -> ()>.value → closure → Holder<() -> ()>") {
            let holder = Holder<() -> Void>({})
            let service = Service()
            holder.value = {
                holder.refresh()
                use(service)
            }
            return holder
        },
        .cycle("closure of a generic class", "ViewModel<Int>.onChange → closure → ViewModel<Int>") {
            let model = ViewModel(3)
            model.bind(Service())
            return model
        },
        .cycle(
            "closure of a generic class of strings",
            "ViewModel<String>.onChange → closure → ViewModel<String>"
        ) {
            let model = ViewModel("text")
            model.bind(Service())
            return model
        },
    ]
}

final class Button: Screen { var onTap: (() -> Void)? }
final class Form: Screen { var onTap: () -> Void = {} }
final class Field: Screen { var validate: ((Int, String) -> Bool)? }
final class Loader: Screen { var load: (() async throws -> Int)? }
final class Presenter: Screen { var service = Service() }
final class Toolbar: Screen {
    var actions: [() -> Void] = []
    var transforms: [(Int) -> Int] = []
}
final class Renderer: Screen { lazy var render: () -> String = { self.title } }
final class Calculator: Screen { var compute: (() -> Int)? }

func callback<T>(with value: T, _ number: Int) -> () -> Void {
    {
        use(value)
        use(number)
    }
}
@inline(never) func hashing<T: Hashable>(_ value: T, _ screen: Screen) -> () -> Void {
    {
        use(value.hashValue)
        screen.refresh()
    }
}

extension RetainScenario {
    static let closures: [RetainScenario] = [
        .cycle("closure property captures self", "Button.onTap → closure → Button") {
            let button = Button()
            button.onTap = { button.refresh() }
            return button
        },
        .cycle("closure captures self and a number", "Button.onTap → closure → Button") {
            let button = Button()
            let step = Int.random(in: 0...9)
            button.onTap = { button.count += step }
            return button
        },
        .cycle("closure that is not optional captures two objects", "Form.onTap → closure → Form") {
            let form = Form()
            let service = Service()
            form.onTap = {
                form.refresh()
                use(service)
            }
            return form
        },
        .cycle("closure with arguments", "Field.validate → closure → Field") {
            let field = Field()
            field.validate = { number, text in field.count > number && text.isEmpty }
            return field
        },
        .cycle("reference to a method of self", "Button.onTap → closure → Button") {
            let button = Button()
            button.onTap = button.refresh
            return button
        },
        .cycle("async throwing closure", "Loader.load → closure → Loader") {
            let loader = Loader()
            let service = Service()
            loader.load = {
                use(service)
                await Task.yield()
                return loader.count
            }
            return loader
        },
        .cycle("lazy closure that was called", "Renderer.render → closure → Renderer") {
            let renderer = Renderer()
            _ = renderer.render()
            return renderer
        },
        .cycle(
            "closure kept by another object", "Presenter.service → Service.completion → closure → Presenter"
        ) {
            let presenter = Presenter()
            presenter.service.completion = { presenter.refresh() }
            return presenter
        },
        .cycle("captured variable", "Button.onTap → closure → Button") {
            let button = Button()
            var captured: Screen? = button
            button.onTap = {
                use(captured)
                captured = captured ?? Screen()
            }
            return button
        },
        .cycle("closure that captures a closure that captures self", "Button.onTap → closure → Button") {
            let button = Button()
            let service = Service()
            let inner: () -> Void = {
                button.refresh()
                use(service)
            }
            button.onTap = {
                inner()
                use(service)
            }
            return button
        },
        .cycle(
            "weak outer closure with a strong inner one",
            "Presenter.service → Service.completion → closure → Presenter"
        ) {
            let presenter = Presenter()
            presenter.service.completion = { [weak presenter] in
                guard let presenter else { return }
                presenter.service.completion = { presenter.refresh() }
            }
            presenter.service.completion?()
            return presenter
        },
        .cycle("array of closures", "Toolbar.actions[*] → closure → Toolbar") {
            let toolbar = Toolbar()
            toolbar.actions.append {}
            toolbar.actions.append { toolbar.refresh() }
            return toolbar
        },
        .cycle("array of closures with arguments", "Toolbar.transforms[*] → closure → Toolbar") {
            let toolbar = Toolbar()
            toolbar.transforms.append { toolbar.count + $0 }
            return toolbar
        },
        .cycle("closure of a generic function, class argument", "Button.onTap → closure → Button") {
            let button = Button()
            button.onTap = callback(with: button, 1)
            return button
        },
        .cycle("closure of a generic function, struct argument", "Button.onTap → closure → Button") {
            let button = Button()
            button.onTap = hashing("text", button)
            return button
        },
        .cycle("local function that calls itself", "Calculator.compute → closure → Calculator") {
            let calculator = Calculator()
            func recurse(_ level: Int) -> Int { level == 0 ? calculator.count : recurse(level - 1) }
            calculator.compute = { recurse(3) }
            return calculator
        },
    ]
}

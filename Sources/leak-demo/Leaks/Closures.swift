import LeakDetector

/// Closures that keep the one who keeps them.
@MainActor
enum Closures {
    static let scenarios = [
        Scenario(title: "a closure that captures self", end: .leaked) { detector, goesWrong in
            let model = CheckoutModel()
            if goesWrong { model.onPaid = { model.isPaid = true } }
            detector.expectDeallocation(of: model, path: ["Cart", "Checkout"], reason: "dismissed")
        },
        Scenario(title: "a generic loader whose completion holds it", end: .leaked) { detector, goesWrong in
            let loader = Loader<Order>()
            if goesWrong { loader.completion = { loader.result = $0 } }
            detector.expectDeallocation(of: loader, path: ["Account", "OrderList"], reason: "popped")
        },
        Scenario(
            title: "a nested type that keeps its outer one, and is kept by it", end: .leaked, onlyIn: .newest
        ) { detector, goesWrong in
            let profile = Profile()
            let editor = Profile.Editor(profile)
            if goesWrong { profile.editor = editor }
            detector.expectDeallocation(of: editor, path: ["Account", "Profile"], reason: "dismissed")
        },
    ]
}

private final class CheckoutModel {
    var isPaid = false
    var onPaid: (() -> Void)?
}

private struct Order {}

private final class Loader<Value> {
    var result: Value?
    var completion: ((Value) -> Void)?
}

private final class Profile {
    var editor: Editor?

    final class Editor {
        let profile: Profile
        init(_ profile: Profile) { self.profile = profile }
    }
}

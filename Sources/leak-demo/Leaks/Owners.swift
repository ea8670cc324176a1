import LeakDetector

/// Objects that point at each other, both strongly.
@MainActor
enum Owners {
    static let scenarios = [
        Scenario(title: "a delegate that is not weak", end: .leaked, onlyIn: .previous) {
            detector, goesWrong in
            let controller = CartController()
            if goesWrong { controller.view.delegate = controller }
            detector.expectDeallocation(of: controller, path: ["TabBar", "Cart"], reason: "popped")
        },
        Scenario(title: "a child that owns its parent", end: .leaked) { detector, goesWrong in
            let category = Category()
            category.children = [Category(), Category()]
            for child in category.children where goesWrong { child.parent = category }
            detector.expectDeallocation(of: category, path: ["TabBar", "Catalogue"], reason: "replaced")
        },
        Scenario(title: "an actor that keeps the task that keeps it", end: .leaked) { detector, goesWrong in
            let session = SearchSession()
            if goesWrong { session.keepAlive.reference = session }
            detector.expectDeallocation(of: session, path: ["Search"], reason: "closed")
        },
    ]
}

private protocol CartViewDelegate: AnyObject {}

private final class CartView {
    var delegate: (any CartViewDelegate)?
}

private final class CartController: CartViewDelegate {
    let view = CartView()
}

private final class Category {
    var parent: Category?
    var children: [Category] = []
}

private actor SearchSession {
    nonisolated let keepAlive = KeepAlive()
}

/// Stands for the closure of a task that never ends.
private final class KeepAlive: @unchecked Sendable {
    // Unchecked: set once, on the main actor, and never read.
    var reference: AnyObject?
}

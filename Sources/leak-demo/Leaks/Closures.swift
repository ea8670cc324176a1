/// Scenarios of closures that keep the object that stores them.
@MainActor
enum Closures {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "closures that keep their owner",
            scenarios: [
                Scenario(
                    "a closure that captures self", keptBy: "CheckoutModel.onPaid → closure → CheckoutModel",
                    path: ["Cart", "Checkout"], reason: "dismissed"
                ) {
                    CheckoutModel.make(goesWrong: $0)
                },
                Scenario(
                    "the same closure, on another screen",
                    keptBy: "CheckoutModel.onPaid → closure → CheckoutModel", path: ["Offers", "Checkout"],
                    reason: "dismissed"
                ) { CheckoutModel.make(goesWrong: $0) },
                Scenario(
                    "a generic loader whose completion holds it",
                    keptBy: "Loader<Order>.completion → closure → Loader<Order>",
                    path: ["Account", "OrderList"], reason: "popped"
                ) { goesWrong in
                    let loader = Loader<Order>()
                    if goesWrong { loader.completion = { loader.result = $0 } }
                    return loader
                },
                Scenario(
                    "a method of self as a handler", keptBy: "FilterPanel.onApply → closure → FilterPanel",
                    path: ["Search", "Filters"], reason: "dismissed"
                ) { goesWrong in
                    let panel = FilterPanel()
                    if goesWrong { panel.onApply = panel.apply }
                    return panel
                },
                Scenario(
                    "an async closure in a property", keptBy: "OrderHistory.reload → closure → OrderHistory",
                    path: ["Account", "Orders"], reason: "popped"
                ) { goesWrong in
                    let history = OrderHistory()
                    if goesWrong { history.reload = { try await history.load() } }
                    return history
                },
                Scenario(
                    "a lazy closure, once it was used", keptBy: "ProductRow.price → closure → ProductRow",
                    path: ["Catalogue", "Product"], reason: "popped"
                ) { goesWrong in
                    let row = ProductRow()
                    if goesWrong { _ = row.price() }
                    return row
                },
                Scenario(
                    "a closure that captured a variable, which was later set to the closure's owner",
                    keptBy: "AddressForm.onSave → closure → AddressForm", path: ["Checkout", "Address"],
                    reason: "dismissed"
                ) { goesWrong in
                    let form = AddressForm()
                    var edited: AddressForm?
                    form.onSave = { edited?.isSaved = true }
                    if goesWrong { edited = form }
                    return form
                },
                Scenario(
                    "a strong capture inside a closure with a weak capture",
                    keptBy: "Gallery.onZoom → closure → Gallery",
                    path: ["Catalogue", "Photos"], reason: "dismissed"
                ) { goesWrong in
                    let gallery = Gallery()
                    gallery.onLoad = { [weak gallery] in
                        guard let gallery else { return }
                        gallery.onZoom = { gallery.scale *= 2 }
                    }
                    if goesWrong { gallery.onLoad?() }
                    return gallery
                },
            ])
    }
}

private final class CheckoutModel {
    var isPaid = false
    var onPaid: (() -> Void)?

    static func make(goesWrong: Bool) -> CheckoutModel {
        let model = CheckoutModel()
        if goesWrong { model.onPaid = { model.isPaid = true } }
        return model
    }
}

private struct Order {}

private final class Loader<Value> {
    var result: Value?
    var completion: ((Value) -> Void)?
}

private final class FilterPanel {
    var onApply: (() -> Void)?
    func apply() {}
}

@MainActor
private final class OrderHistory {
    var reload: (() async throws -> Void)?
    func load() async throws {}
}

private final class ProductRow {
    private let cents = 4_99
    lazy var price: () -> String = { "\(self.cents)" }
}

private final class AddressForm {
    var isSaved = false
    var onSave: (() -> Void)?
}

private final class Gallery {
    var scale = 1.0
    var onLoad: (() -> Void)?
    var onZoom: (() -> Void)?
}

import Foundation

/// Scenarios without a mistake, for comparison.
@MainActor
enum WellBehaved {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "done right, for comparison",
            scenarios: [
                Scenario(
                    "a page that no other object keeps", .freedInTime, path: ["TabBar", "Catalogue"],
                    reason: "popped"
                ) {
                    _ in ProductPage()
                },
                Scenario(
                    "a closure that captures self weakly", .freedInTime, path: ["Account", "Newsletter"],
                    reason: "popped"
                ) { _ in
                    let form = NewsletterForm()
                    form.onSave = { [weak form] in form?.isSaved = true }
                    return form
                },
                Scenario("a weak delegate", .freedInTime, path: ["Stores", "List"], reason: "popped") { _ in
                    let controller = StoreController()
                    controller.list.delegate = controller
                    return controller
                },
                Scenario(
                    "a Timer that holds self weakly, and is invalidated", .freedInTime,
                    path: ["Home", "Slides"], reason: "popped"
                ) {
                    _ in
                    let show = SlideShow()
                    show.start()
                    show.stop()
                    return show
                },
            ])
    }
}

private final class ProductPage {}

private final class NewsletterForm {
    var isSaved = false
    var onSave: (() -> Void)?
}

private protocol StoreListDelegate: AnyObject {}

private final class StoreList {
    weak var delegate: (any StoreListDelegate)?
}

private final class StoreController: StoreListDelegate {
    let list = StoreList()
}

@MainActor
private final class SlideShow {
    private var slide = 0
    private var timer: Timer?

    /// Starts a timer that holds `self` weakly, because Foundation on Linux keeps every Timer forever, even an
    /// invalidated one.
    func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.slide += 1 }
        }
    }

    func stop() {
        timer?.invalidate()
        timer = nil
    }
}

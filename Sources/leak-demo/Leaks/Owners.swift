/// Scenarios of objects that keep each other with strong references.
@MainActor
enum Owners {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "objects that keep each other with strong references",
            scenarios: [
                Scenario(
                    "a delegate that is not weak", onlyIn: .previous,
                    keptBy: "CartController.view → CartView.delegate → CartController",
                    path: ["TabBar", "Cart"], reason: "popped"
                ) { goesWrong in
                    let controller = CartController()
                    if goesWrong { controller.view.delegate = controller }
                    return controller
                },
                Scenario(
                    "a child that owns its parent",
                    keptBy: "Category.children[*] → Category.parent → Category",
                    path: ["TabBar", "Catalogue"], reason: "replaced"
                ) { goesWrong in
                    let category = Category()
                    category.children = [Category(), Category()]
                    for child in category.children where goesWrong { child.parent = category }
                    return category
                },
                Scenario(
                    "a nested type and its outer type that keep each other", onlyIn: .newest,
                    keptBy: "Profile.Editor.profile → Profile.editor → Profile.Editor",
                    path: ["Account", "Profile"], reason: "dismissed"
                ) { goesWrong in
                    let profile = Profile()
                    let editor = Profile.Editor(profile)
                    if goesWrong { profile.editor = editor }
                    return editor
                },
                Scenario(
                    "a dictionary of pages that hold its owner",
                    keptBy: "TabPage.strip → TabStrip.pages[*] → TabPage", path: ["TabBar"],
                    reason: "replaced"
                ) { goesWrong in
                    let strip = TabStrip()
                    for name in ["offers", "news"] { strip.pages[name] = TabPage(goesWrong ? strip : nil) }
                    return strip
                },
                Scenario(
                    "an enum with a closure that tries again",
                    keptBy: "PlayerScreen.state(.failed).retry → closure → PlayerScreen",
                    path: ["Catalogue", "Video"], reason: "dismissed"
                ) { goesWrong in
                    let screen = PlayerScreen()
                    screen.state = .failed(retry: goesWrong ? { screen.state = .loading } : {})
                    return screen
                },
                Scenario(
                    "an error that carries its sender", keptBy: "LoginScreen.lastError.sender → LoginScreen",
                    path: ["Account", "Login"], reason: "dismissed"
                ) { goesWrong in
                    let screen = LoginScreen()
                    screen.lastError = LoginError(sender: goesWrong ? screen : nil)
                    return screen
                },
                Scenario(
                    "a ring of six pages",
                    keptBy:
                        "TourPage.next → TourPage.next → TourPage.next → "
                        + "TourPage.next → TourPage.next → TourPage.next → TourPage",
                    path: ["Welcome", "Tour"], reason: "dismissed"
                ) { goesWrong in
                    let pages = (0..<6).map { _ in TourPage() }
                    for (page, next) in zip(pages, pages.dropFirst()) { page.next = next }
                    if goesWrong { pages.last?.next = pages[0] }
                    return pages[0]
                },
            ])
    }
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

private final class Profile {
    var editor: Editor?

    final class Editor {
        let profile: Profile
        init(_ profile: Profile) { self.profile = profile }
    }
}

private final class TabStrip {
    var pages: [String: TabPage] = [:]
}

private final class TabPage {
    let strip: TabStrip?
    init(_ strip: TabStrip?) { self.strip = strip }
}

private final class PlayerScreen {
    enum State {
        case loading
        case failed(retry: () -> Void)
    }

    var state = State.loading
}

/// `Sendable` is unchecked: an error stays on the main thread.
private struct LoginError: Error, @unchecked Sendable {
    let sender: LoginScreen?
}

private final class LoginScreen {
    var lastError: (any Error)?
}

private final class TourPage {
    var next: TourPage?
}

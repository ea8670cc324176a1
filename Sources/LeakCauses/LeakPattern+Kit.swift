extension LeakPattern {
    /// UIKit, Core Animation, WebKit and AVFoundation.
    static let kit: [LeakPattern] = [
        LeakPattern(
            "alert_action", name: "Alert captured by its action",
            explanation:
                "The alert keeps its actions, and the closure of an action captures the alert or the object that keeps the alert.",
            remedy: "UIAlertAction(title: title, style: .default) { [weak alert] _ in … }",
            rules: .certain(.of("UIAlertAction").closure, in: .cycle),
            .probable(.ofOwn(ending: "AlertAction", "AlertItem", "AlertButton").closure, in: .cycle)),
        LeakPattern(
            "ui_action", name: "Action of a button or menu",
            explanation:
                "A button, control or menu keeps its UIAction, and the closure of the action captures the object that keeps the control.",
            remedy: "UIAction(title: title) { [weak self] _ in … }",
            rules: .certain(.of("UIAction").closure, in: .cycle)),
        LeakPattern(
            "presentation_controller", name: "Presentation controller before presenting",
            explanation:
                "The screen and its presentation controller keep each other from the first use of `presentationController` until the "
                + "screen is dismissed, so a screen that is never presented stays.",
            remedy: """
                present(screen, animated: true)
                screen.presentationController?.delegate = self  // after presenting, never before
                """,
            rules: .certain(
                .of(
                    "UIPresentationController", "UISheetPresentationController",
                    "UIPopoverPresentationController",
                    "_UIPageSheetPresentationController", "_UIFullscreenPresentationController",
                    "_UIFormSheetPresentationController", "_UIOverFullscreenPresentationController"
                ).from("presentedViewController", "delegate").withoutClosure, in: .cycle),
            .probable(.ofOwn(ending: "PresentationController").from("presentedViewController"), in: .cycle)),
        LeakPattern(
            "gesture_target", name: "Gesture recognizer that keeps its target",
            explanation: "The view keeps its gesture recognizer, which keeps the target of its action.",
            remedy:
                "view.removeGestureRecognizer({holder|recognizer})  // when the object goes off the screen",
            rules: .certain(.of("UIGestureRecognizerTarget"), in: .cycle),
            .probable(.of(ending: "GestureRecognizer").from("target", "targets").withoutClosure, in: .cycle),
            .probable(.ofOwn(ending: "GestureTarget", "GestureRecognizerTarget"), in: .cycle)),
        LeakPattern(
            "diffable_data_source", name: "Cell provider of a diffable data source",
            explanation:
                "The object keeps the data source, and the closure that makes cells or headers captures the object.",
            remedy: """
                {holder|dataSource} = UICollectionViewDiffableDataSource(collectionView: collectionView) {
                    [weak self] view, indexPath, item in self?.cell(in: view, at: indexPath, for: item)
                }
                """,
            rules: .certain(
                .of(
                    "UICollectionViewDiffableDataSource", "UITableViewDiffableDataSource",
                    "__UIDiffableDataSource",
                    "NSCollectionViewDiffableDataSource", "NSTableViewDiffableDataSource"
                ).closure, in: .cycle)),
        LeakPattern(
            "layout_provider", name: "Section provider of a compositional layout",
            explanation:
                "The collection view keeps its layout, and the closure that makes sections captures the object that keeps the view.",
            remedy:
                "UICollectionViewCompositionalLayout { [weak self] index, environment in self?.section(at: index) }",
            rules: .certain(
                .of("UICollectionViewCompositionalLayout", "NSCollectionViewCompositionalLayout").closure,
                in: .cycle),
            .probable(
                .ofOwn(ending: "Layout").from("layoutSectionProvider", "sectionProvider").closure, in: .cycle)
        ),
        LeakPattern(
            "property_animator", name: "Stored property animator",
            explanation:
                "The object keeps the animator. Until the animation has finished, the animator keeps its animation and completion "
                + "closures, and the closures capture the object.",
            remedy: """
                {holder|animator}.addCompletion { [weak self] _ in self?.{holder|animator} = nil }
                """,
            rules: .certain(.of("UIViewPropertyAnimator").closure, in: .cycle)),
        LeakPattern(
            "animation_delegate", name: "Delegate of an animation",
            explanation:
                "CAAnimation is an exception among Apple's classes: it keeps its delegate, and a layer keeps an animation that is not "
                + "removed on completion.",
            remedy: """
                animation.delegate = WeakAnimationDelegate(self)  // keeps a weak reference and forwards the calls
                animation.isRemovedOnCompletion = true
                """,
            rules: .certain(
                .of(
                    "CAAnimation", "CABasicAnimation", "CAKeyframeAnimation", "CASpringAnimation",
                    "CAAnimationGroup",
                    "CATransition", "CAPropertyAnimation"
                ).from("delegate", "").withoutClosure)),
        LeakPattern(
            "script_message_handler", name: "Script message handler of a web view",
            explanation:
                "The web view's user content controller keeps its script message handlers, and the handler keeps the web view.",
            remedy: """
                controller.add(WeakScriptMessageHandler(self), name: name)  // keeps a weak reference and forwards the call
                controller.removeScriptMessageHandler(forName: name)  // when the page closes
                """,
            rules: .certain(.of("WKUserContentController"))),
        LeakPattern(
            "player_observer", name: "Time observer of a player",
            explanation:
                "The player keeps the block of a time observer until `removeTimeObserver`, and the block captures the object that keeps "
                + "the player.",
            remedy: """
                observer = {holder|player}.addPeriodicTimeObserver(forInterval: interval, queue: .main) { [weak self] time in … }
                {holder|player}.removeTimeObserver(observer)  // when the screen closes
                """,
            rules: .certain(
                .of(
                    "AVPlayer", "AVQueuePlayer", "AVPeriodicTimebaseObserver", "AVOccasionalTimebaseObserver",
                    "AVTimebaseObserver"
                ).closure, in: .cycle)),
    ]

    /// Patterns of SwiftUI and the classes that host it.
    static let swiftUI: [LeakPattern] = [
        LeakPattern(
            "hosting_root_view", name: "Root view that keeps its hosting controller",
            explanation:
                "The hosting controller keeps its root view, and the view, or a closure in the view, keeps the controller or the "
                + "owner of the controller.",
            remedy: "RootView({name|onClose}: { [weak self] in self?.dismiss(animated: true) })",
            rules: .certain(
                .of(
                    "UIHostingController", "UIHostingView", "_UIHostingView", "NSHostingController",
                    "NSHostingView", "_NSHostingView"
                ).closure, in: .cycle),
            .probable(
                .of("UIHostingView", "_UIHostingView", "NSHostingView", "_NSHostingView").from(
                    not: "viewGraph"
                ).withoutClosure, in: .cycle)),
        LeakPattern(
            "swiftui_model", name: "Model that keeps its view's storage",
            explanation:
                "SwiftUI keeps the model in the view's storage (StateObject, ObservedObject), and the model keeps a view, closure or binding "
                + "that leads back to this storage.",
            remedy:
                "model.onFinish = { [weak model] in … }  // keep values in the model, not views or bindings",
            rules: .probable(
                .of("StateObject", "StateObject.", "ObservedObject", "ObservedObject."), in: .cycle),
            .certain(.ofOwn().closure, .of("StoredLocation"), in: .cycle)),
    ]
}

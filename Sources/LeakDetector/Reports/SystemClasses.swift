/// Names of classes that have rules of their own: classes of Apple's frameworks that stay in memory by design, and the detector's
/// own classes.
enum SystemClasses {
    /// Controllers that LeakedViewControllerDetector 1.4.1 ignores, and controllers that only its versions 0.6 to 1.2 ignored.
    /// https://github.com/Janneman84/LeakedViewControllerDetector
    private static let controllers: Set<String> = [
        "UICompatibilityInputViewController", "_SFAppPasswordSavingViewController",
        "UIKeyboardHiddenViewController_Save", "_UIAlertControllerTextFieldViewController",
        "UISystemInputAssistantViewController", "UIPredictionViewController", "UIInputWindowController",
        "UISystemKeyboardDockController",
    ]

    /// Views from LeakedViewControllerDetector 1.3 and later.
    private static let views: Set<String> = [
        "PLTileContainerView", "CAMPreviewView", "_UIPointerInteractionAssistantEffectContainerView",
    ]

    /// Classes from MLeaksFinder 1.1.0. https://github.com/Tencent/MLeaksFinder
    private static let others: Set<String> = [
        "UIFieldEditor", "UINavigationBar", "_UIAlertControllerActionView", "_UIVisualEffectBackdropView",
    ]

    /// Classes whose objects Apple's frameworks keep by design. They are not reported.
    static let kept = controllers.union(views).union(others)

    /// Windows from LeakedViewControllerDetector 1.3 and later.
    static let windows: Set<String> = ["UIRemoteKeyboardWindow", "UITextEffectsWindow"]

    /// Containers into which UIKit puts views while it shows, presents or dismisses their controllers. Some views stay in them,
    /// outside of any window.
    static let transitionViews: Set<String> = [
        "UILayoutContainerView", "UITransitionView", "UIDropShadowView",
    ]

    /// The detector's own classes, which show findings. They are made and deallocated with the alerts, and do not belong to the
    /// app.
    static let own: Set<String> = ["LeakDetector.AlertController", "LeakDetector.AlertWindow"]
}

/// Classes of UIKit and of Apple's other frameworks that stay in memory by design.
enum SystemClasses {
    /// Of LeakedViewControllerDetector 1.4.1, and of 0.6 to 1.2 where later ones have left them out.
    /// https://github.com/Janneman84/LeakedViewControllerDetector
    private static let controllers: Set<String> = [
        "UICompatibilityInputViewController", "_SFAppPasswordSavingViewController",
        "UIKeyboardHiddenViewController_Save", "_UIAlertControllerTextFieldViewController",
        "UISystemInputAssistantViewController", "UIPredictionViewController", "UIInputWindowController",
        "UISystemKeyboardDockController",
    ]

    /// Of the same, 1.3 and later.
    private static let views: Set<String> = [
        "PLTileContainerView", "CAMPreviewView", "_UIPointerInteractionAssistantEffectContainerView",
    ]

    /// Of MLeaksFinder 1.1.0. https://github.com/Tencent/MLeaksFinder
    private static let others: Set<String> = [
        "UIFieldEditor", "UINavigationBar", "_UIAlertControllerActionView", "_UIVisualEffectBackdropView",
    ]

    static let kept = controllers.union(views).union(others)

    /// Of LeakedViewControllerDetector 1.3 and later.
    static let windows: Set<String> = ["UIRemoteKeyboardWindow", "UITextEffectsWindow"]

    /// What UIKit puts views into while it shows, presents or dismisses their controllers; some stay in it, out of any window.
    static let transitionViews: Set<String> = [
        "UILayoutContainerView", "UITransitionView", "UIDropShadowView",
    ]

    /// What shows findings: it comes and goes with them, and is not of the app.
    static let own: Set<String> = ["LeakDetector.AlertController", "LeakDetector.AlertWindow"]
}

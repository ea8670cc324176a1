#if DEBUG && canImport(UIKit) && !os(watchOS)
    internal import UIKit

    /// A window of an alert, above all windows of the app.
    final class AlertWindow: UIWindow {
        let controller: AlertController

        init(_ controller: AlertController, in scene: UIWindowScene) {
            self.controller = controller
            super.init(windowScene: scene)
            windowLevel = .alert + 1
            rootViewController = controller
            #if os(tvOS)
                // Only the key window has the focus, without which the button cannot be pressed.
                makeKeyAndVisible()
            #else
                // The window does not become the key window, so that the app's text field keeps its keyboard.
                isHidden = false
            #endif
        }

        #if !os(tvOS)
            // Otherwise a touch of its button would make this the key window, and the app's text field would lose its keyboard.
            override var canBecomeKey: Bool { false }
        #endif

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }
    }
#endif

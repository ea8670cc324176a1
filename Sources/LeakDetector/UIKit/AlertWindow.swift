#if DEBUG && canImport(UIKit) && !os(watchOS)
    internal import UIKit

    /// Above everything of the app's.
    final class AlertWindow: UIWindow {
        let controller: AlertController

        init(_ controller: AlertController, in scene: UIWindowScene) {
            self.controller = controller
            super.init(windowScene: scene)
            windowLevel = .alert + 1
            rootViewController = controller
            #if os(tvOS)
                // Only the key window has the focus, and so a button that can be pressed.
                makeKeyAndVisible()
            #else
                // Not key: the app's text field keeps its keyboard.
                isHidden = false
            #endif
        }

        #if !os(tvOS)
            // Else its button, touched, would take the keyboard away all the same.
            override var canBecomeKey: Bool { false }
        #endif

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }
    }
#endif

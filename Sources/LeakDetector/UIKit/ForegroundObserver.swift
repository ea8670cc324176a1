#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    /// An observer that pauses grace periods while the app, or the app that hosts this extension, is not active.
    ///
    /// It only listens to notifications: `UIApplication.shared` is not available in extensions. An app that starts in the
    /// background counts as active until it first becomes inactive.
    final class ForegroundObserver: @unchecked Sendable {
        // `Sendable` is unchecked: all state is set by `init` and never changes.
        private let observers: [any NSObjectProtocol]
        private let center: NotificationCenter

        init(of pauses: PauseController, center: NotificationCenter = .default) {
            func observe(
                _ names: [Notification.Name], _ notify: @escaping @Sendable (PauseController) -> Void
            ) -> [any NSObjectProtocol] {
                names.map { name in
                    center.addObserver(forName: name, object: nil, queue: nil) { [weak pauses] _ in
                        if let pauses { notify(pauses) }
                    }
                }
            }
            self.center = center
            observers =
                observe([UIApplication.willResignActiveNotification, .NSExtensionHostWillResignActive]) {
                    $0.begin(.background)
                }
                + observe([UIApplication.didBecomeActiveNotification, .NSExtensionHostDidBecomeActive]) {
                    $0.end(.background)
                }
        }

        deinit {
            for observer in observers { center.removeObserver(observer) }
        }
    }
#endif

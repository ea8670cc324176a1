#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    /// Stops grace periods while the app, or the app that hosts this extension, is not active.
    ///
    /// It listens to notifications alone: `UIApplication.shared` is not there for extensions. What starts in the background
    /// counts as active until it is told otherwise.
    final class Foreground: @unchecked Sendable {
        // Unchecked: set by `init` alone.
        private let observers: [any NSObjectProtocol]
        private let center: NotificationCenter

        init(of sweepers: Sweepers, center: NotificationCenter = .default) {
            func observe(
                _ names: [Notification.Name], _ tell: @escaping @Sendable (Sweepers) -> Void
            ) -> [any NSObjectProtocol] {
                names.map { name in
                    center.addObserver(forName: name, object: nil, queue: nil) { [weak sweepers] _ in
                        if let sweepers { tell(sweepers) }
                    }
                }
            }
            self.center = center
            observers =
                observe([UIApplication.willResignActiveNotification, .NSExtensionHostWillResignActive]) {
                    $0.pause()
                }
                + observe([UIApplication.didBecomeActiveNotification, .NSExtensionHostDidBecomeActive]) {
                    $0.resume()
                }
        }

        deinit {
            for observer in observers { center.removeObserver(observer) }
        }
    }
#endif

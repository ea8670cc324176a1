#if canImport(UIKit) && !os(watchOS)
    internal import Dispatch
    internal import Foundation
    internal import UIKit

    /// Tells the reporter when the app, or the app that hosts this extension, goes to the background and comes back.
    ///
    /// It listens to notifications alone: `UIApplication.shared` is not there for extensions, and so are its background
    /// tasks not; `performExpiringActivity` is there for both.
    final class Background: @unchecked Sendable {
        // Unchecked: set by `init` alone.
        private let observers: [any NSObjectProtocol]
        private let center: NotificationCenter

        init(of keeper: Keeper, _ bounds: LeakReporter.Bounds, center: NotificationCenter = .default) {
            func observe(
                _ names: [Notification.Name], _ tell: @escaping @Sendable () -> Void
            ) -> [any NSObjectProtocol] {
                names.map { center.addObserver(forName: $0, object: nil, queue: nil) { _ in tell() } }
            }
            self.center = center
            observers =
                observe([UIApplication.didEnterBackgroundNotification, .NSExtensionHostDidEnterBackground]) {
                    let farewell = Farewell(keeper, milliseconds: bounds.backgroundMilliseconds)
                    // Asked right away: the process may be suspended as soon as the main thread is done with this.
                    // The block runs on a thread of the system's, and again on another when time is up.
                    ProcessInfo.processInfo.performExpiringActivity(withReason: "LeakReporter") { isExpired in
                        if isExpired { farewell.end() } else { farewell.stay() }
                    }
                    // What the app records in observers of its own, which may be called after this one, goes along.
                    DispatchQueue.main.async { farewell.handOver() }
                }
                + observe([
                    UIApplication.willEnterForegroundNotification, .NSExtensionHostWillEnterForeground,
                ]) {
                    keeper.post(.foreground)
                }
        }

        deinit {
            for observer in observers { center.removeObserver(observer) }
        }
    }
#endif

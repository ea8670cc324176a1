#if canImport(UIKit) && !os(watchOS)
    internal import Dispatch
    internal import Foundation
    internal import UIKit

    /// An observer that notifies the reporter when the app, or the app that hosts this extension, enters the background or the
    /// foreground.
    ///
    /// It uses notifications only: extensions have neither `UIApplication.shared` nor its background tasks;
    /// `performExpiringActivity` is available to apps and extensions.
    final class BackgroundObserver: @unchecked Sendable {
        // `@unchecked` is safe, because only `init` sets the properties.
        private let observers: [any NSObjectProtocol]
        private let center: NotificationCenter

        init(of thread: ReporterThread, _ bounds: LeakReporter.Bounds, center: NotificationCenter = .default)
        {
            func observe(
                _ names: [Notification.Name], _ notify: @escaping @Sendable () -> Void
            ) -> [any NSObjectProtocol] {
                names.map { center.addObserver(forName: $0, object: nil, queue: nil) { _ in notify() } }
            }
            self.center = center
            observers =
                observe([UIApplication.didEnterBackgroundNotification, .NSExtensionHostDidEnterBackground]) {
                    let backgroundFlush = BackgroundFlush(thread, milliseconds: bounds.backgroundMilliseconds)
                    // The background time is requested at once, because the process may be suspended as soon as the main thread
                    // returns. The block runs on a system thread, and again on another thread when the time is up.
                    ProcessInfo.processInfo.performExpiringActivity(withReason: "LeakReporter") { isExpired in
                        if isExpired { backgroundFlush.end() } else { backgroundFlush.waitUntilSent() }
                    }
                    // The main queue runs this block after the app's own observers of the notification, so that records that
                    // they add are sent too.
                    DispatchQueue.main.async { backgroundFlush.handOver() }
                }
                + observe([
                    UIApplication.willEnterForegroundNotification, .NSExtensionHostWillEnterForeground,
                ]) {
                    thread.post(.foreground)
                }
        }

        deinit {
            for observer in observers { center.removeObserver(observer) }
        }
    }
#endif

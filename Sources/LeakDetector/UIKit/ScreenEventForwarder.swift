#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    /// The connection from the hooks to the one detector that watches the screens of this process.
    @MainActor
    enum ScreenEventForwarder {
        /// The detector that watches the screens. Events go to one detector only.
        static var detector: LeakDetector?

        static func handle(_ event: ScreenEvent, _ controller: UIViewController) {
            detector?.screens.handle(event, controller)
        }

        static func willShowDetail(_ detail: UIViewController, in split: UISplitViewController) {
            detector?.screens.willShowDetail(detail, in: split)
        }

        static func viewWillChange(of controller: UIViewController) {
            detector?.screens.viewWillChange(of: controller)
        }

        static func willSend(_ event: UIEvent) {
            guard let detector, let views = event.touchedViews else { return }
            detector.screens.didTouch(views)
        }

        /// Calls `notify` if this is the main thread, else does nothing: UIKit must not be called on other threads, but some apps
        /// do.
        nonisolated static func onMainThread(_ notify: @MainActor () -> Void) {
            if Thread.isMainThread { MainActor.assumeIsolated(notify) }
        }
    }
#endif

#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    /// Passes the events of the hooks to the one detector that watches the screens of this process.
    @MainActor
    enum ScreenEventForwarder {
        /// A controller has room for one ticket, so its events go to one detector.
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

        /// Does nothing on other threads: UIKit must not be called there, but does not prevent it.
        nonisolated static func onMainThread(_ notify: @MainActor () -> Void) {
            if Thread.isMainThread { MainActor.assumeIsolated(notify) }
        }
    }
#endif

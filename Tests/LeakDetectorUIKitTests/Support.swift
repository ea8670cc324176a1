#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import Foundation
    import Testing
    import UIKit

    @testable import LeakDetector

    /// Runs its tests one at a time, because only one detector at a time receives screen events.
    @Suite(.serialized) enum Serialized {}

    /// A detector that watches the screens of this process, and a window without an app.
    @MainActor
    final class WatchedWindow {
        let bench = Bench()
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 390, height: 844))

        init() {
            ScreenEventForwarder.detector = nil
            let detector = bench.detector
            OtherSwizzlers.installAround { detector.watchViewControllers() }
            detector.watchViewControllers()
            unsafe OtherSwizzlers.selectors = []
            (OtherSwizzlers.callsBelow, OtherSwizzlers.callsAbove) = (0, 0)
        }

        func open(_ root: UIViewController) {
            window.rootViewController = root
            window.isHidden = false
            advancePastChecks()
        }

        /// Lets UIKit finish its deferred work, and lets enough time pass that every leak is reported.
        func advancePastChecks() {
            for _ in 0..<5 {
                autoreleasepool {
                    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
                }
                bench.advance(by: 1_000)
            }
        }
    }

    final class Cart: UIViewController {}
    final class Order: UIViewController {}
    final class Badge: UIView {}

    /// A touch event, for code that sees it before UIKit does.
    final class TouchEvent: UIEvent {
        private let touched: UITouch

        init(_ view: UIView) {
            touched = Touch(view)
            super.init()
        }

        override var type: UIEvent.EventType { .touches }
        override var allTouches: Set<UITouch>? { [touched] }
    }

    private final class Touch: UITouch {
        private let touched: UIView

        init(_ view: UIView) {
            touched = view
            super.init()
        }

        override var phase: UITouch.Phase { .began }
        override var view: UIView? { touched }
    }
#endif

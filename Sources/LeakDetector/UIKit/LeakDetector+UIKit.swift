#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension LeakDetector {
        /// Watches every view controller of the process: one that was dismissed, popped, removed or replaced and stays in
        /// memory is found, and so are views that stay after their controller has gone.
        ///
        /// For that it replaces the implementations of seven methods of UIKit, once per process, each of which goes on to
        /// the one that was there before. Without this call nothing is replaced; ``checkDeallocation(of:after:file:line:)``
        /// needs none of it.
        ///
        /// The detector is kept from now on.
        ///
        /// - Returns: `true` if this detector checks view controllers now; `false` if another one that was not stopped already
        ///   does.
        @MainActor
        @discardableResult
        public func watchViewControllers() -> Bool {
            if let other = ScreenWatch.detector, !other.isStopped { return other === self }
            ScreenWatch.detector = self
            ViewControllerHooks.install()
            return true
        }

        /// Whether methods of UIKit were replaced in this process.
        @MainActor public static var isSwizzled: Bool { ViewControllerHooks.areInstalled }

        /// Looks whether a view controller is on its way out, and expects it gone if it is. Call it in `viewDidDisappear`:
        ///
        /// ```swift
        /// override func viewDidDisappear(_ animated: Bool) {
        ///     super.viewDidDisappear(animated)
        ///     LeakDetector.shared?.checkDeallocation(of: self)
        /// }
        /// ```
        ///
        /// It replaces no method of UIKit. A controller that was merely covered is left alone.
        ///
        /// - Parameter seconds: its grace period; `nil` for the usual one, ``Limits/graceMilliseconds``.
        @MainActor
        public func checkDeallocation(
            of controller: UIViewController, after seconds: Double? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) {
            guard !isEnding(controller) else { return }
            screens.check(controller, after: seconds, file: file, line: line)
        }
    }

    extension LeakDetector.Finding {
        /// The object, if it is a view controller. Whoever keeps it makes the leak worse.
        public var viewController: UIViewController? { object as? UIViewController }

        /// The object, if it is a view. Whoever keeps it makes the leak worse.
        public var view: UIView? { object as? UIView }
    }

    extension UIView {
        /// Takes the view out of its superview, and expects it and its subviews to be gone soon.
        ///
        /// - Parameter detector: `nil` is the shared one. While there is none, the view is removed and no more.
        public func removeFromSuperviewDetectLeaks(_ detector: LeakDetector? = nil) {
            removeFromSuperview()
            guard !isEnding(self) else { return }
            (detector ?? .shared)?.screens.expectRemoval(of: self, reason: "removed")
        }
    }
#endif

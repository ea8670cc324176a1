#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension LeakDetector {
        /// Watches every view controller of the process. Finds controllers that were dismissed, popped, removed or replaced and
        /// stay in memory, and views that stay after their controller was deallocated.
        ///
        /// For that it replaces the implementations of seven UIKit methods, once per process. Each new implementation calls the
        /// previous implementation. Without this call nothing is replaced; ``checkDeallocation(of:after:file:line:)`` needs no
        /// replacement.
        ///
        /// The detector is retained from now on.
        ///
        /// - Returns: `true` if this detector checks view controllers now; `false` if another detector that was not stopped already
        ///   does.
        @MainActor
        @discardableResult
        public func watchViewControllers() -> Bool {
            if let other = ScreenEventForwarder.detector, !other.isStopped { return other === self }
            ScreenEventForwarder.detector = self
            ViewControllerHooks.install()
            return true
        }

        /// `true` if methods of UIKit were replaced in this process.
        @MainActor public static var isSwizzled: Bool { ViewControllerHooks.areInstalled }

        /// Checks whether a view controller is being closed, and expects it to be deallocated if it is. Call it in
        /// `viewDidDisappear`:
        ///
        /// ```swift
        /// override func viewDidDisappear(_ animated: Bool) {
        ///     super.viewDidDisappear(animated)
        ///     LeakDetector.shared?.checkDeallocation(of: self)
        /// }
        /// ```
        ///
        /// It replaces no UIKit method. A controller that was only covered is ignored.
        ///
        /// - Parameter seconds: the grace period of the controller; `nil` for the usual grace period,
        ///   ``Limits/graceMilliseconds``.
        @MainActor
        public func checkDeallocation(
            of controller: UIViewController, after seconds: Double? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) {
            guard !isDeallocating(controller) else { return }
            screens.check(controller, after: seconds, file: file, line: line)
        }
    }

    extension LeakDetector.Finding {
        /// The object, if it is a view controller. Retaining it makes the leak worse.
        public var viewController: UIViewController? { object as? UIViewController }

        /// The object, if it is a view. Retaining it makes the leak worse.
        public var view: UIView? { object as? UIView }
    }

    extension UIView {
        /// Removes the view from its superview, and expects it and its subviews to be deallocated soon.
        ///
        /// - Parameter detector: `nil` uses the shared detector. While there is no shared detector, the view is only removed.
        public func removeFromSuperviewDetectLeaks(_ detector: LeakDetector? = nil) {
            removeFromSuperview()
            guard !isDeallocating(self) else { return }
            (detector ?? .shared)?.screens.expectDeallocation(ofRemoved: self, reason: "removed")
        }
    }
#endif

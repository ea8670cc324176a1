#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import ObjectiveC
    import UIKit

    /// Simulates other libraries that replace the same UIKit methods as the hooks. From the innermost implementation to the
    /// outermost: a library that exchanges methods, a library that records calls, the hooks, and another library that exchanges
    /// methods. The order depends on the order of installation, so all of them are installed only once.
    @MainActor
    enum OtherSwizzlers {
        /// The selectors with which the hooks called the implementations that they replaced.
        nonisolated(unsafe) static var selectors: [String] = []
        nonisolated(unsafe) private static var originals: [String: IMP] = unsafe [:]
        static var callsBelow = 0
        static var callsAbove = 0
        private static var areInstalled = false

        /// - Parameter install: installs the hooks.
        static func installAround(_ install: () -> Void) {
            guard !areInstalled else { return }
            areInstalled = true
            exchange(#selector(UIViewController.countCallBelow(_:)))
            for selector in [
                #selector(UIViewController.viewDidLoad), #selector(UIViewController.removeFromParent),
            ] {
                unsafe record(selector, of: UIViewController.self, unsafeBitCast(plainRecorder, to: IMP.self))
            }
            for selector in [
                #selector(UIViewController.viewDidAppear(_:)),
                #selector(UIViewController.viewDidDisappear(_:)),
            ] {
                unsafe record(
                    selector, of: UIViewController.self, unsafeBitCast(animatedRecorder, to: IMP.self))
            }
            unsafe record(
                #selector(setter: UIViewController.view), of: UIViewController.self,
                unsafeBitCast(oneArgumentRecorder, to: IMP.self))
            unsafe record(
                #selector(UISplitViewController.showDetailViewController(_:sender:)),
                of: UISplitViewController.self, unsafeBitCast(twoArgumentsRecorder, to: IMP.self))
            unsafe record(
                #selector(UIWindow.sendEvent(_:)), of: UIWindow.self,
                unsafeBitCast(eventRecorder, to: IMP.self))
            install()
            exchange(#selector(UIViewController.countCallAbove(_:)))
        }

        private static func exchange(_ selector: Selector) {
            guard
                let old = unsafe class_getInstanceMethod(
                    UIViewController.self, #selector(UIViewController.viewDidAppear(_:))),
                let new = unsafe class_getInstanceMethod(UIViewController.self, selector)
            else { return }
            unsafe method_exchangeImplementations(old, new)
        }

        private static func record(_ selector: Selector, of type: AnyClass, _ recorder: IMP) {
            guard let method = unsafe class_getInstanceMethod(type, selector) else { return }
            unsafe originals[selector.description] = method_getImplementation(method)
            _ = unsafe class_replaceMethod(type, selector, recorder, method_getTypeEncoding(method))
        }

        /// Records a call.
        ///
        /// - Returns: the implementation that the recorder replaced; `nil` for a selector that none of the seven hooks
        ///   replaces.
        private nonisolated static func next(_ selector: Selector) -> IMP? {
            unsafe selectors.append(selector.description)
            return unsafe originals[selector.description]
        }

        private typealias Plain = @convention(c) (AnyObject, Selector) -> Void
        private typealias Animated = @convention(c) (AnyObject, Selector, ObjCBool) -> Void
        private typealias OneArgument = @convention(c) (AnyObject, Selector, AnyObject?) -> Void
        private typealias TwoArguments = @convention(c) (AnyObject, Selector, AnyObject?, AnyObject?) -> Void

        private static let plainRecorder: Plain = { object, selector in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: Plain.self)(object, selector)
        }

        private static let animatedRecorder: Animated = { object, selector, isAnimated in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: Animated.self)(object, selector, isAnimated)
        }

        private static let oneArgumentRecorder: OneArgument = { object, selector, argument in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: OneArgument.self)(object, selector, argument)
        }

        private static let twoArgumentsRecorder: TwoArguments = { object, selector, argument, sender in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: TwoArguments.self)(object, selector, argument, sender)
        }

        /// Does not call the next implementation, because UIKit cannot handle an event that it did not make.
        private static let eventRecorder: OneArgument = { _, selector, _ in _ = unsafe next(selector) }
    }

    extension UIViewController {
        @objc fileprivate dynamic func countCallBelow(_ animated: Bool) {
            OtherSwizzlers.callsBelow += 1
            countCallBelow(animated)
        }

        @objc fileprivate dynamic func countCallAbove(_ animated: Bool) {
            OtherSwizzlers.callsAbove += 1
            countCallAbove(animated)
        }
    }
#endif

#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import ObjectiveC
    import UIKit

    /// Other agents around the hooks: one below that exchanges methods, one above it that records, and one above the hooks
    /// that exchanges. The order is that of installation, so all are installed once.
    @MainActor
    enum Agents {
        /// The selectors with which the hooks called the implementations below them.
        nonisolated(unsafe) static var selectors: [String] = []
        nonisolated(unsafe) private static var originals: [String: IMP] = unsafe [:]
        static var below = 0
        static var above = 0
        private static var areInstalled = false

        /// - Parameter install: installs the hooks.
        static func installAround(_ install: () -> Void) {
            guard !areInstalled else { return }
            areInstalled = true
            exchange(#selector(UIViewController.agentBelow(_:)))
            for selector in [
                #selector(UIViewController.viewDidLoad), #selector(UIViewController.removeFromParent),
            ] {
                unsafe record(selector, of: UIViewController.self, unsafeBitCast(plain, to: IMP.self))
            }
            for selector in [
                #selector(UIViewController.viewDidAppear(_:)),
                #selector(UIViewController.viewDidDisappear(_:)),
            ] {
                unsafe record(selector, of: UIViewController.self, unsafeBitCast(animated, to: IMP.self))
            }
            unsafe record(
                #selector(setter: UIViewController.view), of: UIViewController.self,
                unsafeBitCast(one, to: IMP.self))
            unsafe record(
                #selector(UISplitViewController.showDetailViewController(_:sender:)),
                of: UISplitViewController.self, unsafeBitCast(two, to: IMP.self))
            unsafe record(
                #selector(UIWindow.sendEvent(_:)), of: UIWindow.self,
                unsafeBitCast(event, to: IMP.self))
            install()
            exchange(#selector(UIViewController.agentAbove(_:)))
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

        /// - Returns: `nil` for a selector that is not one of the seven.
        private nonisolated static func next(_ selector: Selector) -> IMP? {
            unsafe selectors.append(selector.description)
            return unsafe originals[selector.description]
        }

        private typealias Plain = @convention(c) (AnyObject, Selector) -> Void
        private typealias Animated = @convention(c) (AnyObject, Selector, ObjCBool) -> Void
        private typealias One = @convention(c) (AnyObject, Selector, AnyObject?) -> Void
        private typealias Two = @convention(c) (AnyObject, Selector, AnyObject?, AnyObject?) -> Void

        private static let plain: Plain = { object, selector in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: Plain.self)(object, selector)
        }

        private static let animated: Animated = { object, selector, isAnimated in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: Animated.self)(object, selector, isAnimated)
        }

        private static let one: One = { object, selector, argument in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: One.self)(object, selector, argument)
        }

        private static let two: Two = { object, selector, argument, sender in
            guard let next = unsafe next(selector) else { return }
            unsafe unsafeBitCast(next, to: Two.self)(object, selector, argument, sender)
        }

        /// Does not call the next implementation, because UIKit cannot handle an event that it did not make.
        private static let event: One = { _, selector, _ in _ = unsafe next(selector) }
    }

    extension UIViewController {
        @objc fileprivate dynamic func agentBelow(_ animated: Bool) {
            Agents.below += 1
            agentBelow(animated)
        }

        @objc fileprivate dynamic func agentAbove(_ animated: Bool) {
            Agents.above += 1
            agentAbove(animated)
        }
    }
#endif

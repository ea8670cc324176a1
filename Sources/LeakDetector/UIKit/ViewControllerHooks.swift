#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    internal import ObjectiveC
    internal import UIKit

    /// Replaces seven methods of UIKit by ones that call what was there before, under its own selector, and tell of it.
    ///
    /// Implementations are replaced, not exchanged with methods of other names: agents that wrap the same methods look at
    /// the selector they are called with, and crash when it is not theirs. Who wraps a method before or after this one
    /// stays in the chain. A subclass that does not call `super` is not heard of through that method.
    @MainActor
    enum ViewControllerHooks {
        private(set) static var areInstalled = false

        static func install() {
            guard !areInstalled else { return }
            areInstalled = true
            follow(#selector(UIViewController.viewDidLoad), .didLoad)
            followAnimated(#selector(UIViewController.viewDidAppear(_:)), .didAppear)
            followAnimated(#selector(UIViewController.viewDidDisappear(_:)), .didDisappear)
            follow(#selector(UIViewController.removeFromParent), .didRemoveFromParent)
            precedeSetView(#selector(setter: UIViewController.view))
            precedeShowDetail(#selector(UISplitViewController.showDetailViewController(_:sender:)))
            precedeSendEvent(#selector(UIWindow.sendEvent(_:)))
        }

        private nonisolated static func follow(_ selector: Selector, _ event: ScreenEvent) {
            typealias Original = @convention(c) (UIViewController, Selector) -> Void
            typealias Block = @convention(block) (UIViewController) -> Void
            unsafe replace(selector, of: UIViewController.self) { implementation in
                let original = unsafe unsafeBitCast(implementation, to: Original.self)
                let block: Block = { controller in
                    original(controller, selector)
                    tell(of: controller) { ScreenWatch.didSee(event, controller) }
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func followAnimated(_ selector: Selector, _ event: ScreenEvent) {
            typealias Original = @convention(c) (UIViewController, Selector, ObjCBool) -> Void
            typealias Block = @convention(block) (UIViewController, ObjCBool) -> Void
            unsafe replace(selector, of: UIViewController.self) { implementation in
                let original = unsafe unsafeBitCast(implementation, to: Original.self)
                let block: Block = { controller, isAnimated in
                    original(controller, selector, isAnimated)
                    tell(of: controller) { ScreenWatch.didSee(event, controller) }
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func precedeSetView(_ selector: Selector) {
            typealias Original = @convention(c) (UIViewController, Selector, UIView?) -> Void
            typealias Block = @convention(block) (UIViewController, UIView?) -> Void
            unsafe replace(selector, of: UIViewController.self) { implementation in
                let original = unsafe unsafeBitCast(implementation, to: Original.self)
                let block: Block = { controller, view in
                    tell(of: controller) { ScreenWatch.viewWillChange(of: controller) }
                    original(controller, selector, view)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func precedeShowDetail(_ selector: Selector) {
            typealias Original =
                @convention(c) (
                    UISplitViewController, Selector, UIViewController, AnyObject?
                ) -> Void
            typealias Block = @convention(block) (UISplitViewController, UIViewController, AnyObject?) -> Void
            unsafe replace(selector, of: UISplitViewController.self) { implementation in
                let original = unsafe unsafeBitCast(implementation, to: Original.self)
                let block: Block = { split, detail, sender in
                    tell(of: detail) { ScreenWatch.willShowDetail(detail, in: split) }
                    original(split, selector, detail, sender)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func precedeSendEvent(_ selector: Selector) {
            typealias Original = @convention(c) (UIWindow, Selector, UIEvent) -> Void
            typealias Block = @convention(block) (UIWindow, UIEvent) -> Void
            unsafe replace(selector, of: UIWindow.self) { implementation in
                let original = unsafe unsafeBitCast(implementation, to: Original.self)
                let block: Block = { window, event in
                    tell(of: window) { ScreenWatch.willSend(event) }
                    original(window, selector, event)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        /// - Parameter block: makes the new implementation, as an Objective-C block, of the one to call.
        private nonisolated static func replace(
            _ selector: Selector, of type: AnyClass, by block: (IMP) -> AnyObject
        ) {
            guard let method = unsafe class_getInstanceMethod(type, selector) else { return }
            let new = unsafe imp_implementationWithBlock(block(method_getImplementation(method)))
            // As method_setImplementation, but a method that the class inherits is not replaced for its superclass too.
            _ = unsafe class_replaceMethod(type, selector, new, method_getTypeEncoding(method))
        }

        /// Nothing is told of an object in its end, such as a controller whose `deinit` asks for a view that was never loaded:
        /// making a weak reference to it would stop the app.
        private nonisolated static func tell(of object: AnyObject, _ body: @MainActor () -> Void) {
            if !isEnding(object) { ScreenWatch.onMainThread(body) }
        }
    }
#endif

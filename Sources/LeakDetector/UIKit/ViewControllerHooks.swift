#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    internal import ObjectiveC
    internal import UIKit

    /// The replacements of seven UIKit methods. Each calls the previous implementation, with its own selector, and reports the
    /// call.
    ///
    /// Implementations are replaced, not exchanged with methods of other names: agents that wrap the same methods check the
    /// selector with which they are called, and crash when it is not theirs. An agent that wraps a method before or after this replacement
    /// stays in the chain. A call is not noticed if a subclass overrides the method without calling `super`.
    @MainActor
    enum ViewControllerHooks {
        /// `true` if any of the methods was found and replaced.
        private(set) static var areInstalled = false

        static func install() {
            guard !areInstalled else { return }
            let replaced = [
                addHookAfter(#selector(UIViewController.viewDidLoad), .didLoad),
                addHookAfterAnimated(#selector(UIViewController.viewDidAppear(_:)), .didAppear),
                addHookAfterAnimated(#selector(UIViewController.viewDidDisappear(_:)), .didDisappear),
                addHookAfter(#selector(UIViewController.removeFromParent), .didRemoveFromParent),
                addHookBeforeSetView(#selector(setter: UIViewController.view)),
                addHookBeforeShowDetail(#selector(UISplitViewController.showDetailViewController(_:sender:))),
                addHookBeforeSendEvent(#selector(UIWindow.sendEvent(_:))),
            ]
            areInstalled = replaced.contains(true)
        }

        /// Replaces a method by an implementation that reports an event after the call.
        private nonisolated static func addHookAfter(_ selector: Selector, _ event: ScreenEvent) -> Bool {
            typealias Original = @convention(c) (UIViewController, Selector) -> Void
            typealias Block = @convention(block) (UIViewController) -> Void
            return replace(selector, of: UIViewController.self) { next in
                let block: Block = { controller in
                    unsafe unsafeBitCast(next.implementation, to: Original.self)(controller, selector)
                    notify(of: controller) { ScreenEventForwarder.handle(event, controller) }
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        /// Adds the hook of ``addHookAfter(_:_:)`` to a method with the parameter `animated`.
        private nonisolated static func addHookAfterAnimated(_ selector: Selector, _ event: ScreenEvent)
            -> Bool
        {
            typealias Original = @convention(c) (UIViewController, Selector, ObjCBool) -> Void
            typealias Block = @convention(block) (UIViewController, ObjCBool) -> Void
            return replace(selector, of: UIViewController.self) { next in
                let block: Block = { controller, isAnimated in
                    unsafe unsafeBitCast(next.implementation, to: Original.self)(
                        controller, selector, isAnimated)
                    notify(of: controller) { ScreenEventForwarder.handle(event, controller) }
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func addHookBeforeSetView(_ selector: Selector) -> Bool {
            typealias Original = @convention(c) (UIViewController, Selector, UIView?) -> Void
            typealias Block = @convention(block) (UIViewController, UIView?) -> Void
            return replace(selector, of: UIViewController.self) { next in
                let block: Block = { controller, view in
                    notify(of: controller) { ScreenEventForwarder.viewWillChange(of: controller) }
                    unsafe unsafeBitCast(next.implementation, to: Original.self)(controller, selector, view)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func addHookBeforeShowDetail(_ selector: Selector) -> Bool {
            typealias Original =
                @convention(c) (
                    UISplitViewController, Selector, UIViewController, AnyObject?
                ) -> Void
            typealias Block = @convention(block) (UISplitViewController, UIViewController, AnyObject?) -> Void
            return replace(selector, of: UISplitViewController.self) { next in
                let block: Block = { split, detail, sender in
                    notify(of: detail) { ScreenEventForwarder.willShowDetail(detail, in: split) }
                    unsafe unsafeBitCast(next.implementation, to: Original.self)(
                        split, selector, detail, sender)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        private nonisolated static func addHookBeforeSendEvent(_ selector: Selector) -> Bool {
            typealias Original = @convention(c) (UIWindow, Selector, UIEvent) -> Void
            typealias Block = @convention(block) (UIWindow, UIEvent) -> Void
            return replace(selector, of: UIWindow.self) { next in
                let block: Block = { window, event in
                    notify(of: window) { ScreenEventForwarder.willSend(event) }
                    unsafe unsafeBitCast(next.implementation, to: Original.self)(window, selector, event)
                }
                return unsafe unsafeBitCast(block, to: AnyObject.self)
            }
        }

        /// The implementation that a new implementation calls.
        @safe
        private final class Next {
            fileprivate(set) var implementation: IMP
            init(_ implementation: IMP) { unsafe self.implementation = implementation }
        }

        /// - Parameter block: makes the new implementation, as an Objective-C block, from the previous implementation, which
        ///   the block has to call.
        /// - Returns: `true` if the class has such a method, which is replaced now.
        private nonisolated static func replace(
            _ selector: Selector, of type: AnyClass, by block: (Next) -> AnyObject
        ) -> Bool {
            guard let method = unsafe class_getInstanceMethod(type, selector) else { return false }
            let next = unsafe Next(method_getImplementation(method))
            let new = unsafe imp_implementationWithBlock(block(next))
            // Like `method_setImplementation`, but a method that the class inherits is not replaced for its superclass too. The
            // implementation that was really replaced stays in the chain: another agent may have come in between.
            if let old = unsafe class_replaceMethod(type, selector, new, method_getTypeEncoding(method)) {
                unsafe next.implementation = old
            }
            return true
        }

        /// Calls `body` if there is a detector, unless the object is being deallocated. For example, the `deinit` of a controller
        /// may load its view; making a weak reference to the controller would then stop the app.
        private nonisolated static func notify(of object: AnyObject, _ body: @MainActor () -> Void) {
            nonisolated(unsafe) let object = object
            ScreenEventForwarder.onMainThread {
                if ScreenEventForwarder.detector != nil, unsafe !isDeallocating(object) { body() }
            }
        }
    }
#endif

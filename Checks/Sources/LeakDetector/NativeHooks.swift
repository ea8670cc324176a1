internal import UIKit

/// Stand-in for the hooks of the library: calls ``ScreenEventForwarder`` before or after the original method, as the hooks do.
///
/// Replaces methods with `@_dynamicReplacement`, which works without Objective-C. Such a replacement lasts for the whole run of the
/// program, so a variable says whether the hooks are installed.
@MainActor
enum ViewControllerHooks {
    private(set) static var areInstalled = false

    static func install() { areInstalled = true }

    static func notify(_ body: () -> Void) { if areInstalled { body() } }
}

extension UIViewController {
    @_dynamicReplacement(for:viewDidLoad())
    func forwardViewDidLoad() {
        viewDidLoad()
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didLoad, self) }
    }

    @_dynamicReplacement(for:viewDidAppear(_:))
    func forwardViewDidAppear(_ animated: Bool) {
        viewDidAppear(animated)
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didAppear, self) }
    }

    @_dynamicReplacement(for:viewDidDisappear(_:))
    func forwardViewDidDisappear(_ animated: Bool) {
        viewDidDisappear(animated)
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didDisappear, self) }
    }

    @_dynamicReplacement(for:removeFromParent())
    func forwardRemoveFromParent() {
        removeFromParent()
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didRemoveFromParent, self) }
    }

    @_dynamicReplacement(for:setView(_:))
    func forwardSetView(_ view: UIView?) {
        ViewControllerHooks.notify { ScreenEventForwarder.viewWillChange(of: self) }
        setView(view)
    }
}

extension UISplitViewController {
    @_dynamicReplacement(for:showDetailViewController(_:sender:))
    func forwardShowDetail(_ detail: UIViewController, sender: Any?) {
        ViewControllerHooks.notify { ScreenEventForwarder.willShowDetail(detail, in: self) }
        showDetailViewController(detail, sender: sender)
    }
}

extension UIWindow {
    @_dynamicReplacement(for:sendEvent(_:))
    func forwardSendEvent(_ event: UIEvent) {
        ViewControllerHooks.notify { ScreenEventForwarder.willSend(event) }
        sendEvent(event)
    }
}

internal import UIKit

/// Stand-in for the replaced implementations: calls ``ScreenEventForwarder`` as they do, before or after the original.
///
/// Swift's own replacement works without Objective-C, but for the whole run of the program: what was installed decides.
@MainActor
enum ViewControllerHooks {
    private(set) static var areInstalled = false

    static func install() { areInstalled = true }

    static func notify(_ body: () -> Void) { if areInstalled { body() } }
}

extension UIViewController {
    @_dynamicReplacement(for:viewDidLoad())
    func toldViewDidLoad() {
        viewDidLoad()
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didLoad, self) }
    }

    @_dynamicReplacement(for:viewDidAppear(_:))
    func toldViewDidAppear(_ animated: Bool) {
        viewDidAppear(animated)
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didAppear, self) }
    }

    @_dynamicReplacement(for:viewDidDisappear(_:))
    func toldViewDidDisappear(_ animated: Bool) {
        viewDidDisappear(animated)
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didDisappear, self) }
    }

    @_dynamicReplacement(for:removeFromParent())
    func toldRemoveFromParent() {
        removeFromParent()
        ViewControllerHooks.notify { ScreenEventForwarder.handle(.didRemoveFromParent, self) }
    }

    @_dynamicReplacement(for:setView(_:))
    func toldSetView(_ view: UIView?) {
        ViewControllerHooks.notify { ScreenEventForwarder.viewWillChange(of: self) }
        setView(view)
    }
}

extension UISplitViewController {
    @_dynamicReplacement(for:showDetailViewController(_:sender:))
    func toldShowDetail(_ detail: UIViewController, sender: Any?) {
        ViewControllerHooks.notify { ScreenEventForwarder.willShowDetail(detail, in: self) }
        showDetailViewController(detail, sender: sender)
    }
}

extension UIWindow {
    @_dynamicReplacement(for:sendEvent(_:))
    func toldSendEvent(_ event: UIEvent) {
        ViewControllerHooks.notify { ScreenEventForwarder.willSend(event) }
        sendEvent(event)
    }
}

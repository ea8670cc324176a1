internal import UIKit

/// Stand-in for the replaced implementations: calls ``ScreenWatch`` as they do, before or after the original implementation.
///
/// Swift's own replacement works without Objective-C, but for the whole run of the program: what was installed decides.
@MainActor
enum ViewControllerHooks {
    private(set) static var areInstalled = false

    static func install() { areInstalled = true }

    static func tell(_ body: () -> Void) { if areInstalled { body() } }
}

extension UIViewController {
    @_dynamicReplacement(for:viewDidLoad())
    func toldViewDidLoad() {
        viewDidLoad()
        ViewControllerHooks.tell { ScreenWatch.didSee(.didLoad, self) }
    }

    @_dynamicReplacement(for:viewDidAppear(_:))
    func toldViewDidAppear(_ animated: Bool) {
        viewDidAppear(animated)
        ViewControllerHooks.tell { ScreenWatch.didSee(.didAppear, self) }
    }

    @_dynamicReplacement(for:viewDidDisappear(_:))
    func toldViewDidDisappear(_ animated: Bool) {
        viewDidDisappear(animated)
        ViewControllerHooks.tell { ScreenWatch.didSee(.didDisappear, self) }
    }

    @_dynamicReplacement(for:removeFromParent())
    func toldRemoveFromParent() {
        removeFromParent()
        ViewControllerHooks.tell { ScreenWatch.didSee(.didRemoveFromParent, self) }
    }

    @_dynamicReplacement(for:setView(_:))
    func toldSetView(_ view: UIView?) {
        ViewControllerHooks.tell { ScreenWatch.viewWillChange(of: self) }
        setView(view)
    }
}

extension UISplitViewController {
    @_dynamicReplacement(for:showDetailViewController(_:sender:))
    func toldShowDetail(_ detail: UIViewController, sender: Any?) {
        ViewControllerHooks.tell { ScreenWatch.willShowDetail(detail, in: self) }
        showDetailViewController(detail, sender: sender)
    }
}

extension UIWindow {
    @_dynamicReplacement(for:sendEvent(_:))
    func toldSendEvent(_ event: UIEvent) {
        ViewControllerHooks.tell { ScreenWatch.willSend(event) }
        sendEvent(event)
    }
}

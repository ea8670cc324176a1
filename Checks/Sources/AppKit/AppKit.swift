@_exported public import Associations
@_exported public import Foundation

@MainActor
open class NSResponder: Associating {
    open var nextResponder: NSResponder? { nil }
}

@MainActor
open class NSView: NSResponder {
    public private(set) weak var superview: NSView?
    public private(set) var subviews: [NSView] = []
    public internal(set) weak var window: NSWindow? {
        didSet { for view in subviews { view.window = window } }
    }
    weak var owner: NSViewController?

    public override var nextResponder: NSResponder? { owner ?? superview }

    public func addSubview(_ view: NSView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        view.window = window
    }

    public func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        window = nil
    }
}

@MainActor
open class NSViewController: NSResponder {
    public private(set) weak var parent: NSViewController?
    public private(set) var children: [NSViewController] = []
    public private(set) var presentedViewControllers: [NSViewController]?
    public private(set) weak var presentingViewController: NSViewController?
    private var loaded: NSView?

    public var isViewLoaded: Bool { loaded != nil }
    public var view: NSView {
        if let loaded { return loaded }
        let view = NSView()
        view.owner = self
        loaded = view
        return view
    }

    open func viewDidDisappear() {}

    public func addChild(_ child: NSViewController) {
        children.append(child)
        child.parent = self
    }

    public func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    public func presentAsSheet(_ controller: NSViewController) {
        presentedViewControllers = (presentedViewControllers ?? []) + [controller]
        controller.presentingViewController = self
        controller.view.window = view.window
    }

    public func dismiss(_ controller: NSViewController) {
        presentedViewControllers?.removeAll { $0 === controller }
        controller.view.window = nil
        controller.viewDidDisappear()
        controller.presentingViewController = nil
    }
}

@MainActor
open class NSWindow: NSResponder {
    public internal(set) weak var windowController: NSWindowController?
    public var contentViewController: NSViewController? {
        didSet {
            oldValue?.view.window = nil
            oldValue?.viewDidDisappear()
            contentViewController?.view.window = self
        }
    }
}

@MainActor
open class NSWindowController: NSResponder {
    public let window: NSWindow?
    public init(window: NSWindow?) {
        self.window = window
        super.init()
        window?.windowController = self
    }
}

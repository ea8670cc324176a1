#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    internal import AppKit

    extension NSViewController: ScreenNode {
        var screenParent: (any ScreenNode)? { parent }
        var screenPresented: (any ScreenNode)? { presentedViewControllers?.first }
        var screenPresenter: (any ScreenNode)? { presentingViewController }
        var screenIsStack: Bool { false }
        var screenIsKeptByOwner: Bool { false }
        var screenHidesDetail: Bool { false }
        var screenContained: [any ScreenNode] { children }
        var screenWindowClass: AnyClass? { isViewLoaded ? view.viewWindowClass : nil }

        // AppKit has no property for a controller that is being removed or dismissed, but by `viewDidDisappear` its view has left
        // the window.
        var screenIsMovingFromParent: Bool { parent == nil && screenWindowClass == nil }
        var screenIsBeingDismissed: Bool { screenIsMovingFromParent }
        var screenView: (any ViewNode)? { isViewLoaded ? view : nil }

        var screenLifetimeToken: ScreenLifetimeToken? {
            get { unsafe objc_getAssociatedObject(self, &screenLifetimeTokenKey) as? ScreenLifetimeToken }
            set {
                unsafe objc_setAssociatedObject(
                    self, &screenLifetimeTokenKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
            }
        }
    }

    extension NSView: ViewNode {
        var viewParent: (any ViewNode)? { superview }
        var viewChildren: [any ViewNode] { subviews }
        var viewWindowClass: AnyClass? { window.map { type(of: $0) } }
        var viewController: (any ScreenNode)? { nextResponder as? NSViewController }
        var viewIsTransitionLeftover: Bool { false }
        var viewBorrowsChildren: Bool { false }
    }

    /// A variable whose address is the key of the associated object. Its value is neither read nor written.
    nonisolated(unsafe) private var screenLifetimeTokenKey: UInt8 = 0
#endif

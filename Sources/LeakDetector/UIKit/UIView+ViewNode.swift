#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIView: ViewNode {
        var viewParent: (any ViewNode)? { superview }
        var viewChildren: [any ViewNode] { subviews }
        var viewWindowClass: AnyClass? { window.map { type(of: $0) } }
        var viewBorrowsChildren: Bool { self is UINavigationBar }
        var viewController: (any ScreenNode)? { next as? UIViewController }

        var viewIsTransitionLeftover: Bool {
            SystemClasses.transitionViews.contains(String(describing: type(of: self)))
        }
    }
#endif

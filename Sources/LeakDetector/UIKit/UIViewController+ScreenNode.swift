#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIViewController: ScreenNode {
        var screenParent: (any ScreenNode)? { parent }

        // UIKit's property also considers ancestors: for a child it returns the controller that its container presents.
        var screenPresented: (any ScreenNode)? {
            presentedViewController?.presentingViewController === self ? presentedViewController : nil
        }

        var screenPresenter: (any ScreenNode)? { presentingViewController }
        var screenIsStack: Bool { self is UINavigationController }
        var screenIsKeptByOwner: Bool { self is UISearchController }

        var screenHidesDetail: Bool {
            guard let split = self as? UISplitViewController else { return false }
            return split.style == .unspecified && split.viewControllers.count < 2
        }

        var screenContained: [any ScreenNode] {
            switch self {
            case let navigation as UINavigationController: navigation.viewControllers
            case let tabs as UITabBarController: tabs.viewControllers ?? []
            case let pages as UIPageViewController: pages.viewControllers ?? []
            case let split as UISplitViewController: split.keptControllers
            default: children
            }
        }

        var screenWindowClass: AnyClass? { viewIfLoaded?.viewWindowClass }
        var screenIsMovingFromParent: Bool { isMovingFromParent }
        var screenIsBeingDismissed: Bool { isBeingDismissed }
        var screenView: (any ViewNode)? { viewIfLoaded }

        var screenLifetimeToken: ScreenLifetimeToken? {
            get { unsafe objc_getAssociatedObject(self, &screenLifetimeTokenKey) as? ScreenLifetimeToken }
            set {
                unsafe objc_setAssociatedObject(
                    self, &screenLifetimeTokenKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
            }
        }
    }

    extension UISplitViewController {
        /// The shown controllers, and the columns that are not shown: a collapsed split view controller takes them out of its
        /// stack, but keeps them.
        fileprivate var keptControllers: [UIViewController] {
            guard style != .unspecified else { return viewControllers }
            let columns: [Column] = [.primary, .supplementary, .secondary, .compact]
            return viewControllers + columns.compactMap(viewController(for:))
        }
    }

    /// A variable whose address is the key of the associated object. Its value is neither read nor written.
    nonisolated(unsafe) private var screenLifetimeTokenKey: UInt8 = 0
#endif

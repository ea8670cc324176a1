@MainActor
open class UINavigationController: UIViewController {
    public private(set) var viewControllers: [UIViewController] = []
    public var topViewController: UIViewController? { viewControllers.last }

    public convenience init(rootViewController: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        setViewControllers([rootViewController], animated: false)
    }

    open override func loadView() { view = UILayoutContainerView() }

    open override func viewDidLoad() {
        super.viewDidLoad()
        if let top = topViewController { take(top, showing: true) }
    }

    public func pushViewController(_ controller: UIViewController, animated: Bool) {
        setViewControllers(viewControllers + [controller], animated: animated)
    }

    @discardableResult
    public func popViewController(animated: Bool) -> UIViewController? {
        guard viewControllers.count > 1, let top = topViewController else { return nil }
        setViewControllers(viewControllers.dropLast(), animated: animated)
        return top
    }

    @discardableResult
    public func popToRootViewController(animated: Bool) -> [UIViewController]? {
        let gone = Array(viewControllers.dropFirst())
        setViewControllers(Array(viewControllers.prefix(1)), animated: animated)
        return gone
    }

    public func setViewControllers(_ stack: [UIViewController], animated: Bool) {
        let (old, oldTop) = (viewControllers, topViewController)
        viewControllers = stack
        for controller in old where !stack.contains(where: { $0 === controller }) { drop(controller) }
        for controller in stack { take(controller, showing: controller === stack.last) }
        if let oldTop, oldTop !== stack.last { oldTop.viewIfLoaded?.removeFromSuperview() }
    }
}

@MainActor
open class UITabBarController: UIViewController {
    public var viewControllers: [UIViewController]? {
        didSet {
            for controller in oldValue ?? [] { drop(controller) }
            for controller in viewControllers ?? [] { take(controller, showing: false) }
            show(0)
        }
    }

    public var selectedIndex = 0 {
        didSet {
            viewControllers?[oldValue].viewIfLoaded?.removeFromSuperview()
            show(selectedIndex)
        }
    }

    open override func loadView() { view = UILayoutContainerView() }

    open override func viewDidLoad() {
        super.viewDidLoad()
        show(selectedIndex)
    }

    private func show(_ index: Int) {
        guard let tabs = viewControllers, tabs.indices.contains(index) else { return }
        take(tabs[index], showing: true)
    }
}

/// Like UIKit's class, keeps the previous page as a child until the next change of pages.
@MainActor
open class UIPageViewController: UIViewController {
    public enum NavigationDirection: Sendable { case forward, reverse }

    public private(set) var viewControllers: [UIViewController]?
    private var previousPages: [UIViewController] = []

    public func setViewControllers(
        _ pages: [UIViewController]?, direction: NavigationDirection, animated: Bool
    ) {
        for page in previousPages where pages?.contains(where: { $0 === page }) != true { drop(page) }
        previousPages = viewControllers ?? []
        viewControllers = pages
        for page in pages ?? [] { take(page, showing: true) }
        for page in previousPages { page.viewIfLoaded?.removeFromSuperview() }
    }

    open override func viewDidLoad() {
        super.viewDidLoad()
        for page in viewControllers ?? [] { take(page, showing: true) }
    }
}

/// A collapsed split view, as on a phone. When the user goes back to the list, the split view retains the detail, which is no
/// child any more.
@MainActor
open class UISplitViewController: UIViewController {
    public enum Style: Sendable {
        case unspecified, doubleColumn, tripleColumn
    }

    public enum Column: Sendable {
        case primary, supplementary, secondary, compact
    }

    public let style: Style
    public private(set) var viewControllers: [UIViewController]
    private var kept: UIViewController?
    private var columns: [Column: UIViewController] = [:]

    public init(style: Style) {
        self.style = style
        viewControllers = []
        super.init(nibName: nil, bundle: nil)
    }

    /// Stores the controller of a column. Nothing is shown.
    public func setViewController(_ controller: UIViewController?, for column: Column) {
        columns[column] = controller
    }

    public func viewController(for column: Column) -> UIViewController? { columns[column] }

    public init(list: UIViewController) {
        style = .unspecified
        viewControllers = [list]
        super.init(nibName: nil, bundle: nil)
        take(list, showing: false)
    }

    public required init?(coder: NSCoder) { nil }

    open override func viewDidLoad() {
        super.viewDidLoad()
        for controller in viewControllers { take(controller, showing: true) }
    }

    public dynamic func showDetailViewController(_ detail: UIViewController, sender: Any?) {
        kept = nil
        for old in viewControllers.dropFirst() { drop(old) }
        viewControllers = Array(viewControllers.prefix(1)) + [detail]
        take(detail, showing: true)
    }

    public func goBackToList() {
        kept = viewControllers.dropFirst().first
        viewControllers = Array(viewControllers.prefix(1))
        if let kept { drop(kept) }
    }
}

@MainActor
open class UIImagePickerController: UINavigationController {}

@MainActor
open class UISearchController: UIViewController {}

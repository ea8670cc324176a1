@MainActor
open class UIViewController: UIResponder {
    public private(set) weak var parent: UIViewController?
    public private(set) var children: [UIViewController] = []
    public var modalPresentationStyle = UIModalPresentationStyle.pageSheet
    public private(set) var isBeingDismissed = false
    public internal(set) var isMovingFromParent = false
    public private(set) var viewIfLoaded: UIView?

    private var presented: UIViewController?
    private weak var presenter: UIViewController?
    private var isOnScreen = false

    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public override convenience init() { self.init(nibName: nil, bundle: nil) }
    /// Called for a storyboard; never in these tests.
    public required init?(coder: NSCoder) { nil }

    public override var next: UIResponder? { viewIfLoaded?.superview }

    // MARK: Its view

    public var view: UIView {
        get {
            if viewIfLoaded == nil {
                loadView()
                viewDidLoad()
            }
            guard let viewIfLoaded else { preconditionFailure("loadView made no view") }
            return viewIfLoaded
        }
        set { setView(newValue) }
    }

    /// The setter of ``view``, under its name in Objective-C.
    public dynamic func setView(_ view: UIView?) {
        viewIfLoaded?.owner = nil
        viewIfLoaded = view
        view?.owner = self
    }

    open func loadView() { view = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844)) }

    // MARK: Appearing

    open dynamic func viewDidLoad() {}
    open dynamic func viewWillAppear(_ animated: Bool) {}
    open dynamic func viewDidAppear(_ animated: Bool) {}
    open dynamic func viewWillDisappear(_ animated: Bool) {}
    open dynamic func viewDidDisappear(_ animated: Bool) {}

    func appear() {
        guard !isOnScreen else { return }
        isOnScreen = true
        viewWillAppear(false)
        viewDidAppear(false)
    }

    func disappear() {
        guard isOnScreen else { return }
        isOnScreen = false
        viewWillDisappear(false)
        viewDidDisappear(false)
    }

    // MARK: Children

    public func addChild(_ child: UIViewController) {
        guard child.parent !== self else { return }
        child.parent?.children.removeAll { $0 === child }
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
    }

    public dynamic func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
        didMove(toParent: nil)
    }

    open func willMove(toParent parent: UIViewController?) { if parent == nil { isMovingFromParent = true } }
    open func didMove(toParent parent: UIViewController?) { isMovingFromParent = false }

    /// Removes a child as a container does when the child leaves it.
    func drop(_ child: UIViewController) {
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
    }

    /// Adds a child as a container does when the child is added, or appears on the screen.
    func take(_ child: UIViewController, showing isShown: Bool) {
        addChild(child)
        if isShown, let view = viewIfLoaded { view.addSubview(child.view) }
        child.didMove(toParent: self)
    }

    // MARK: Presenting

    public var presentedViewController: UIViewController? { presented ?? parent?.presentedViewController }
    public var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }

    public func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {
        // The outermost container presents, even if one of its children was asked to present.
        if let parent { return parent.present(controller, animated: animated, completion: completion) }
        guard presented == nil, let window = viewIfLoaded?.window else { return }
        presented = controller
        controller.presenter = self
        let transition = UITransitionView()
        window.addSubview(transition)
        if controller.modalPresentationStyle == .fullScreen {
            transition.addSubview(controller.view)
        } else {
            let sheet = UIDropShadowView()
            sheet.addSubview(controller.view)
            transition.addSubview(sheet)
        }
        if controller.modalPresentationStyle == .fullScreen { view.removeFromSuperview() }
        completion?()
    }

    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        guard let controller = presented else {
            (presenter ?? parent)?.dismiss(animated: animated, completion: completion)
            return
        }
        if controller.presented != nil { controller.dismiss(animated: false) }
        controller.isBeingDismissed = true
        var transition = controller.view.superview
        while let outer = transition?.superview, !(outer is UIWindow) { transition = outer }
        let window = controller.view.window
        transition?.removeFromSuperview()
        if controller.modalPresentationStyle == .fullScreen { window?.addSubview(view) }
        presented = nil
        controller.presenter = nil
        controller.isBeingDismissed = false
        completion?()
    }
}

public enum UIModalPresentationStyle: Hashable, Sendable { case pageSheet, fullScreen }

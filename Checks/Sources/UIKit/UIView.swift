@_exported public import Associations
@_exported public import Foundation

@MainActor
open class UIResponder: Associating {
    open var next: UIResponder? { nil }
}

@MainActor
open class UIView: UIResponder {
    public private(set) weak var superview: UIView?
    public private(set) var subviews: [UIView] = []
    public var bounds: CGRect
    public var tag = 0
    public let layer = CALayer()
    public var backgroundColor: UIColor?
    public var layoutMargins = UIEdgeInsets(top: 8, left: 8, bottom: 8, right: 8)
    public var contentMode = ContentMode.scaleToFill
    public var translatesAutoresizingMaskIntoConstraints = true
    private var resistance: [NSLayoutConstraint.Axis: UILayoutPriority] = [:]

    /// The controller whose view this is.
    weak var owner: UIViewController?

    public init(frame: CGRect) {
        bounds = CGRect(origin: .zero, size: frame.size)
        super.init()
    }

    public override convenience init() { self.init(frame: .zero) }

    public override var next: UIResponder? { owner ?? superview }
    open var window: UIWindow? { superview?.window }

    public func contentCompressionResistancePriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        resistance[axis] ?? .defaultHigh
    }

    public func setContentCompressionResistancePriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) {
        resistance[axis] = priority
    }

    public func addSubview(_ view: UIView) {
        view.move {
            view.leave()
            subviews.append(view)
            view.superview = self
        }
    }

    public func removeFromSuperview() { move { leave() } }

    private func leave() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }

    /// Notifies the controllers in this tree of views when the tree appears on the screen or leaves the screen.
    private func move(_ change: () -> Void) {
        let wasVisible = isVisible
        change()
        guard isVisible != wasVisible else { return }
        notifyControllers { isVisible ? $0.appear() : $0.disappear() }
    }

    private var isVisible: Bool { window?.isHidden == false }

    private func notifyControllers(_ tell: (UIViewController) -> Void) {
        if let owner { tell(owner) }
        for view in subviews { view.notifyControllers(tell) }
    }
}

@MainActor
open class UINavigationBar: UIView {}

/// The view of UIKit's container controllers.
final class UILayoutContainerView: UIView {}

/// The view into which UIKit puts the views of presented controllers.
final class UITransitionView: UIView {}

/// The view of a sheet, inside its transition view.
final class UIDropShadowView: UIView {}

@MainActor
open class UIWindow: UIView {
    public nonisolated static let didBecomeVisibleNotification = Notification.Name(
        "UIWindowDidBecomeVisibleNotification")

    public struct Level: Hashable, Sendable {
        public let rawValue: CGFloat
        public static let alert = Level(rawValue: 2000)
        public static func + (level: Level, height: CGFloat) -> Level {
            Level(rawValue: level.rawValue + height)
        }
    }

    public internal(set) weak var windowScene: UIWindowScene?
    public var windowLevel = Level(rawValue: 0)

    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
        windowScene.add(self)
    }

    /// Called by the system to restore a scene; never in these tests.
    public required init?(coder: NSCoder) { nil }

    public override var next: UIResponder? { windowScene }
    public override var window: UIWindow? { self }

    public var isHidden = true {
        willSet { if newValue, !isHidden { rootViewController?.viewIfLoaded?.removeFromSuperview() } }
        didSet {
            guard !isHidden, oldValue else { return }
            showRoot()
            NotificationCenter.default.post(name: Self.didBecomeVisibleNotification, object: self)
        }
    }

    /// A touch makes this window the key window, if it can become key.
    open dynamic func sendEvent(_ event: UIEvent) {
        if event.allTouches?.contains(where: { $0.phase == .began }) == true { makeKey() }
    }

    open var canBecomeKey: Bool { true }
    public var isKeyWindow: Bool { windowScene?.keyWindow === self }
    public func makeKey() { if canBecomeKey { windowScene?.keyWindow = self } }

    public func makeKeyAndVisible() {
        isHidden = false
        makeKey()
    }

    public var rootViewController: UIViewController? {
        didSet {
            oldValue?.viewIfLoaded?.removeFromSuperview()
            if !isHidden { showRoot() }
        }
    }

    private func showRoot() {
        if let view = rootViewController?.view { addSubview(view) }
    }
}

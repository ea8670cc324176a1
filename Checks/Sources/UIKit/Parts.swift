public struct UILayoutPriority: Hashable, Sendable {
    public let rawValue: Float
    public static let required = UILayoutPriority(rawValue: 1000)
    public static let defaultHigh = UILayoutPriority(rawValue: 750)
    public static let defaultLow = UILayoutPriority(rawValue: 250)
}

extension NSLayoutConstraint {
    public enum Axis: Sendable { case horizontal, vertical }
}

extension UIView {
    public enum ContentMode: Sendable { case scaleToFill, scaleAspectFit }

    public var centerXAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    public var centerYAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    public var widthAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    public var heightAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    public var safeAreaLayoutGuide: UIView { self }
}

/// A stand-in without effect: layout is not computed.
public struct NSLayoutAnchor {
    public func constraint(equalTo other: NSLayoutAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
    public func constraint(
        lessThanOrEqualTo other: NSLayoutAnchor, constant: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint() }
}

public struct NSLayoutConstraint {
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
}

@MainActor
public final class UILabel: UIView {
    public var text: String?
    public var font: UIFont?
    public var textColor: UIColor?
    public var numberOfLines = 1
}

@MainActor
public final class UIImageView: UIView {
    public let image: UIImage?
    public init(image: UIImage?) {
        self.image = image
        super.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
    }
}

@MainActor
public final class UIStackView: UIView {
    public enum Axis: Sendable { case horizontal, vertical }

    public var axis = Axis.horizontal
    public var spacing: CGFloat = 0
    public var isLayoutMarginsRelativeArrangement = false
    public init(arrangedSubviews: [UIView]) {
        super.init(frame: .zero)
        for view in arrangedSubviews { addSubview(view) }
    }
}

@MainActor
public final class UIAction {
    public let title: String
    let handler: @MainActor (UIAction) -> Void
    public init(title: String, handler: @escaping @MainActor (UIAction) -> Void) {
        (self.title, self.handler) = (title, handler)
    }
}

@MainActor
public final class UIButton: UIView {
    public enum ButtonType: Sendable { case system }

    private let action: UIAction?
    public init(type: ButtonType, primaryAction: UIAction?) {
        action = primaryAction
        super.init(frame: .zero)
    }

    /// Presses the button, as a finger does.
    public func press() { if let action { action.handler(action) } }
}

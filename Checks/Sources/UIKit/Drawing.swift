public struct UIColor: Hashable, Sendable {
    let white: CGFloat
    public init(white: CGFloat, alpha: CGFloat) { self.white = white }
    public static let white = UIColor(white: 1, alpha: 1)
}

public struct UIEdgeInsets: Hashable, Sendable {
    let top, left, bottom, right: CGFloat
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

public struct UIFont: Hashable, Sendable {
    public enum TextStyle: Sendable { case headline, footnote }
    let style: TextStyle
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont(style: style) }
}

public final class CGContext {
    public private(set) var scale: CGFloat = 1
    public func scaleBy(x: CGFloat, y: CGFloat) { scale *= x }
}

@MainActor
public final class CALayer {
    public var cornerRadius: CGFloat = 0
    public private(set) var pictures = 0
    public func render(in context: CGContext) { pictures += 1 }
}

/// An image that has only a size.
public final class UIImage: Sendable {
    public let size: CGSize
    init(size: CGSize) { self.size = size }
}

@MainActor
public final class UIGraphicsImageRenderer {
    public final class Context { public let cgContext = CGContext() }

    private let size: CGSize
    public init(size: CGSize) { self.size = size }

    public func image(_ draw: (Context) -> Void) -> UIImage {
        draw(Context())
        return UIImage(size: size)
    }
}

@MainActor
public final class UIApplication: UIResponder {
    public nonisolated static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
}

extension Notification.Name {
    public static let NSExtensionHostWillResignActive = Notification.Name(
        "NSExtensionHostWillResignActiveNotification")
    public static let NSExtensionHostDidBecomeActive = Notification.Name(
        "NSExtensionHostDidBecomeActiveNotification")
}

@MainActor
public class UIScene: UIResponder {
    public nonisolated static let didActivateNotification = Notification.Name(
        "UISceneDidActivateNotification")

    public enum ActivationState: Hashable, Sendable {
        case unattached, foregroundActive, foregroundInactive, background
    }

    public var activationState = ActivationState.unattached {
        didSet {
            guard activationState == .foregroundActive else { return }
            NotificationCenter.default.post(name: Self.didActivateNotification, object: self)
        }
    }
}

@MainActor
public final class UIWindowScene: UIScene {
    private struct Known { weak var window: UIWindow? }
    private var known: [Known] = []

    public var windows: [UIWindow] { known.compactMap(\.window) }
    func add(_ window: UIWindow) { known.append(Known(window: window)) }
}

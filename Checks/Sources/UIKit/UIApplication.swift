@MainActor
public final class UIApplication: UIResponder {
    public nonisolated static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
}

extension Notification.Name {
    public static let NSExtensionHostWillResignActive = Notification.Name(
        "NSExtensionHostWillResignActiveNotification")
    public static let NSExtensionHostDidBecomeActive = Notification.Name(
        "NSExtensionHostDidBecomeActiveNotification")
    public static let NSExtensionHostDidEnterBackground = Notification.Name(
        "NSExtensionHostDidEnterBackgroundNotification")
    public static let NSExtensionHostWillEnterForeground = Notification.Name(
        "NSExtensionHostWillEnterForegroundNotification")
}

@MainActor
public final class UISceneSession {
    public enum Role: Hashable, Sendable { case windowApplication, windowExternalDisplayNonInteractive }

    public let role: Role
    init(role: Role) { self.role = role }
}

@MainActor
public class UIScene: UIResponder {
    public let session: UISceneSession

    init(role: UISceneSession.Role) {
        session = UISceneSession(role: role)
        super.init()
    }

    public nonisolated static let didActivateNotification = Notification.Name(
        "UISceneDidActivateNotification")
    public nonisolated static let didDisconnectNotification = Notification.Name(
        "UISceneDidDisconnectNotification")

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
    private struct WindowReference { weak var window: UIWindow? }
    private var windowReferences: [WindowReference] = []

    public init(_ role: UISceneSession.Role = .windowApplication) { super.init(role: role) }

    public var windows: [UIWindow] { windowReferences.compactMap(\.window) }
    public internal(set) weak var keyWindow: UIWindow?

    /// Closes the scene. When observers are notified, its windows no longer refer to it.
    public func disconnect() {
        activationState = .unattached
        for window in windows { window.windowScene = nil }
        NotificationCenter.default.post(name: Self.didDisconnectNotification, object: self)
    }

    func add(_ window: UIWindow) { windowReferences.append(WindowReference(window: window)) }
}

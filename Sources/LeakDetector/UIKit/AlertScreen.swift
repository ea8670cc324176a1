#if DEBUG && canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import LeakPlatform
    internal import UIKit

    /// A screen that shows alerts one after another, each in a window of its own, outside of the app's responder chains.
    ///
    /// It finds scenes by notifications, since `UIApplication.shared` is not available in extensions. A detector that is made
    /// before the first scene becomes active finds all scenes. Without an active scene, alerts go to standard error. An alert
    /// whose scene is closed goes there as well, unless another scene is active.
    @MainActor
    final class AlertScreen: AlertPresenter.Screen {
        static nonisolated let shared = AlertScreen()

        struct KnownScene {
            weak var scene: UIWindowScene?
        }

        private var queue = AlertQueue<UIImage>()
        /// Known scenes; the most recently activated scene is last.
        private(set) var scenes: [KnownScene] = []
        private(set) var window: AlertWindow?
        /// The scene of the window, stored here because `windowScene` of the window is `nil` after the scene was closed.
        private weak var scene: UIWindowScene?
        private let write: @Sendable (String) -> Void

        nonisolated init(
            center: NotificationCenter = .default,
            write: @escaping @Sendable (String) -> Void = StandardError.writeFinding
        ) {
            self.write = write
            // Both notifications are needed: in a scene that became active before there was a detector, a window may still appear.
            observe(UIScene.didActivateNotification, of: center) { $0.addScene($1) }
            observe(UIWindow.didBecomeVisibleNotification, of: center) { screen, scene in
                if !screen.scenes.contains(where: { $0.scene === scene }) { screen.addScene(scene) }
            }
            observe(UIScene.didDisconnectNotification, of: center) { $0.removeScene($1) }
        }

        private nonisolated func observe(
            _ name: Notification.Name, of center: NotificationCenter,
            _ notify: @escaping @MainActor (AlertScreen, UIWindowScene) -> Void
        ) {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
                nonisolated(unsafe) let object = notification.object
                Task { @MainActor [weak self] in
                    let scene = unsafe (object as? UIWindowScene) ?? (object as? UIWindow)?.windowScene
                    if let self, let scene { notify(self, scene) }
                }
            }
        }

        nonisolated func show(_ alert: AlertPresenter.Alert, pictureOf object: AnyObject?) {
            nonisolated(unsafe) let object = object
            Self.onMainThread { unsafe self.add(alert, pictureOf: object) }
        }

        nonisolated func update(_ alert: AlertPresenter.Alert) {
            Self.onMainThread {
                switch self.queue.update(alert) {
                case .shown: self.window?.controller.text = alert.text
                case .waiting: break
                // The update is shown even if the alert was closed.
                case .absent: self.add(alert, pictureOf: nil)
                }
            }
        }

        /// Calls `body` on the main thread, at once if this is the main thread: the picture is then made while the object exists.
        private nonisolated static func onMainThread(_ body: @escaping @MainActor @Sendable () -> Void) {
            if Thread.isMainThread {
                MainActor.assumeIsolated(body)
            } else {
                Task { @MainActor in body() }
            }
        }

        private func addScene(_ scene: UIWindowScene) {
            // Other scenes belong to CarPlay, or to a second screen without touch.
            guard scene.session.role == .windowApplication else { return }
            scenes.removeAll { $0.scene == nil || $0.scene === scene }
            scenes.append(KnownScene(scene: scene))
        }

        private func removeScene(_ lost: UIWindowScene) {
            scenes.removeAll { $0.scene == nil || $0.scene === lost }
            guard lost === scene, let entry = queue.shownEntry else { return }
            hide()
            open(entry)
        }

        private func add(_ alert: AlertPresenter.Alert, pictureOf object: AnyObject?) {
            switch queue.add(alert, picture: Screenshot.make(of: object)) {
            case .show(let entry): open(entry)
            case .wait: break
            case .full: write(alert.text)
            }
        }

        private func open(_ entry: AlertQueue<UIImage>.Entry) {
            let scene = scenes.last { $0.scene?.activationState == .foregroundActive }?.scene
            guard let scene else {
                write(entry.alert.text)
                return close()
            }
            let controller = AlertController(entry.alert, picture: entry.picture) { [weak self] in
                self?.close()
            }
            window = AlertWindow(controller, in: scene)
            self.scene = scene
        }

        private func close() {
            hide()
            if let next = queue.closeShown() { open(next) }
        }

        private func hide() {
            window?.isHidden = true
            window = nil
            scene = nil
        }
    }
#endif

import Dispatch
import Testing
import LeakPlatform
import UIKit

@testable import LeakDetector

extension Serialized {
    @MainActor @Suite struct AlertChecks {
        private let written: Guarded<[String]>
        private let screen: AlertScreen
        private let app: App

        init() {
            let written = Guarded([String]())
            self.written = written
            screen = AlertScreen { line in written.with { $0.append(line) } }
            app = App(alerts: AlertPresenter(screen: screen))
        }

        /// Waits until the work that was passed to the main actor has run.
        private func handOver() async { for _ in 0..<20 { await Task.yield() } }

        private func activate() async {
            app.scene.activationState = .foregroundActive
            await handOver()
        }

        private func leak<Screen: UIViewController>(_ screen: Screen) async {
            let home = Home()
            app.open(home)
            home.present(app.keep(screen), animated: false)
            home.dismiss(animated: false)
            app.advancePastChecks()
            await handOver()
        }

        private var labels: [String] {
            parts.compactMap { ($0 as? UILabel)?.text }
        }

        private var parts: [UIView] { screen.window?.controller.view.subviews.first?.subviews ?? [] }
        private var button: UIButton? { parts.compactMap { $0 as? UIButton }.first }

        @Test func `an alert has a separate window and a picture, and says when the object was freed`()
            async
        {
            await activate()
            await leak(Cart())
            #expect(labels.first == "LeakDetectorChecks.Cart leaked")
            #expect(labels.last?.contains("is still in memory") == true)
            let picture = parts.compactMap { $0 as? UIImageView }.first?.image
            #expect(picture?.size.height == Screenshot.longest)
            let window = screen.window
            #expect(window?.isHidden == false)
            #expect(window?.windowScene === app.scene)
            #expect(window !== app.window)
            app.releaseObjects()
            app.advancePastChecks()
            await handOver()
            #expect(labels.last?.contains("was freed after") == true)
            #expect(screen.window === window, "the same alert")
        }

        @Test func `alerts are shown one after another`() async {
            await activate()
            await leak(Cart())
            await leak(Order())
            #expect(labels.first == "LeakDetectorChecks.Cart leaked")
            button?.press()
            #expect(labels.first == "LeakDetectorChecks.Order leaked")
            button?.press()
            #expect(screen.window == nil)
            #expect(app.scene.windows.filter { !$0.isHidden }.count == 1)
        }

        @Test func `if too many alerts wait, a further alert is written as text`() async {
            await activate()
            for number in 0...AlertQueue<UIImage>.waitingLimit + 1 {
                screen.show(.init(id: "\(number)", title: "Cart", text: "leak \(number)"), pictureOf: nil)
            }
            await handOver()
            #expect(written.with { $0 } == ["leak \(AlertQueue<UIImage>.waitingLimit + 1)"])
            #expect(labels.last == "leak 0")
        }

        @Test func `a late release is shown although the alert of its object was closed`() async {
            await activate()
            await leak(Cart())
            button?.press()
            app.releaseObjects()
            app.advancePastChecks()
            await handOver()
            #expect(labels.last?.contains("was freed after") == true)
        }

        @Test func `an alert does not retain the leaked object, and a closed alert is not a leak`() async {
            await activate()
            weak var trace: Cart?
            do {
                let cart = Cart()
                trace = cart
                await leak(cart)
            }
            app.releaseObjects()
            #expect(trace == nil)
            button?.press()
            app.advancePastChecks()
            await handOver()
            button?.press()
            app.advancePastChecks()
            #expect(app.bench.detector.counts.leaked == 1)
        }

        @Test func `the alert for a leaked image picker has no picture`() async {
            await activate()
            await leak(UIImagePickerController())
            #expect(labels.count == 2)
            #expect(!parts.contains { $0 is UIImageView })
        }

        @Test func `without an active scene an alert is written as text`() async {
            await leak(Cart())
            #expect(screen.window == nil)
            #expect(written.with { $0 }.count == 1)
            await activate()
            app.scene.activationState = .background
            await leak(Order())
            #expect(screen.window == nil)
            #expect(
                written.with { $0 }.last?.hasPrefix("LeakDetectorChecks.Order is still in memory") == true)
        }

        @Test func `the most recently activated of several scenes is used if it is still active`() async {
            app.open(Home())
            await activate()
            let other = UIWindowScene()
            other.activationState = .foregroundActive
            await handOver()
            await leak(Cart())
            #expect(screen.window?.windowScene === other)
            other.activationState = .foregroundInactive
            await leak(Order())
            button?.press()
            #expect(screen.window?.windowScene === app.scene)
        }

        @Test
        func
            `an alert's window is above all windows, and touching the alert does not change the key window`()
            async throws
        {
            await activate()
            await leak(Cart())
            let window = try #require(screen.window)
            #expect(window.windowLevel.rawValue > UIWindow.Level.alert.rawValue)
            #expect(app.window.isKeyWindow)
            window.sendEvent(UIEvent(type: .touches, touches: [UITouch(.began, button)]))
            #expect(app.window.isKeyWindow)
            #expect(!window.isKeyWindow)
        }

        @Test func `if space is short, the picture shrinks first and the button last`() async throws {
            await activate()
            await leak(Cart())
            func resistance(_ view: UIView?) throws -> Float {
                try #require(view).contentCompressionResistancePriority(for: .vertical).rawValue
            }
            let text = try resistance(parts.first { $0 is UILabel })
            #expect(try resistance(button) > text)
            #expect(try resistance(parts.first { $0 is UIImageView }) < text)
        }

        @Test func `a scene without windows of the app shows no alerts`() async {
            let display = UIWindowScene(.windowExternalDisplayNonInteractive)
            display.activationState = .foregroundActive
            await handOver()
            await leak(Cart())
            #expect(screen.window == nil)
            #expect(written.with { $0 }.count == 1)
        }

        @Test func `a scene that was active before the detector started is found when its window appears`()
            async
        {
            let scene = app.scene
            scene.activationState = .foregroundActive
            let late = AlertScreen()
            await handOver()
            let window = UIWindow(windowScene: scene)
            window.isHidden = false
            await handOver()
            late.show(.init(id: "1", title: "Cart", text: "leak"), pictureOf: nil)
            await handOver()
            #expect(late.window?.windowScene === scene)
            withExtendedLifetime(window) {}
        }

        @Test func `an alert whose scene is closed moves to another active scene`() async {
            await activate()
            let other = UIWindowScene()
            other.activationState = .foregroundActive
            await handOver()
            await leak(Cart())
            #expect(screen.window?.windowScene === other)
            other.disconnect()
            await handOver()
            #expect(screen.window?.windowScene === app.scene)
            #expect(labels.first == "LeakDetectorChecks.Cart leaked")
            button?.press()
            #expect(screen.window == nil)
            #expect(written.with { $0 } == [])
        }

        @Test func `alerts whose scene is closed are written as text if no other scene is active`() async {
            await activate()
            await leak(Cart())
            await leak(Order())
            app.scene.disconnect()
            await handOver()
            #expect(screen.window == nil)
            #expect(
                written.with { $0.map { $0.split(separator: " ").first } } == [
                    "LeakDetectorChecks.Cart", "LeakDetectorChecks.Order",
                ])
        }

        @Test func `a closed scene is not retained`() async {
            await activate()
            weak var gone: UIWindowScene?
            do {
                let other = UIWindowScene()
                gone = other
                other.activationState = .foregroundActive
                await handOver()
                #expect(screen.scenes.count == 2)
                other.disconnect()
                await handOver()
            }
            #expect(gone == nil)
            #expect(screen.scenes.count == 1)
        }

        @Test func `in mode alert a debug build shows an alert for a leak`() async throws {
            var limits = LeakDetector.Limits()
            (limits.graceMilliseconds, limits.secondCheckMilliseconds) = (10, 10)
            let detector = LeakDetector(.alert, limits: limits)
            await activate()
            let badge = Badge()
            detector.expectDeallocation(of: badge)
            let deadline = ContinuousClock.now + .seconds(10)
            while AlertScreen.shared.window == nil, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(AlertScreen.shared.window?.controller.text.contains("Badge is still in memory") == true)
            withExtendedLifetime(badge) {}
        }
    }
}

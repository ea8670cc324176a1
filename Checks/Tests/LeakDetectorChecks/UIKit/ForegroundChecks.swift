import Testing
import LeakPlatform
import UIKit

@testable import LeakDetector

extension Serialized {
    @MainActor @Suite struct ForegroundChecks {
        private final class Model: Sendable {}

        @Test(
            arguments: [
                (UIApplication.willResignActiveNotification, UIApplication.didBecomeActiveNotification),
                (.NSExtensionHostWillResignActive, .NSExtensionHostDidBecomeActive),
            ])
        func `grace periods stop while the app or the host of the extension is not active`(
            stop: Notification.Name, start: Notification.Name
        ) {
            let bench = Bench()
            let model = Model()
            bench.detector.expectDeallocation(of: model)
            bench.advance(by: 500)
            NotificationCenter.default.post(name: stop, object: nil)
            bench.advance(by: 60_000)
            #expect(bench.lines == [])
            NotificationCenter.default.post(name: start, object: nil)
            bench.advance(by: 400)
            #expect(bench.lines == [], "the grace period continues where it stopped")
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(model) {}
        }

        @Test func `a detector that the app paused stays paused when the app becomes active`() {
            let bench = Bench()
            let model = Model()
            bench.detector.expectDeallocation(of: model)
            bench.detector.pause()
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
            bench.advance(by: 60_000)
            #expect(bench.lines == [])
            bench.detector.resume()
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(model) {}
        }

        @Test
        func `if a paused detector is resumed in the background, it continues when the app becomes active`() {
            let bench = Bench()
            let model = Model()
            bench.detector.expectDeallocation(of: model)
            bench.detector.pause()
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
            bench.detector.resume()
            bench.advance(by: 60_000)
            #expect(bench.lines == [])
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(model) {}
        }

        @Test func `a freed detector observes no more notifications`() {
            let center = NotificationCenter()
            let checkers = Bench().detector.checkers
            let pauses = PauseController(of: checkers)
            func leave() { center.post(name: UIApplication.willResignActiveNotification, object: nil) }
            do {
                let foreground = ForegroundObserver(of: pauses, center: center)
                leave()
                #expect(checkers.onAnyQueue.isPaused)
                center.post(name: UIApplication.didBecomeActiveNotification, object: nil)
                #expect(!checkers.onAnyQueue.isPaused)
                withExtendedLifetime(foreground) {}
            }
            leave()
            #expect(!checkers.onAnyQueue.isPaused)
            withExtendedLifetime(pauses) {}
        }
    }
}

import Testing
import Threads
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
            bench.wait(500)
            NotificationCenter.default.post(name: stop, object: nil)
            bench.wait(60_000)
            #expect(bench.lines == [])
            NotificationCenter.default.post(name: start, object: nil)
            bench.wait(400)
            #expect(bench.lines == [], "the grace period goes on where it stopped")
            bench.wait(5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(model) {}
        }

        @Test func `a detector that has gone listens no more`() {
            weak var detector: LeakDetector?
            do {
                let bench = Bench()
                detector = bench.detector
            }
            #expect(detector == nil)
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        }
    }
}

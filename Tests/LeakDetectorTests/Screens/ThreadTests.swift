import Dispatch
import LeakMessage
import Testing

@testable import LeakDetector

/// Releases and checks on threads other than the main thread.
@MainActor @Suite struct ThreadTests {
    private final class Held: @unchecked Sendable {
        // `Sendable` is unchecked: one thread hands the object to another thread and does not use it any more.
        var object: AnyObject?
        init(_ object: AnyObject?) { self.object = object }
    }

    /// Runs `body` on another thread, and waits until it has ended. A queue's `sync` would run it on this thread.
    private func onOtherThread(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            body()
            done.signal()
        }
        done.wait()
    }

    private func release(_ held: Held) { onOtherThread { held.object = nil } }

    /// Shows a screen, closes it and returns it.
    private func closed(_ kit: SimulatedUIKit) -> Held {
        kit.window.root = Home(kit)
        let cart = Cart(kit)
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        return Held(cart)
    }

    private func wait(until isDone: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !isDone(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
        #expect(isDone(), "within two minutes")
    }

    @Test func `a screen may be freed on any thread, and its view is freed on the main thread`() {
        let kit = SimulatedUIKit()
        let held = closed(kit)
        kit.advancePastChecks()
        weak let view = (held.object as? Cart)?.view
        let retainedView = (held.object as? Cart)?.screenLifetimeToken?.view
        release(held)
        #expect(retainedView?.node != nil)
        #expect(view != nil, "kept until the main queue runs")
        #expect(kit.reportLines == ["leak Cart"])
        kit.clock.advance(by: 0)
        #expect(view == nil, "freed even if its RetainedView is still referenced")
        #expect(kit.reportLines == ["leak Cart", "freed Cart"])
        withExtendedLifetime(retainedView) {}
    }

    @Test
    func `the view of a screen is freed on the main thread, even if the screen watcher was freed before`() {
        let kit = SimulatedUIKit()
        var screens: Screens? = Screens(
            checker: kit.detector.checkers.onMainQueue, ignores: { _ in false }, ignoresWindow: { _ in false }
        )
        kit.hasHooks = false
        let held = closed(kit)
        weak let view = (held.object as? Cart)?.view
        if let cart = held.object as? Cart { screens?.handle(.didAppear, cart) }
        weak let watcher = screens
        screens = nil
        #expect(watcher == nil)
        release(held)
        #expect(view != nil)
        kit.clock.advance(by: 0)
        #expect(view == nil)
    }

    @Test func `a screen may be ignored from any thread`() {
        let kit = SimulatedUIKit()
        let held = closed(kit)
        kit.advancePastChecks()
        onOtherThread { [detector = kit.detector] in held.object.map(detector.ignore) }
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"])
        #expect(kit.detector.counts.leaked == 1, "it was reported before it was ignored")
        release(held)
        kit.advancePastChecks()
        #expect(kit.reportLines == ["leak Cart"], "its release is not reported")
    }

    @Test func `a detector with its own queue checks screens on the main queue`() async throws {
        let kit = SimulatedUIKit(queue: DispatchQueue(label: "objects")) {
            $0.graceMilliseconds = 30
            $0.secondCheckMilliseconds = 30
        }
        let held = closed(kit)
        final class Model: Sendable {}
        let model = Model()
        kit.detector.expectDeallocation(of: model)
        try await wait { kit.reportLines.count >= 2 }
        #expect(Set(kit.reportLines) == ["leak Cart", "leak ThreadTests.Model"])
        #expect(kit.detector.counts.leaked == 2)
        #expect(kit.detector.takeChecks().map(\.count) == [1, 1])
        release(held)
        try await wait { kit.reportLines.count >= 3 }
        #expect(kit.reportLines.last == "freed Cart")
        withExtendedLifetime(model) {}
    }

    @Test(arguments: [true, false])
    func `a pause applies to screens that are watched before or during the pause`(isBefore: Bool) async throws
    {
        let kit = SimulatedUIKit(queue: DispatchQueue(label: "objects")) {
            $0.graceMilliseconds = 0
            $0.secondCheckMilliseconds = 0
        }
        if isBefore { _ = kit.screens }
        kit.detector.pause()
        let held = closed(kit)
        try await wait { kit.detector.counts.outstanding == 1 }
        try await Task.sleep(for: .milliseconds(300))
        #expect(kit.reportLines.isEmpty)
        kit.detector.resume()
        try await wait { !kit.reportLines.isEmpty }
        #expect(kit.reportLines == ["leak Cart"])
        withExtendedLifetime(held) {}
    }

    @Test
    func `an ignored object is not reported by the checks on the main queue or on the detector's queue`()
        async throws
    {
        let kit = SimulatedUIKit(queue: DispatchQueue(label: "objects")) {
            $0.graceMilliseconds = 0
            $0.secondCheckMilliseconds = 0
        }
        _ = kit.screens
        kit.window.root = Home(kit)
        let cart = Cart(kit)
        kit.detector.ignore(cart)
        kit.detector.expectDeallocation(of: cart)
        try await wait { kit.detector.counts.suppressed == 1 }
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        try await wait { kit.detector.counts.suppressed == 2 }
        #expect(kit.detector.counts.outstanding == 0)
        #expect(kit.reportLines.isEmpty)
    }
}

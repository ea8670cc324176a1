import Dispatch
import Testing

@testable import LeakDetector

/// Screen observation after the detector is stopped, and with two detectors.
@MainActor @Suite struct StopTests {
    private let kit = SimulatedUIKit()

    /// Stops the detector and waits until it has released the screens, which happens in a separate turn of the main actor.
    private func stop(_ kit: SimulatedUIKit) async throws {
        kit.detector.stop()
        let deadline = ContinuousClock.now + .seconds(120)
        while !kit.screens.isStopped, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func `a stopped detector retains no screens`() async throws {
        let cart = kit.keep(Cart(kit))
        kit.window.root = cart
        weak let view = cart.view
        kit.advancePastChecks()
        try await stop(kit)
        #expect(kit.screens.count == 0)
        #expect(cart.screenLifetimeToken == nil)
        kit.hasHooks = false
        cart.setView(View())
        #expect(view == nil)
    }

    @Test(arguments: [true, false])
    func `a stopped detector watches no screens, even if it watched screens before`(
        isWatching: Bool
    ) async throws {
        if isWatching { _ = kit.screens }
        try await stop(kit)
        #expect(kit.detector.isStopped)
        let (cart, split) = (kit.keep(Cart(kit)), Split(kit))
        kit.window.root = Tabs(kit, split, cart)
        split.showDetail(Order(kit))
        cart.checksItself = true
        cart.isMovingFromParent = true
        cart.disappear()
        kit.advancePastChecks()
        #expect(kit.screens.count == 0)
        #expect(cart.screenLifetimeToken == nil)
        #expect(kit.takeChecks() == [])
        #expect(kit.clock.timers.set == 0)
    }

    @Test func `a stopped detector with its own queue watches no screens`() {
        let kit = SimulatedUIKit(queue: DispatchQueue(label: "objects"))
        kit.detector.stop()
        let cart = kit.keep(Cart(kit))
        kit.window.root = cart
        #expect(kit.screens.count == 0)
        #expect(cart.screenLifetimeToken == nil)
    }

    @Test func `after a stop, views that wait for the next touch are not reported`() async throws {
        let button = kit.keep(Button())
        kit.screens.didTouch([button])
        kit.screens.expectDeallocation(ofRemoved: button, reason: "removed")
        kit.advancePastChecks()
        try await stop(kit)
        kit.screens.didTouch([])
        kit.advancePastChecks()
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `objects that are ignored before screens are watched stay ignored, even with two queues`()
        async throws
    {
        let kit = SimulatedUIKit(queue: DispatchQueue(label: "objects")) {
            $0.graceMilliseconds = 100
            $0.secondCheckMilliseconds = 0
        }
        let cart = kit.keep(Cart(kit))
        kit.detector.ignore(cart)
        kit.window.root = Home(kit)
        kit.window.root?.present(cart)
        kit.window.root?.dismiss()
        let deadline = ContinuousClock.now + .seconds(120)
        while kit.detector.counts.suppressed == 0, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(kit.detector.counts.suppressed == 1)
        #expect(kit.reportLines.isEmpty)
    }

    @Test func `a screen that two detectors watch is reported by both`() {
        let other = SimulatedUIKit()
        other.window.root = Home(other)
        let (home, cart) = (Home(kit), kit.keep(Cart(kit)))
        kit.window.root = home
        home.present(cart)
        other.screens.handle(.didAppear, home)
        other.screens.handle(.didAppear, cart)
        home.dismiss()
        other.screens.handle(.didDisappear, cart)
        for kit in [kit, other] { kit.advancePastChecks() }
        #expect(kit.reportLines == ["leak Cart"])
        #expect(other.reportLines == ["leak Cart"])
        kit.releaseKeptObjects()
        withExtendedLifetime(cart) {}
    }

    @Test func `a freed screen that two detectors watch is counted by each detector that is not stopped`()
        async throws
    {
        let other = SimulatedUIKit()
        for isStopped in [false, true] {
            if isStopped { try await stop(kit) }
            do {
                let cart = Cart(kit)
                kit.window.root = cart
                other.screens.handle(.didAppear, cart)
            }
            kit.window.root = nil
            for kit in [kit, other] { kit.clock.advance(by: 0) }
            for kit in [kit, other] { kit.advancePastChecks() }
        }
        #expect(kit.takeChecks() == ["Cart 1"])
        #expect(other.takeChecks() == ["Cart 2"])
    }

    @Test func `views that wait for a check do not retain the watcher of screens`() {
        let view = kit.keep(Chart())
        var screens: Screens? = Screens(
            checker: kit.detector.checkers.onMainQueue, ignores: { _ in false }, ignoresWindow: { _ in false }
        )
        screens?.expectDeallocation(ofRemoved: view, reason: "removed")
        weak let watcher = screens
        screens = nil
        #expect(watcher == nil)
    }
}

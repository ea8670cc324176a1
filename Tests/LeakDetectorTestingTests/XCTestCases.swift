import Dispatch
import LeakDetectorTesting
import XCTest

/// XCTest cases that pass in this process, and leak in the separate process of `XCTestFailureTests` (``LeaksOnDemand``).
final class LeakingOnDemandCases: XCTestCase {
    private let leaks = LeaksOnDemand.isRequested
    private var property: Screen?

    private func close(_ screen: Screen) {
        if leaks { screen.leak() }
    }

    func testTracking() {
        close(expectDeallocation(of: Screen(), within: 0.01))
    }

    func testTrackingInAnAsyncTest() async {
        let sheet = expectDeallocation(of: Sheet(), within: 0.01)
        await Task.yield()
        close(sheet)
    }

    func testAPropertyOfTheTestCase() {
        property = expectDeallocation(of: Screen(), within: 0.01)
        if !leaks { property = nil }
    }

    func testABlock() {
        expectNoLeaks(within: 0.01) { leaks in
            for number in 0..<3 {
                let screen = leaks.track(Screen())
                if number > 0 { close(screen) }
            }
        }
    }

    func testAnAsyncBlock() async {
        await expectNoLeaks(within: 0.01) { leaks in
            let sheet = leaks.track(Sheet())
            await Task.yield()
            close(sheet)
        }
    }

    func testADetachedTask() async {
        let leaks = leaks
        await Task.detached {
            await expectNoLeaks(within: 0.01) { tracked in
                let screen = tracked.track(Screen())
                if leaks { screen.leak() }
            }
        }.value
    }
}

/// XCTest cases that pass although their objects are released a little later.
final class LateReleaseCases: XCTestCase {
    // The timeout is much longer than needed, for busy machines. A released object ends the wait early.
    private let timeout = 30.0

    func testAnObjectThatTheMainQueueReleases() {
        expectNoLeaks(within: timeout) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.main.async { withExtendedLifetime(upload) {} }
        }
    }

    func testAnObjectThatTheMainQueueReleasesAfterTheTest() {
        let upload = expectDeallocation(of: Upload(), within: timeout)
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
    }

    func testAnObjectThatAnotherThreadReleases() async {
        let upload = expectDeallocation(of: Upload(), within: timeout)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
    }

    func testAnObjectThatATeardownBlockReleases() {
        var kept: Screen? = expectDeallocation(of: Screen(), within: 0)
        // This block was added after the check of `expectDeallocation`, so XCTest runs it before the check.
        addTeardownBlock { kept = nil }
        XCTAssertNotNil(kept)
    }

    @MainActor
    func testOnTheMainActor() async {
        await expectNoLeaks(within: timeout) { leaks in
            let screen = leaks.track(MainScreen())
            Task { await screen.load() }
        }
    }
}

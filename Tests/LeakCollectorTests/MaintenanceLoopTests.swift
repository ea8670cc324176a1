import LeakCollectorSupport
import Foundation
import LeakStore
import Testing
import LeakPlatform

@testable import LeakCollector

@Suite struct MaintenanceLoopTests {
    @Test func `the log says why no data expires while the clock is ahead`() {
        let hour: Int64 = 3_600_000
        let wait = ClockWait(
            aheadMilliseconds: 120 * 24 * hour, lastKnownTime: 1_700_000_000_000,
            remainingMilliseconds: 23 * hour + 1)
        #expect(
            MaintenanceLoop.warning(of: wait) == """
                the clock is 120 days ahead of the last known time (2023-11-14 22:13 UTC), so nothing expires by it. \
                If the clock is wrong, set it. If it is right, data expires again after the collector has run for 24 h more
                """)
    }

    @Test func `a long expiration does not delay the stop of the collector`() throws {
        let hasBegun = Guarded(false)
        let running = try RunningCollector(store: { EndlessExpirationStore(store: $0, hasBegun: hasBegun) })
        #expect(hasBegun.wait(timeout: .seconds(60)) { $0 ? true : nil } == true)
        let start = ContinuousClock.now
        running.collector.stop(within: .seconds(60))
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}

/// A store whose expiration runs for a minute, unless the caller stops it.
private struct EndlessExpirationStore: ForwardingStore {
    let store: any Store
    let hasBegun: Guarded<Bool>

    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? {
        hasBegun.with { $0 = true }
        hasBegun.wakeAll()
        let end = ContinuousClock.now + .seconds(60)
        while isWanted(), ContinuousClock.now < end { usleep(10_000) }
        return nil
    }
}

import CollectorSupport
import Foundation
import LeakStore
import Testing
import Threads

@testable import LeakCollector

@Suite struct HousekeepingTests {
    @Test func `a long expiry does not hold up the end`() throws {
        let begun = Guarded(false)
        let running = try RunningCollector(store: { EndlessExpiry(store: $0, begun: begun) })
        #expect(begun.wait(timeout: .seconds(60)) { $0 ? true : nil } == true)
        let start = ContinuousClock.now
        running.collector.stop(within: .seconds(60))
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}

/// A store that has more to delete for a minute, unless nobody wants it to go on.
private struct EndlessExpiry: ForwardingStore {
    let store: any Store
    let begun: Guarded<Bool>

    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? {
        begun.with { $0 = true }
        begun.wakeAll()
        let end = ContinuousClock.now + .seconds(60)
        while isWanted(), ContinuousClock.now < end { usleep(10_000) }
        return nil
    }
}

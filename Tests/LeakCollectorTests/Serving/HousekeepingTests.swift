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
private struct EndlessExpiry: Store {
    let store: any Store
    let begun: Guarded<Bool>

    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) {
        begun.with { $0 = true }
        begun.wakeAll()
        let end = ContinuousClock.now + .seconds(60)
        while isWanted(), ContinuousClock.now < end { usleep(10_000) }
    }

    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        try store.count(submissions, now: now)
    }

    func tidy(now: Int64) throws(StoreError) { try store.tidy(now: now) }
    func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> Erased? {
        try store.erase(install: install, while: isWanted)
    }
    func add(_ credential: Credential) throws(StoreError) -> Credential { try store.add(credential) }
    func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool {
        try store.revoke(credential: id, now: now)
    }
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try store.useOnce(hash: hash, now: now)
    }
    func verify() throws(StoreError) -> [String] { try store.verify() }
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        try store.makeReader(known: known)
    }
}

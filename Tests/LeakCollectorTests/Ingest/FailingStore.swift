import LeakStore
import LeakPlatform

/// A store that fails a given number of writes and then works.
final class FailingStore: ForwardingStore {
    let store: any Store
    private let failures: Guarded<Int>
    private let reason: StoreError.Reason

    init(_ store: any Store, failures: Int, reason: StoreError.Reason = .diskFull) {
        self.store = store
        self.failures = Guarded(failures)
        self.reason = reason
    }

    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        let fails = failures.with { failures in
            defer { failures = max(0, failures - 1) }
            return failures > 0
        }
        if fails { throw StoreError(reason, "as the test wants it") }
        return try store.count(submissions, now: now)
    }
}

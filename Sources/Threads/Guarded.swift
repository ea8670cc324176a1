// The only place that touches pthreads. `Synchronization.Mutex` would do the locking, but its lock lives in a
// runtime that ThreadSanitizer does not see, which then reports races that are none.

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value that one thread at a time may touch.
///
/// `with` blocks until the value is free. Do not call `with` of the same instance from inside `with`: it deadlocks.
@safe
public final class Guarded<Value>: @unchecked Sendable {
    // Unchecked: every access to `value` happens between lock and unlock.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        let locked = unsafe pthread_mutex_init(mutex, nil)
        let signalled = unsafe pthread_cond_init(condition, nil)
        precondition(locked == 0 && signalled == 0, "the system has no memory left for a lock")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, alone.
    public func with<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits until `body` gives a result, asking again each time another thread calls ``wakeAll()``.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait at most; `nil` waits for good.
    ///   - body: called with the value, alone; `nil` means not yet.
    /// - Returns: what `body` gave, or `nil` when the time was up.
    public func wait<Result>(
        timeout: Duration? = nil, until body: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        let deadline = timeout.map { Self.deadline(in: $0) }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard var deadline else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&value) }
        }
    }

    /// Lets every thread that waits on this value look again.
    public func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// The wall clock's time `wait` from now: `pthread_cond_timedwait` knows no other clock on Darwin.
    private static func deadline(in wait: Duration) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let (seconds, attoseconds) = max(wait, .zero).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        now.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        now.tv_nsec = nanoseconds % 1_000_000_000
        return now
    }
}

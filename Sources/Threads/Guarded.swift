// The only place that touches pthread locks. `Synchronization.Mutex` would do the locking, but it is newer than the
// oldest systems that apps run on, and its lock lives in a runtime that ThreadSanitizer does not see, which then
// reports races that are none.

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value that one thread at a time may touch, and that threads can wait on.
///
/// `with` blocks until the value is free. Do not call `with` of the same instance from inside `with`: it deadlocks.
@safe
public final class Guarded<Value>: @unchecked Sendable {
    // Unchecked: every access to `value` happens between lock and unlock.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// What a waiting thread is to do after a look at the value.
    public enum Look<Result> {
        case take(Result)
        /// Look again when woken, and after that time at the latest; `nil` is no limit.
        case sleep(milliseconds: Int64?)
    }

    public init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        let locked = unsafe pthread_mutex_init(mutex, nil)
        let signalled = unsafe Self.initialize(condition)
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

    /// Runs `body` with the value, alone, again after each sleep that it asks for.
    public func wait<Result>(for body: (inout sending Value) -> sending Look<Result>) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value) {
            case .take(let result): return result
            case .sleep(milliseconds: nil): unsafe pthread_cond_wait(condition, mutex)
            case .sleep(let milliseconds?): sleep(milliseconds: milliseconds)
            }
        }
    }

    /// Waits until `body` gives a result, asking again each time another thread calls ``wakeAll()``.
    ///
    /// - Parameters:
    ///   - milliseconds: how long to wait at most; `nil` waits for good. A change of the wall clock does not matter.
    ///   - body: called with the value, alone; `nil` means not yet.
    /// - Returns: what `body` gave, or `nil` when the time was up.
    public func wait<Result>(
        milliseconds: Int64? = nil, until body: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        // Against a sum that passes what an Int64 holds.
        let deadline = milliseconds.map { MonotonicTime.now + min(max($0, 0), MonotonicTime.longest) }
        return wait { value -> sending Look<Result?> in
            if let result = body(&value) { return .take(result) }
            guard let deadline else { return .sleep(milliseconds: nil) }
            let left = deadline - MonotonicTime.now
            return left > 0 ? .sleep(milliseconds: left) : .take(nil)
        }
    }

    /// Lets every thread that waits on this value look again.
    public func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// On the monotonic clock where the system lets one choose; Darwin waits by a span of time instead.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        #if canImport(Darwin)
            return unsafe pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            defer { unsafe pthread_condattr_destroy(&attributes) }
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            return unsafe pthread_cond_init(condition, &attributes)
        #endif
    }

    private func sleep(milliseconds: Int64) {
        let wait = min(max(milliseconds, 0), MonotonicTime.longest)
        #if canImport(Darwin)
            var time = MonotonicTime.timespec(milliseconds: wait)
            unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            // Rounded up, so that a sleep is never shorter than asked for.
            var time = MonotonicTime.timespec(milliseconds: MonotonicTime.now + wait + 1)
            unsafe pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}

@available(iOS 16, tvOS 16, *)
extension Guarded {
    /// As ``wait(milliseconds:until:)``, with a `Duration`, rounded up to milliseconds.
    public func wait<Result>(
        timeout: Duration, until body: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        let (seconds, attoseconds) = timeout.components
        let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return wait(
            milliseconds: isTooLarge
                ? (seconds < 0 ? 0 : .max) : milliseconds.addingReportingOverflow(rest).partialValue,
            until: body)
    }
}

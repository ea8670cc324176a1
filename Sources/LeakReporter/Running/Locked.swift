// The only place that touches pthreads. `Mutex` is newer than the oldest systems that this library runs on.

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value that one thread at a time may touch, and that threads can wait on.
@safe
final class Locked<Value>: @unchecked Sendable {
    // Unchecked: every access to `value` happens between lock and unlock.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// What a waiting thread is to do after a look at the value.
    enum Look<Result> {
        case take(Result)
        /// Look again when woken, and at that moment at the latest.
        case sleep(until: Moment?)
    }

    init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            unsafe pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(condition, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, alone.
    func with<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Runs `body` with the value, alone, again after each sleep that it asks for.
    func wait<Result>(for body: (inout Value) -> Look<Result>) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value) {
            case .take(let result): return result
            case .sleep(until: nil): unsafe pthread_cond_wait(condition, mutex)
            case .sleep(until: let moment?): sleep(until: moment)
            }
        }
    }

    /// Lets every thread that waits look again.
    func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    private func sleep(until moment: Moment) {
        #if canImport(Darwin)
            let wait = max(moment.milliseconds - Moment.now.milliseconds, 0)
            var time = timespec(tv_sec: wait / 1000, tv_nsec: wait % 1000 * 1_000_000)
            unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            var time = timespec(
                tv_sec: moment.milliseconds / 1000, tv_nsec: moment.milliseconds % 1000 * 1_000_000)
            unsafe pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}

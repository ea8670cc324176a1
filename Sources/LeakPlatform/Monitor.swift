// Only this file uses pthread locks. `Synchronization.Mutex` would do the locking, but it is newer than the oldest systems that
// apps run on, and its lock is in a runtime that ThreadSanitizer does not see, so ThreadSanitizer reports false races.

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A lock with a condition variable: a thread that holds the lock can wait until another thread wakes it.
@safe
package struct Monitor: ~Copyable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
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

    package func lock() { unsafe pthread_mutex_lock(mutex) }

    package func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Releases the lock, waits until another thread wakes this one or a spurious wake-up occurs, and takes the lock again.
    /// Call with the lock held.
    ///
    /// - Parameter milliseconds: the maximum wait, on a clock that cannot be set; `nil` for no limit.
    package func wait(milliseconds: Int64?) {
        guard let milliseconds else {
            unsafe pthread_cond_wait(condition, mutex)
            return
        }
        let wait = min(max(milliseconds, 0), SystemTime.longestWait)
        #if canImport(Darwin)
            var time = SystemTime.timespec(milliseconds: wait)
            unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            // Rounded up, so that a sleep is never shorter than asked for.
            var time = SystemTime.timespec(milliseconds: SystemTime.monotonic + wait + 1)
            unsafe pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }

    package func wakeOne() { unsafe pthread_cond_signal(condition) }

    package func wakeAll() { unsafe pthread_cond_broadcast(condition) }

    /// Selects the monotonic clock where the system allows a choice; Darwin waits for a span of time instead.
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
}

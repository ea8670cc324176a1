#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Seconds of processor time that this thread has used, which do not depend on other threads.
public func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

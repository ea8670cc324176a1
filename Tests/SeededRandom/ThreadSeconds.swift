#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Seconds of the processor that this thread has used: not more when others keep it busy.
public func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Seconds of the processor that this thread has used: not more when others keep it busy.
func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

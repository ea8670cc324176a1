#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

enum StandardError {
    /// A process may have closed it, or have it lead to a full disk: that is no reason to end it.
    static func write(_ line: String) {
        // Where nobody reads what was written before, it would wait for ever.
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLOUT) != 0 else { return }
        let bytes = Array((line + "\n").utf8)
        #if canImport(Darwin)
            _ = unsafe Darwin.write(STDERR_FILENO, bytes, bytes.count)
        #else
            _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
        #endif
    }
}
